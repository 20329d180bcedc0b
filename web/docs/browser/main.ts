import { fillInLocalKey } from "../../browser/local-service.ts";
import { bindTheme } from "../../browser/theme.ts";
import { copyButtons } from "./copy.ts";
import { highlightCode } from "./highlight.ts";
import { chooseExampleNumber, takeExampleIds } from "./known-ids.ts";
import { chooseLanguage } from "./languages.ts";
import { bindMenu, headingLinks, showPages } from "./navigation.ts";
import { chooseLocalReceiver } from "./needs.ts";
import { expandForPrint } from "./print.ts";
import { bindSearch } from "./search.ts";
import { bindTryForm } from "./try-it.ts";

/** The base URL is this page's URL without its name. */
const baseUrl = new URL(".", location.href).href.replace(/\/$/, "");

/** The base URL in the guides' commands, which is that of `npm start` without settings. */
const GUIDES_BASE_URL = "http://127.0.0.1:3000/v1";

const keyInput = document.querySelector<HTMLInputElement>("#api-key");

const shown = document.querySelector("#base-url");
if (shown) {
  shown.textContent = baseUrl;
}
for (const code of document.querySelectorAll("#start pre code, .guide pre code")) {
  code.textContent = (code.textContent ?? "").replaceAll(GUIDES_BASE_URL, baseUrl);
}
for (const part of document.querySelectorAll<HTMLElement>("#key-form, #key-help, form.try, #search, #menu, #theme")) {
  part.hidden = false;
}
document.querySelector("#key-form")?.addEventListener("submit", (event) => event.preventDefault());
takeExampleIds();
chooseExampleNumber();
for (const form of document.querySelectorAll<HTMLFormElement>("form.try")) {
  bindTryForm(form, baseUrl, () => keyInput?.value ?? "");
}
bindTheme();
bindMenu();
bindSearch();
headingLinks();
showPages();
chooseLanguage();
copyButtons();
highlightCode();
expandForPrint();
showPlayground();

/** `npm start` serves the playground, too, and tells this page the key. */
async function showPlayground(): Promise<void> {
  const link = document.querySelector<HTMLAnchorElement>("#playground");
  if (keyInput && link && (await fillInLocalKey(keyInput))) {
    chooseLocalReceiver();
    link.href = "/";
    link.hidden = false;
  }
}
