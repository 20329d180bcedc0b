/**
 * Copies an element's text to the clipboard, or shows and selects it if the page has no clipboard access, such as
 * without HTTPS.
 *
 * @returns whether it was copied
 */
export async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    return true;
  } catch {
    element.hidden = false;
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
