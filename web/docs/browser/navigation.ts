/** On a phone, the table of contents is a menu. Without JavaScript, it is above the text. */
export function bindMenu(): void {
  const button = document.querySelector("#menu");
  const contents = document.querySelector("#contents");
  document.documentElement.classList.add("with-menu");
  const toggle = (open: boolean) => {
    button?.setAttribute("aria-expanded", String(open));
    contents?.classList.toggle("open", open);
  };
  button?.addEventListener("click", () => toggle(button.getAttribute("aria-expanded") !== "true"));
  contents?.addEventListener("click", (event) => (event.target as HTMLElement).closest("a") && toggle(false));
}

/** Adds a permalink to each heading. */
export function headingLinks(): void {
  for (const heading of document.querySelectorAll("main h3[id]")) {
    const link = document.createElement("a");
    link.className = "anchor";
    link.href = `#${heading.id}`;
    link.textContent = "#";
    link.ariaLabel = `Link to ${heading.textContent}`;
    heading.after(link);
  }
}

/**
 * Shows one page at a time, each of which is an entry of the table of contents: the one that has what the address
 * names; the first one, and a notice, if the address names nothing here. Without JavaScript, all of them follow one
 * another.
 */
export function showPages(): void {
  const pages = [...document.querySelectorAll<HTMLElement>(".page")];
  const groups = [...document.querySelectorAll<HTMLElement>(".group")];
  const links = [...document.querySelectorAll<HTMLAnchorElement>("#contents li a")];
  const { title } = document;
  const neighbours = document.createElement("nav");
  neighbours.className = "neighbours";
  neighbours.ariaLabel = "Pages before and after";
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.role = "status";
  document.querySelector("main")?.prepend(notice);
  document.querySelector("main")?.append(neighbours);

  const show = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : pages.at(0);
    const shown = target ? pages.find(({ hidden }) => !hidden) : undefined; // for a target that is part of every page
    const page = target?.closest<HTMLElement>(".page") ?? shown ?? pages.at(0);
    if (!page) {
      return;
    }
    const isUnknown = target === null;
    notice.hidden = !isUnknown;
    notice.textContent = isUnknown
      ? `There is nothing named “${location.hash.slice(1)}” here. This is the first page.`
      : "";
    for (const each of pages) {
      each.hidden = each !== page;
    }
    for (const group of groups) {
      group.hidden = !group.contains(page);
    }
    const link = links.find(({ hash }) => page.contains(document.querySelector(hash)));
    for (const each of links) {
      each.ariaCurrent = each === link ? "page" : null;
    }
    const here = link ? links.indexOf(link) : -1;
    neighbours.replaceChildren(...linkTo("prev", links[here - 1]), ...linkTo("next", links[here + 1]));
    document.title = location.hash && target ? `${link?.textContent}: ${title}` : title;
    keepInView(link);
    if (location.hash && target) {
      arriveAt(target, link);
    }
  };
  addEventListener("hashchange", show);
  show();
}

/** Shows the top of a page, or what is further down in it; the keyboard goes on from there. */
function arriveAt(target: HTMLElement, link: HTMLAnchorElement | undefined): void {
  if (link?.hash === `#${target.id}`) {
    scrollTo(0, 0);
  } else {
    target.scrollIntoView();
  }
  if (target.tabIndex < 0) {
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
}

function linkTo(rel: "prev" | "next", to: HTMLAnchorElement | undefined): HTMLAnchorElement[] {
  if (!to) {
    return [];
  }
  const link = document.createElement("a");
  link.rel = rel;
  link.href = to.hash;
  link.textContent = to.textContent;
  return [link];
}

/** Scrolls the table of contents, and nothing else, if a link in it cannot be seen. */
function keepInView(link: HTMLAnchorElement | undefined): void {
  const contents = document.querySelector("#contents");
  if (!link || !contents) {
    return;
  }
  const { top, bottom } = link.getBoundingClientRect();
  const frame = contents.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) {
    contents.scrollTop += (top + bottom - frame.top - frame.bottom) / 2;
  }
}
