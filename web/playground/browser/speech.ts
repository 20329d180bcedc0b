import { byId } from "./elements.ts";

/** Tells people who use a screen reader, when what they hear now has ended. */
export function say(text: string): void {
  put("polite", text);
}

/** Tells them at once. */
export function interrupt(text: string): void {
  put("urgent", text);
}

/** Forgets what was said last. */
export function silence(): void {
  byId("polite").textContent = "";
  byId("urgent").textContent = "";
}

/** The same text twice in a row would not be heard again, so it is made another one. */
function put(id: string, text: string): void {
  const region = byId(id);
  region.textContent = region.textContent === text ? `${text} ` : text;
}
