/** Filters the table of contents by the sections that contain all words in the search field; `/` focuses the field. */
export function bindSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#search-text");
  const result = document.querySelector("#search-result");
  const entries = [...document.querySelectorAll<HTMLAnchorElement>("nav li a")].map((link) => ({
    item: link.parentElement as HTMLElement,
    text: document.querySelector(link.hash)?.closest("section")?.textContent?.toLowerCase() ?? "",
  }));
  if (!input || !result) {
    return;
  }
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { item, text } of entries) {
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const heading of document.querySelectorAll<HTMLElement>("nav h2")) {
      heading.hidden = !heading.nextElementSibling?.querySelector("li:not([hidden])");
    }
    const { length } = entries.filter(({ item }) => !item.hidden);
    result.textContent = words.length === 0 ? "" : `${length} ${length === 1 ? "section" : "sections"}`;
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = (event.target as HTMLElement).closest("input, select, textarea");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    }
  });
}
