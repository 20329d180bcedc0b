/** How much of a section is shown around a word that was found, in characters. */
const BEFORE = 30;
const AFTER = 60;

/** What developers call things that have another name here. */
const SYNONYMS: ReadonlyMap<string, string[]> = new Map([
  ["sse", ["server-sent", "streaming"]],
  ["eventsource", ["server-sent", "streaming"]],
  ["hmac", ["signature"]],
  ["signing", ["signature"]],
  ["sdk", ["client libraries", "client library"]],
  ["library", ["client libraries"]],
  ["pagination", ["hasmore", "cursor"]],
  ["paginate", ["hasmore", "cursor"]],
  ["paging", ["hasmore", "cursor"]],
  ["rag", ["sources"]],
  ["gdpr", ["erase", "permanently deleted"]],
  ["throttling", ["rate limit"]],
  ["escalation", ["take over", "taken over"]],
  ["callback", ["webhook"]],
  ["conversation", ["thread"]],
  ["auth", ["api key"]],
]);

/** An entry of the table of contents, and the section that it leads to. */
interface Entry {
  /** Shown below the link. */
  snippet: HTMLElement;
  item: HTMLElement;
  /** Where the item is without a search. */
  list: Element;
  title: string;
  /** The method and path of an operation. */
  endpoint: string;
  text: string;
}

/**
 * Shows the sections with words that begin with those in the search field instead of the table of contents, and where
 * they do: first those with the words in their titles, then those with the words in method, path and title, then those
 * with one of them in their titles, then all others. Enter opens the first; `/`, Ctrl K and ⌘ K focus the field.
 */
export function bindSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#search-text");
  const count = document.querySelector("#search-result");
  const results = document.querySelector("#results");
  const entries = [...document.querySelectorAll<HTMLAnchorElement>("#contents li a")].map(entryOf);
  if (!input || !count || !results) {
    return;
  }
  input.addEventListener("input", () => {
    const patterns = patternsOf(input.value);
    for (const { item, list, snippet, text } of entries) {
      list.append(item);
      snippet.replaceChildren(...(patterns.length === 0 ? [] : marked(around(text, patterns), patterns)));
    }
    const all = patterns.length === 0 ? [] : ranked(entries, patterns);
    const some = all.length === 0 ? withSome(entries, patterns) : [];
    results.append(...[...all, ...some].map(({ item }) => item));
    document.querySelector("#contents")?.classList.toggle("searching", patterns.length > 0);
    count.textContent = patterns.length === 0 ? "" : summary(all.length, some.length);
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") {
      results.querySelector("a")?.click();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = (event.target as HTMLElement).closest("input, select, textarea");
    const withControl = event.ctrlKey || event.metaKey;
    if (withControl ? event.key === "k" : event.key === "/" && !isTyping) {
      event.preventDefault();
      if (!input.checkVisibility()) {
        document.querySelector<HTMLElement>("#menu")?.click();
      }
      input.focus();
    }
  });
}

function entryOf(link: HTMLAnchorElement): Entry {
  const snippet = document.createElement("span");
  snippet.className = "snippet";
  link.after(snippet);
  const item = link.parentElement as HTMLElement;
  const section = document.querySelector(link.hash)?.closest("section");
  return {
    snippet,
    item,
    list: item.parentElement as Element,
    title: link.textContent,
    endpoint: section?.querySelector(".endpoint")?.textContent ?? "",
    text: section ? textOf(section) : "",
  };
}

/** Returns the entries that have all words, the best first, and otherwise in the page's order. */
function ranked(entries: Entry[], patterns: RegExp[]): Entry[] {
  const rank = ({ title, endpoint }: Entry) => {
    const place = [title, `${endpoint} ${title}`].findIndex((text) => has(text, patterns));
    return place >= 0 ? place : has(title, patterns, "some") ? 2 : 3;
  };
  return entries
    .filter(({ title, endpoint, text }) => has(`${endpoint} ${title} ${text}`, patterns))
    .sort((one, other) => rank(one) - rank(other));
}

/** Returns the entries that have some of the words, those with the most first. */
function withSome(entries: Entry[], patterns: RegExp[]): Entry[] {
  const hits = ({ title, text }: Entry) => patterns.filter((pattern) => has(`${title} ${text}`, [pattern])).length;
  return entries.filter((entry) => hits(entry) > 0).sort((one, other) => hits(other) - hits(one));
}

function summary(all: number, some: number): string {
  if (all > 0) {
    return `${all} ${all === 1 ? "section" : "sections"}`;
  }
  return some > 0
    ? "No section has all of these words. These have some:"
    : "No section has this. Try the beginning of a word, a field such as allergies, a path such as /chat, a status such as 429, or an error's code.";
}

/** Returns a text in which the words that are found, each as a whole, are marked. */
function marked(text: string, patterns: RegExp[]): (string | HTMLElement)[] {
  const words = new RegExp(`((?:${patterns.map(({ source }) => source).join("|")})[\\p{L}\\p{N}]*)`, "iu");
  return text.split(words).map((piece) => {
    if (!words.test(piece)) {
      return piece;
    }
    const mark = document.createElement("mark");
    mark.textContent = piece;
    return mark;
  });
}

/**
 * Returns what finds each word of a search: for "cors", words such as "corsOrigin", but neither "records" nor
 * "correct".
 */
function patternsOf(text: string): RegExp[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean).map(patternOf);
}

/**
 * A word is found where one begins with it, and in its other number: allergy, allergies; limit, limits. What begins
 * with a sign, such as a path, is found anywhere.
 */
function patternOf(word: string): RegExp {
  const words = [word, ...(SYNONYMS.get(word) ?? [])];
  return new RegExp(words.map(sourceOf).join("|"), "u");
}

function sourceOf(word: string): string {
  const start = /^[\p{L}\p{N}]/u.test(word) ? "(?<![\\p{L}\\p{N}])" : "";
  const stem = word.length > 3 ? word.replace(/(ies|y|s)$/, "") : word;
  return `${start}(?:${escaped(word)}|${escaped(stem)}(?:ies|y|s)?(?![\\p{L}\\p{N}]))`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function has(text: string, patterns: RegExp[], howMany: "every" | "some" = "every"): boolean {
  const lower = text.toLowerCase();
  return patterns[howMany]((pattern) => pattern.test(lower));
}

/** Returns the whole words around the one that is found last, which tends to be the one that says most. */
function around(text: string, patterns: RegExp[]): string {
  const lower = text.toLowerCase();
  const start = Math.max(0, Math.max(...patterns.map((pattern) => lower.search(pattern))) - BEFORE);
  const end = start + BEFORE + AFTER;
  const excerpt = end < text.length ? `${text.slice(start, end).replace(/\s\S*$/, "")}…` : text.slice(start);
  return start > 0 ? excerpt.replace(/^\S*\s/, "…") : excerpt;
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
