/** How much of a section is shown around the first word that was found, in characters. */
const BEFORE = 30;
const AFTER = 60;

/**
 * Filters the table of contents by the sections that contain all words in the search field, and shows where. Enter opens
 * the first; `/` focuses the field.
 */
export function bindSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#search-text");
  const result = document.querySelector("#search-result");
  const entries = [...document.querySelectorAll<HTMLAnchorElement>("#contents li a")].map((link) => {
    const snippet = document.createElement("span");
    snippet.className = "snippet";
    link.after(snippet);
    const text = document.querySelector(link.hash)?.closest("section")?.textContent ?? "";
    return { link, snippet, item: link.parentElement as HTMLElement, text: text.replaceAll(/\s+/g, " ") };
  });
  if (!input || !result) {
    return;
  }
  input.addEventListener("input", () => {
    const stems = input.value.toLowerCase().split(/\s+/).filter(Boolean).map(stem);
    for (const { item, snippet, text } of entries) {
      const lower = text.toLowerCase();
      item.hidden = !stems.every((word) => lower.includes(word));
      snippet.textContent = item.hidden || stems.length === 0 ? "" : around(text, lower.indexOf(stems[0] ?? ""));
    }
    for (const heading of document.querySelectorAll<HTMLElement>("#contents h2")) {
      heading.hidden = !heading.nextElementSibling?.querySelector("li:not([hidden])");
    }
    const { length } = entries.filter(({ item }) => !item.hidden);
    result.textContent = stems.length === 0 ? "" : `${length} ${length === 1 ? "section" : "sections"}`;
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter" && input.value.trim() !== "") {
      entries.find(({ item }) => !item.hidden)?.link.click();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = (event.target as HTMLElement).closest("input, select, textarea");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    }
  });
}

/** A word without its ending, so that one number finds the other: allergy, allergies; limit, limits. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(ies|y|s)$/, "") : word;
}

function around(text: string, index: number): string {
  const start = Math.max(0, index - BEFORE);
  return `${start > 0 ? "…" : ""}${text.slice(start, index + AFTER).trim()}…`;
}
