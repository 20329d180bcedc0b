/** Adds a copy button to the code of the guides and samples. */
export function copyButtons(): void {
  for (const code of document.querySelectorAll<HTMLElement>(":is(#start, .guide, .samples) pre code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.ariaLabel = `Copy ${code.closest<HTMLElement>(".sample")?.dataset.language ?? "the code"}`;
    button.addEventListener("click", async () => {
      button.textContent = (await copy(code)) ? "Copied" : "Selected";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    code.before(button);
  }
}

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
