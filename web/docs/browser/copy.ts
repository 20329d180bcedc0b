/** Adds a copy button to each sample. */
export function copyButtons(): void {
  for (const sample of document.querySelectorAll<HTMLElement>(".sample")) {
    const code = sample.querySelector("code");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.ariaLabel = `Copy ${sample.dataset.language}`;
    button.addEventListener("click", async () => {
      button.textContent = code && (await copy(code)) ? "Copied" : "Selected";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    sample.append(button);
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
