import DOMPurify from "dompurify";
import { Marked } from "marked";
import { splitPhoneNumbers } from "../phone-numbers.ts";
import { create } from "./elements.ts";

/**
 * What answers may consist of. Links and images are left out: the address of either could carry what was said to
 * another site, and nobody has checked a link that a model wrote.
 */
const ALLOWED_TAGS = ["p", "br", "strong", "em", "del", "ul", "ol", "li", "blockquote", "code", "pre", "hr"].concat([
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
]);
const ALLOWED_ATTR = ["start"];

const marked = new Marked({
  async: false,
  renderer: {
    // Headings of answers are no headings of the page.
    heading({ tokens }) {
      return `<p><strong>${this.parser.parseInline(tokens)}</strong></p>`;
    },
    // HTML is text: an answer that contains a tag is talking about it.
    html({ text }) {
      return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    },
  },
});

/** The Markdown source of each block of a text: a paragraph, a list, a table. */
export function blocksOf(text: string): string[] {
  return marked.lexer(text).map(({ raw }) => raw);
}

/**
 * A model's answer, whose Markdown is untrusted, as sanitized elements with phone numbers as links. Each block is
 * written in the direction of its own text.
 */
export function markdown(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize((marked.parse(text) as string).trim(), {
    ALLOWED_TAGS,
    ALLOWED_ATTR,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const block of fragment.children) {
    block.setAttribute("dir", "auto"); // not what is in it: its text would no longer count for the block around it
  }
  for (const node of textsOf(fragment)) {
    const data = withoutBreaks(node);
    node.replaceWith(...(data === "" ? [] : withPhoneLinks(data, false)));
  }
  return fragment;
}

/** A text without the line breaks of the markup around lists and paragraphs, which are no lines of the answer. */
function withoutBreaks({ data, previousSibling, nextSibling }: Text): string {
  const isBlock = (node: Node | null) =>
    node !== null && /^(?:P|UL|OL|LI|PRE|BLOCKQUOTE|TABLE|HR)$/.test(node.nodeName);
  const from = isBlock(previousSibling) ? data.trimStart() : data;
  return isBlock(nextSibling) ? from.trimEnd() : from;
}

/** A text with its phone numbers as links. */
export function withPhoneLinks(text: string, isAlert: boolean): (string | HTMLElement)[] {
  return splitPhoneNumbers(text, isAlert).map((piece) => (piece.href ? link(piece.href, piece.text) : piece.text));
}

/** A link that calls a number. */
export function link(href: string, ...content: (string | Node)[]): HTMLAnchorElement {
  const element = create("a", "", ...content);
  element.href = href;
  return element;
}

/** All text nodes, listed before any of them is replaced. */
export function textsOf(root: Node): Text[] {
  const iterator = document.createNodeIterator(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = iterator.nextNode(); node; node = iterator.nextNode()) {
    nodes.push(node as Text);
  }
  return nodes;
}
