import { bindTryForm } from "./try-it.ts";

/** The base URL is where this page is, without its name. */
const baseUrl = new URL(".", location.href).href.replace(/\/$/, "");
const keyInput = document.querySelector<HTMLInputElement>("#api-key");

const shown = document.querySelector("#base-url");
if (shown) {
  shown.textContent = baseUrl;
}
for (const form of document.querySelectorAll<HTMLFormElement>("#key-form, form.try")) {
  form.hidden = false;
}
document.querySelector("#key-form")?.addEventListener("submit", (event) => event.preventDefault());
for (const form of document.querySelectorAll<HTMLFormElement>("form.try")) {
  bindTryForm(form, baseUrl, () => keyInput?.value ?? "");
}
