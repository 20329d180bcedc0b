/** Shows the samples in one language at a time, the same for all operations. */
export function chooseLanguage(): void {
  const groups = [...document.querySelectorAll<HTMLElement>(".samples")];
  const buttons: HTMLButtonElement[] = [];
  const choose = (language: string) => {
    for (const sample of document.querySelectorAll<HTMLElement>(".sample")) {
      sample.hidden = sample.dataset.language !== language;
    }
    for (const button of buttons) {
      button.ariaPressed = String(button.textContent === language);
    }
  };
  for (const group of groups) {
    const choice = document.createElement("div");
    choice.className = "buttons";
    choice.role = "group";
    choice.ariaLabel = "Language of the sample";
    for (const { dataset } of group.querySelectorAll<HTMLElement>(".sample")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = dataset.language ?? "";
      button.addEventListener("click", () => choose(button.textContent ?? ""));
      buttons.push(button);
      choice.append(button);
    }
    group.prepend(choice);
  }
  choose("curl");
}
