/**
 * Lets the menus, each of which has what is done rarely, close again: when something in them is chosen, and when the
 * focus or a click goes elsewhere.
 */
export function bindMenus(): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu")) {
    const summary = menu.querySelector("summary");
    const close = () => {
      menu.open = false;
    };
    const choose = ({ target }: Event) => {
      if ((target as HTMLElement).closest("button")) {
        summary?.focus(); // before a dialog opens, which gives the focus back
        close();
      }
    };
    menu.addEventListener("click", choose, { capture: true });
    menu.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") {
        close();
        summary?.focus();
      }
    });
    document.addEventListener("click", ({ target }) => menu.contains(target as Node) || close());
    menu.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !menu.contains(relatedTarget as Node)) {
        close();
      }
    });
  }
}
