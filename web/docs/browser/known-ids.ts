import { highlightCode } from "./highlight.ts";

/** What the examples name, and a form can create. */
export type Thing = "patient" | "thread" | "answer" | "webhook";

/** The path of an operation with the thing's id, and the name of the id in it. */
const PLACES: Record<Thing, [path: string, name: string]> = {
  patient: ["/patients/{id}", "id"],
  thread: ["/threads/{id}", "id"],
  answer: ["/threads/{id}/messages/{messageId}/feedback", "messageId"],
  webhook: ["/webhooks/{id}", "id"],
};

export const THINGS = Object.keys(PLACES) as Thing[];

/** The number of the examples' patient, in all its notations. */
const PHONE_NUMBER = /555(\) |\.)123([-.])4567/g;

/** The ids in the examples and, once a form has created something, the real ones that replace them. */
const current: Record<Thing, string> = { patient: "", thread: "", answer: "", webhook: "" };

/** The ids that exist, as far as this page knows. */
const existing = new Set<string>();

/** The ids that this page has seen end. */
const ended = new Set<string>();

/** The threads that a person has taken over, as far as this page knows. */
const held = new Set<string>();

/** The parts of a response that say what exists now. */
export interface Result {
  patient?: { id?: string };
  threadId?: string;
  ids?: { assistant?: string };
  /** Newest first. */
  messages?: { id: string; role: string }[];
  webhook?: { id?: string };
  hold?: object | null;
  error?: string;
  /** The invalid fields, of a 400. */
  details?: { path: string }[];
}

/** Reads the example ids from the forms of the operations that have them in their paths. */
export function takeExampleIds(): void {
  for (const thing of THINGS) {
    const [path, name] = PLACES[thing];
    const input = `form[data-path="${path}"] input[name=path][data-name="${name}"]`;
    current[thing] = document.querySelector<HTMLInputElement>(input)?.defaultValue ?? "";
  }
}

/**
 * Gives the examples' patient a phone number of this page's own, so that creating the patient also succeeds for the
 * next visitor. Numbers of the form 555-01xx are reserved for fiction.
 */
export function chooseExampleNumber(): void {
  const area = 200 + Math.floor(Math.random() * 800);
  const line = `01${Math.floor(Math.random() * 100)
    .toString()
    .padStart(2, "0")}`;
  replaceEverywhere((text) => text.replaceAll(PHONE_NUMBER, `${area}$1555$2${line}`));
}

/** Returns the current id of a thing: an example, or a real one. */
export function idOf(thing: Thing): string {
  return current[thing];
}

/** Whether the thing with the current id exists. */
export function exists(thing: Thing): boolean {
  return existing.has(current[thing]);
}

/** Whether the thing with the current id existed and was deleted. */
export function hasEnded(thing: Thing): boolean {
  return ended.has(current[thing]);
}

/** Whether a person has taken over the current thread. */
export function isHeld(): boolean {
  return held.has(current.thread);
}

/** Notes that what had an id was deleted, and a patient's threads with it; the forms offer to create another. */
export function forget(id: string): void {
  for (const each of id === current.patient ? [id, current.thread] : [id]) {
    ended.add(each);
    existing.delete(each);
  }
  refreshForms();
}

/** Copies the ids in the response to a request to all forms and samples, and notes who answers on the thread. */
export function learn(path: string, response: Result): void {
  const [, threadId = "", place] = /^\/threads\/([^/?]+)\/(handoff|messages)(?:\?|$)/.exec(path) ?? [];
  if (place === "handoff" && response.hold !== undefined) {
    held[response.hold === null ? "delete" : "add"](threadId);
  }
  const listed = place === "messages" && threadId === current.thread ? response.messages : undefined;
  carryOver({
    patient: response.patient?.id,
    thread: response.threadId,
    answer: response.ids?.assistant ?? listed?.find(({ role }) => role === "assistant")?.id,
    webhook: response.webhook?.id,
  });
}

function carryOver(ids: Record<Thing, string | undefined>): void {
  if (ids.thread && ids.thread !== current.thread) {
    existing.delete(current.answer); // which is in another thread
  }
  for (const thing of THINGS) {
    const id = ids[thing];
    const previous = current[thing];
    if (id) {
      existing.add(id);
      current[thing] = id;
    }
    if (id && previous && id !== previous) {
      replaceEverywhere((text) => text.replaceAll(previous, id));
    }
  }
  refreshForms();
}

function refreshForms(): void {
  for (const form of document.querySelectorAll("form.try")) {
    form.dispatchEvent(new Event("input"));
  }
}

/** Changes a text in all forms and samples. */
export function replaceEverywhere(change: (text: string) => string): void {
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLOptionElement>(
    "form.try input[name=path], form.try textarea, form.try option",
  )) {
    field.value = change(field.value);
  }
  for (const code of document.querySelectorAll(".sample code")) {
    code.textContent = change(code.textContent ?? "");
  }
  highlightCode();
  refreshForms();
}
