import { copy } from "../../browser/copy.ts";

/** Adds a copy button to the code of the guides, and to each operation's samples and response. */
export function copyButtons(): void {
  for (const code of document.querySelectorAll<HTMLElement>(":is(#start, .guide, .samples, .result) pre code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.ariaLabel = `Copy ${code.closest<HTMLElement>(".sample")?.dataset.language ?? (code.closest(".result") ? "the response" : "the code")}`;
    button.addEventListener("click", async () => {
      button.textContent = (await copy(code)) ? "Copied" : "Selected";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    code.before(button);
  }
}
