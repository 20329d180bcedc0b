/** Expands all collapsed elements while the page is printed. */
export function expandForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  matchMedia("print").addEventListener("change", ({ matches }) => {
    if (matches) {
      opened = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    }
    for (const details of opened) {
      details.open = matches;
    }
  });
}
