/** How much of a section is shown around a word that was found, in characters. */
const BEFORE = 30;
const AFTER = 60;

/**
 * Filters the table of contents by the sections that contain all words in the search field, and shows where. Enter opens
 * the first that has them in its title, or else the first; `/` focuses the field.
 */
export function bindSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#search-text");
  const result = document.querySelector("#search-result");
  const entries = [...document.querySelectorAll<HTMLAnchorElement>("#contents li a")].map((link) => {
    const snippet = document.createElement("span");
    snippet.className = "snippet";
    link.after(snippet);
    const section = document.querySelector(link.hash)?.closest("section");
    return { link, snippet, item: link.parentElement as HTMLElement, text: section ? textOf(section) : "" };
  });
  if (!input || !result) {
    return;
  }
  input.addEventListener("input", () => {
    const stems = stemsOf(input.value);
    for (const { link, item, snippet, text } of entries) {
      item.hidden = !has(`${link.textContent} ${text}`, stems);
      snippet.textContent = item.hidden || stems.length === 0 ? "" : around(text, stems);
    }
    for (const heading of document.querySelectorAll<HTMLElement>("#contents h2")) {
      heading.hidden = !heading.nextElementSibling?.querySelector("li:not([hidden])");
    }
    const { length } = entries.filter(({ item }) => !item.hidden);
    result.textContent = stems.length === 0 ? "" : `${length} ${length === 1 ? "section" : "sections"}`;
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter" && input.value.trim() !== "") {
      const found = entries.filter(({ item }) => !item.hidden);
      const inTitle = found.find(({ link }) => has(link.textContent, stemsOf(input.value)));
      (inTitle ?? found[0])?.link.click();
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

function stemsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean).map(stem);
}

function has(text: string, stems: string[]): boolean {
  const lower = text.toLowerCase();
  return stems.every((word) => lower.includes(word));
}

/** A word without its ending, so that one number finds the other: allergy, allergies; limit, limits. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(ies|y|s)$/, "") : word;
}

/** Returns what is around the word that is found last, which tends to be the one that says most. */
function around(text: string, stems: string[]): string {
  const lower = text.toLowerCase();
  const start = Math.max(0, Math.max(...stems.map((word) => lower.indexOf(word))) - BEFORE);
  return `${start > 0 ? "…" : ""}${text.slice(start, start + BEFORE + AFTER).trim()}…`;
}

/** Returns the text of a section without its title, with spaces where the page has lines. */
function textOf(section: Element): string {
  const copy = section.cloneNode(true) as Element;
  for (const part of copy.querySelectorAll("h3, .anchor, .endpoint, .skip")) {
    part.remove();
  }
  for (const part of copy.querySelectorAll("p, li, dt, dd, th, td, h4, pre, figcaption, summary, label, option")) {
    part.append(" ");
  }
  return (copy.textContent ?? "").replaceAll(/\s+/g, " ").trim();
}
