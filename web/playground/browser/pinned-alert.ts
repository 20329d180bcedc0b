import { byId } from "./elements.ts";

/** What is left below the last message at the end of the conversation, in CSS pixels. */
const MARGIN = 40;

/** Of the button: its edges may be between two pixels. */
const VISIBLE = 0.9;

/**
 * Keeps whom to call in view: while the call button of the conversation's last alert is not, a line above the messages
 * has it.
 */
export function pinAlert(): void {
  const log = byId("conversation");
  const line = byId("pinned");
  let watched: Element | undefined;
  const show = (isNeeded: boolean) => {
    if (line.hidden !== isNeeded) {
      return;
    }
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < MARGIN;
    line.hidden = !isNeeded;
    if (isAtEnd) {
      log.scrollTop = log.scrollHeight; // the line takes room from the messages
    }
  };
  const observer = new IntersectionObserver((entries) => show((entries.at(-1)?.intersectionRatio ?? 1) < VISIBLE), {
    root: log,
    threshold: VISIBLE,
  });
  const watch = () => {
    const call = [...log.querySelectorAll(".alert .call")].at(-1);
    if (call === watched) {
      return;
    }
    watched = call;
    observer.disconnect();
    show(false);
    if (call) {
      const alert = call.closest(".alert");
      line.className = alert?.className ?? "";
      line.replaceChildren(...[alert?.querySelector(".label"), call].flatMap((part) => part?.cloneNode(true) ?? []));
      observer.observe(call);
    }
  };
  new MutationObserver(watch).observe(log, { childList: true, subtree: true });
}
