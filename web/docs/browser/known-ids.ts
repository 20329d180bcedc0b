import { highlightCode } from "./highlight.ts";

/** The ids in the examples and, once a form has created a patient or a thread, the real ones that replace them. */
const current: Record<"patient" | "thread", string> = { patient: "", thread: "" };

/** Reads the example ids from the forms of the two operations that read by id. */
export function takeExampleIds(): void {
  for (const [name, path] of [
    ["patient", "/patients/{id}"],
    ["thread", "/threads/{id}"],
  ] as const) {
    current[name] =
      document.querySelector<HTMLInputElement>(`form[data-path="${path}"] input[name=path]`)?.defaultValue ?? "";
  }
}

/** Copies the ids in a response to all forms and samples. */
export function carryOver(response: { patient?: { id?: string }; threadId?: string }): void {
  replaceEverywhere("patient", response.patient?.id);
  replaceEverywhere("thread", response.threadId);
}

function replaceEverywhere(name: "patient" | "thread", id: string | undefined): void {
  const previous = current[name];
  if (!id || id === previous) {
    return;
  }
  current[name] = id;
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLOptionElement>(
    "form.try input[name=path], form.try textarea, form.try option",
  )) {
    field.value = field.value.replaceAll(previous, id);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (const code of document.querySelectorAll(".sample code")) {
    code.textContent = code.textContent?.replaceAll(previous, id) ?? "";
  }
  highlightCode();
}
