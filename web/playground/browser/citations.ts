import type { ChatResult } from "../../../packages/client/client.js";
import { button, create } from "./elements.ts";
import { link, markdown, textsOf } from "./markdown.ts";
import { scrollTo } from "./scrolling.ts";

export type Citation = NonNullable<ChatResult["citations"]>[number];

/** Of a passage, in the words of the answer. */
const MARKER = /(\[\d{1,3}\])/;

/**
 * Lists the passages of the clinic's own information that an answer cites, below its words. Each opens from the list,
 * and from its markers in the words, which become buttons.
 *
 * @param answer what has the words
 */
export function addCitations(citations: readonly Citation[], answer: HTMLElement): void {
  const words = [...answer.querySelectorAll(".text")];
  const entries = new Map(citations.map((citation) => [`[${citation.number}]`, entry(citation)]));
  for (const each of words) {
    linkMarkers(each, entries);
  }
  if (entries.size > 0) {
    words.at(-1)?.after(create("div", "sources", create("p", "speaker", "Sources"), ...entries.values()));
  }
}

function entry({ number, title, quote, url }: Citation): HTMLDetailsElement {
  const summary = create("summary", "", `[${number}] `, create("bdi", "", title));
  const details = create("details", "", summary, create("blockquote", "", markdown(quote)));
  if (url) {
    const source = link(url, url);
    source.target = "_blank";
    source.rel = "noreferrer";
    details.append(create("p", "", source));
  }
  return details;
}

function linkMarkers(words: Element, entries: Map<string, HTMLDetailsElement>): void {
  for (const node of textsOf(words)) {
    const pieces = node.data.split(MARKER).map((piece) => {
      const cited = entries.get(piece);
      return cited ? opener(piece, cited) : piece;
    });
    node.replaceWith(...pieces);
  }
}

function opener(marker: string, cited: HTMLDetailsElement): HTMLElement {
  const element = button(marker, () => {
    cited.open = true;
    scrollTo(cited, "end");
    cited.querySelector("summary")?.focus({ preventScroll: true });
  });
  element.className = "marker";
  element.setAttribute("aria-label", `Source ${marker}`);
  return element;
}
