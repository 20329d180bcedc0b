import { exists, hasEnded, idOf, isHeld, replaceEverywhere, THINGS, type Thing } from "./known-ids.ts";

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

const BUTTONS: Partial<Record<Need, string>> = {
  patient: "Create a patient first",
  thread: "Create a thread first",
  answer: "Ask the assistant first",
  webhook: "Create a webhook first",
  person: "Take over the thread first",
};

/**
 * Returns why a request would fail, and the name of the button that helps; there is none for what only the reader has.
 */
export function offerFor(need: Need, request: { method: string }): { why: string; button: string | undefined } {
  const why = whyOf(need);
  return {
    why: isCreatedAgain(need, request) ? `${why} Send does first what the button does.` : why,
    button: BUTTONS[need],
  };
}

function whyOf(need: Need): string {
  if (need === "person") {
    return "Nobody has taken over the thread.";
  }
  if (need === "receiver") {
    return "The URL is an example. Enter the address of your receiver.";
  }
  return hasEnded(need) ? "What had this ID was deleted." : "The ID is an example.";
}

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

/**
 * Whether sending creates what is needed by itself, because it ended on this page. Only what writes does so: to read or
 * delete what was deleted shows the 404.
 */
export function isCreatedAgain(need: Need, { method }: { method: string }): boolean {
  const mayCreate = method === "POST" || method === "PUT";
  if (need === "answer") {
    return mayCreate && (exists("thread") || hasEnded("thread"));
  }
  return mayCreate && need !== "person" && need !== "receiver" && (hasEnded(need) || (need === "thread" && isHeld()));
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
