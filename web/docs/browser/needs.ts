import { exists, idOf, isHeld, replaceEverywhere, THINGS, type Thing } from "./known-ids.ts";

/** What a form's request needs and the page knows to be missing. */
export type Need = Thing | "person" | "receiver";

/** A request that creates what another one needs. */
export interface Creation {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The address in the example of a webhook. */
const EXAMPLE_RECEIVER = "https://clinic.example.com/hooks/assistant";

/** The address of the receivers in the guide, when they run on this machine. */
const LOCAL_RECEIVER = "http://127.0.0.1:4000/";

const EXAMPLE_ID = "The ID is an example.";

/** Why a request would fail, and the name of the button that helps; there is none for what only the reader has. */
export const OFFERS: Record<Need, { why: string; button?: string }> = {
  patient: { why: EXAMPLE_ID, button: "Create a patient first" },
  thread: { why: EXAMPLE_ID, button: "Create a thread first" },
  answer: { why: EXAMPLE_ID, button: "Ask the assistant first" },
  webhook: { why: EXAMPLE_ID, button: "Create a webhook first" },
  person: { why: "Nobody has taken over the thread.", button: "Take over the thread first" },
  receiver: { why: "The URL is an example. Enter the address of your receiver." },
};

/** Returns what a request needs first; undefined if nothing is missing. */
export function needOf({
  method,
  path,
  body = "",
}: {
  method: string;
  path: string;
  body?: string | undefined;
}): Need | undefined {
  const missing = THINGS.find((thing) => {
    const id = idOf(thing);
    return id !== "" && !exists(thing) && (path.includes(id) || body.includes(id));
  });
  if (missing === "answer" && isHeld()) {
    return "thread"; // in which the assistant answers
  }
  if (missing) {
    return missing;
  }
  if (method === "POST" && path === `/threads/${idOf("thread")}/messages` && !isHeld()) {
    return "person";
  }
  return path === "/webhooks" && body.includes(EXAMPLE_RECEIVER) ? "receiver" : undefined;
}

/** Returns the request that creates what is needed. A webhook is created as the form for it says. */
export function creationOf(need: Need): Creation | undefined {
  const thread = idOf("thread");
  const webhook = document.querySelector<HTMLTextAreaElement>('form[data-path="/webhooks"] textarea')?.value;
  // Age and gender make an opening question unnecessary.
  const requests: Partial<Record<Need, [path: string, body: string | undefined, method?: string]>> = {
    patient: ["/patients", '{"name":"Maria Example","age":34,"gender":"female"}'],
    thread: ["/threads", "{}"],
    answer: ["/chat", JSON.stringify({ message: "Can I take ibuprofen?", threadId: thread, include: ["ids"] })],
    person: [`/threads/${thread}/handoff`, "{}", "PUT"],
    webhook: ["/webhooks", webhook],
  };
  const [path, body, method = "POST"] = requests[need] ?? [];
  return path !== undefined && body !== undefined
    ? { method, path, headers: { "Content-Type": "application/json" }, body }
    : undefined;
}

/** Puts an address of this machine into the example of a webhook, to which only a local service sends. */
export function chooseLocalReceiver(): void {
  replaceEverywhere((text) => text.replaceAll(EXAMPLE_RECEIVER, LOCAL_RECEIVER));
}
