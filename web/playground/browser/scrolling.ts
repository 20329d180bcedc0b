import { byId } from "./elements.ts";

/** What remains between a message that was scrolled to and the edge, in CSS pixels. */
const EDGE = 8;

/** How far from the end the reader may be and still read there, in CSS pixels. */
const NEAR = 48;

/** Whether the reader is at the end of the conversation, as of when it was scrolled last. */
let isAtEnd = true;

/** Scrolls the conversation, and not the page, until a message's beginning or end is in view. */
export function scrollTo(element: HTMLElement, edge: "start" | "end"): void {
  const log = byId("conversation");
  const { top, bottom } = element.getBoundingClientRect();
  const view = log.getBoundingClientRect();
  log.scrollTop += edge === "start" ? top - view.top - EDGE : bottom - view.bottom + EDGE;
  note();
}

/** Scrolls to a message's end if the reader is at the end of the conversation. Who reads further up is left in peace. */
export function follow(element: HTMLElement): void {
  if (isAtEnd) {
    scrollTo(element, "end");
  } else {
    note();
  }
}

/** Offers the way to the end while the reader is not there. */
export function bindScrolling(): void {
  const log = byId("conversation");
  log.addEventListener("scroll", note, { passive: true });
  new ResizeObserver(() => (isAtEnd ? toEnd() : note())).observe(log); // a keyboard takes room from it
  new MutationObserver(note).observe(log, { childList: true });
  byId("to-end").addEventListener("click", () => {
    toEnd();
    log.focus({ preventScroll: true }); // the button is gone
  });
}

function toEnd(): void {
  const log = byId("conversation");
  log.scrollTop = log.scrollHeight;
  note();
}

/** Notes how far from its end the conversation is: it was scrolled, or has grown. */
export function note(): void {
  const log = byId("conversation");
  const below = log.scrollHeight - log.scrollTop - log.clientHeight;
  byId("to-end").hidden = below < NEAR;
  isAtEnd = below < NEAR;
}
