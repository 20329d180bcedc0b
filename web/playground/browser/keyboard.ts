/** A keyboard is higher; what browsers show and hide by themselves is not. In CSS pixels. */
const LOWEST = 120;

/**
 * Lets the page end where a keyboard begins that covers it, as on iOS; others make the window smaller (the `viewport`
 * in `web/build.ts`). Then nothing scrolls away: neither the record nor whom to call.
 */
export function endAboveKeyboard(): void {
  visualViewport?.addEventListener("resize", ({ target }) => {
    const { height, scale } = target as VisualViewport;
    const isCovered = height * scale < innerHeight - LOWEST; // zooming in shows less, too
    document.body.style.height = isCovered ? `${height}px` : "";
    if (isCovered) {
      scrollTo(0, 0); // the browser has scrolled to the field
    }
  });
}
