import { byId, create } from "./elements.ts";

/** What is left below the last message at the end of the conversation, in CSS pixels. */
const MARGIN = 40;

/** Of the button: its edges may be between two pixels. */
const VISIBLE = 0.9;

/**
 * Keeps whom to call in view: the last call button for each number has a line above the messages while it is not in
 * view itself. A crisis after an emergency does not take the emergency's number away.
 */
export function pinAlert(): void {
  const log = byId("conversation");
  const lines = byId("pinned");
  /** The last call button for each number, and whether it is in view. */
  let calls = new Map<Element, boolean>();
  let shown: Element[] = [];
  const show = () => {
    const outOfView = [...calls].filter(([, isInView]) => !isInView).map(([call]) => call);
    if (isSame(outOfView, shown)) {
      return;
    }
    shown = outOfView;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < MARGIN;
    lines.hidden = shown.length === 0;
    lines.replaceChildren(...shown.map(lineOf));
    if (isAtEnd) {
      log.scrollTop = log.scrollHeight; // the lines take room from the messages
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries.filter((entry) => calls.has(entry.target))) {
        calls.set(target, intersectionRatio >= VISIBLE);
      }
      show();
    },
    { root: log, threshold: VISIBLE },
  );
  const watch = () => {
    const last = new Map([...log.querySelectorAll(".alert .call")].map((call) => [call.textContent, call]));
    if (isSame([...last.values()], [...calls.keys()])) {
      return;
    }
    observer.disconnect();
    calls = new Map([...last.values()].map((call) => [call, true])); // until the observer tells
    for (const call of calls.keys()) {
      observer.observe(call);
    }
    if (calls.size === 0) {
      show();
    }
  };
  new MutationObserver(watch).observe(log, { childList: true, subtree: true });
}

function isSame(some: readonly Element[], others: readonly Element[]): boolean {
  return some.length === others.length && some.every((element, index) => element === others[index]);
}

/** The label of a call button's alert, and the button. */
function lineOf(call: Element): HTMLElement {
  const alert = call.closest(".alert");
  const line = create("div", alert?.className ?? "");
  line.append(...[alert?.querySelector(".label"), call].flatMap((part) => part?.cloneNode(true) ?? []));
  return line;
}
