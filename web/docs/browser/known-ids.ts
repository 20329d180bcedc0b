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

/** The ids that exist, as far as this page knows. */
const existing = new Set<string>();

/** Returns what a request names that is only an example, or is gone; undefined if there is nothing to be created. */
export function missingFor({
  path,
  body = "",
}: {
  path: string;
  body?: string | undefined;
}): "patient" | "thread" | undefined {
  return (["patient", "thread"] as const).find((name) => {
    const id = current[name];
    return id !== "" && !existing.has(id) && (path.includes(id) || body.includes(id));
  });
}

/** Notes that what had an id was deleted; the forms offer to create another. */
export function forget(id: string): void {
  existing.delete(id);
  refreshForms();
}

function refreshForms(): void {
  for (const form of document.querySelectorAll("form.try")) {
    form.dispatchEvent(new Event("input"));
  }
}

/** Copies the ids in a response to all forms and samples. */
export function carryOver(response: { patient?: { id?: string }; threadId?: string }): void {
  for (const id of [response.patient?.id, response.threadId]) {
    if (id) {
      existing.add(id);
    }
  }
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
  }
  refreshForms();
  for (const code of document.querySelectorAll(".sample code")) {
    code.textContent = code.textContent?.replaceAll(previous, id) ?? "";
  }
  highlightCode();
}
