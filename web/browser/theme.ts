/**
 * Lets the reader choose between light and dark; the system setting is the default. The choice is stored in the
 * browser. The button is named after what it does.
 */
export function bindTheme(): void {
  const button = document.querySelector<HTMLButtonElement>("#theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const { dataset } = document.documentElement;
  const kept = read();
  if (kept === "dark" || kept === "light") {
    dataset.theme = kept;
  }
  const isDark = () => (dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    if (button) {
      button.textContent = isDark() ? "Light mode" : "Dark mode";
    }
  };
  button?.addEventListener("click", () => {
    dataset.theme = isDark() ? "light" : "dark";
    write(dataset.theme);
    show();
  });
  system.addEventListener("change", show);
  show();
}

function read(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // storage is disabled
  }
}

function write(theme: string): void {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // storage is disabled: the choice lasts as long as the page
  }
}
