/**
 * Copies an element's text to the clipboard, or selects it if the page has no clipboard access, such as without HTTPS.
 */
export async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
