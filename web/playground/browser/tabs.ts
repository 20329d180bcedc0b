import { byId } from "./elements.ts";

/**
 * Lets a list of tabs show one of their panels each (ARIA Authoring Practices Guide, "Tabs with automatic activation"):
 * clicks and the arrow keys choose.
 */
export function bindTabs(list: HTMLElement): void {
  const tabs = [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')];
  const choose = (chosen: HTMLButtonElement) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls") ?? "").hidden = tab !== chosen;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      const next = step && tabs[(index + step + tabs.length) % tabs.length];
      if (next) {
        next.focus();
        choose(next);
      }
    });
  }
}
