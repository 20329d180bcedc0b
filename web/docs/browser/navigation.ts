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
 * Highlights the current section in the table of contents, and keeps it in view there: the last one whose heading is
 * above the middle of the window.
 */
export function markActiveSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("#contents li a")];
  const headings = links.map(({ hash }) => document.querySelector(hash));
  let marked: Element | undefined;
  const mark = () => {
    const index = headings.findLastIndex((heading) => heading && heading.getBoundingClientRect().top < innerHeight / 2);
    const link = links[index];
    if (link !== marked) {
      marked?.removeAttribute("aria-current");
      link?.setAttribute("aria-current", "location");
      marked = link;
      keepInView(link);
    }
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
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
