import { expect } from "@jest/globals";
import { echo, type ModelReply, type ModelRequest } from "../helpers/model/scripted-model.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import type { TestService } from "../helpers/service/service.ts";
import type { Interval, PatientModel, ThreadModel } from "./reference.ts";
import type { SharedThread } from "./shared-history.ts";

export const GONE = "Thread not found or expired";
export const UNKNOWN_PATIENT = "00000000-0000-4000-8000-000000000000";

/** How the model treats a message, which says so itself. */
export type Fate = "answered" | "refused" | "cut" | "slow";

/** What all clients of one run have in common. */
export interface World {
  service: TestService;
  /** Milliseconds that a thread lives without a message. */
  idle: number;
  /** Every thread of this run and those before, by its id: ids are used again. */
  threads: Map<string, ThreadModel>;
  /** What the model was asked, by the message. */
  asked: Map<string, ModelRequest["messages"][]>;
  /** Threads that all clients use; a slot is filled again when its thread is gone. */
  slots: SharedThread[];
  shared: SharedThread[];
  /** Phone numbers that all clients try to register, and the ids that came of it. */
  phones: { phone: string; created: string[]; known: string[] }[];
  /** Requests whose outcome was compared with the model. */
  steps: number;
  /** For names, messages and numbers that no run has used before. */
  next(): number;
}

/** One client's own part of the model. */
export interface Client {
  name: string;
  threads: ThreadModel[];
  patients: PatientModel[];
}

/** A chat's end: the status, also of an error in mid-stream, and the body. */
export interface Ended {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what it must be is what commands say
  body: any;
  interval: Interval;
}

/** Has the model do what a message says, and note what it was asked. */
export function script(world: World): (request: ModelRequest) => ModelReply {
  return (request) => {
    const message = request.messages.at(-1)?.content ?? "";
    world.asked.set(message, [...(world.asked.get(message) ?? []), request.messages]);
    world.service.model.requests.length = 0; // nobody reads them here, and there are thousands
    const [, fate] = /^(answered|refused|cut|slow) /.exec(message) ? [0, message.split(" ")[0]] : [0, "answered"];
    switch (fate) {
      case "refused":
        return { status: 403 };
      case "cut":
        return { content: "one two three", breakAfter: request.stream ? 2 : 0 };
      case "slow":
        return { ...echo(request), beforeWord: () => new Promise((resolve) => setTimeout(resolve, 5)) };
      default:
        return echo(request);
    }
  };
}

/** A message that no other equals. */
export function message(world: World, client: Client, fate: Fate = "answered"): string {
  return `${fate} visit ${world.next()} of ${client.name}: when do you open?`;
}

export function answerTo(text: string): string {
  return `answer to: ${text}`;
}

/** Calls an endpoint, and notes between which times. */
export async function call(
  world: World,
  method: string,
  path: string,
  options: Parameters<TestService["call"]>[2] = {},
) {
  world.steps++;
  const start = Date.now();
  const reply = await world.service.call(method, path, options);
  return { ...reply, interval: { start, end: Date.now() } };
}

/** Sends a chat, as plain JSON or as a stream, whose texts must then be the response. */
export async function chat(
  world: World,
  body: Record<string, unknown>,
  { streamed = false, key }: { streamed?: boolean; key?: string | undefined } = {},
): Promise<Ended> {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  if (!streamed) {
    return call(world, "POST", "/chat", { body, headers });
  }
  world.steps++;
  const start = Date.now();
  const stream = await openStream(world.service, body, headers);
  if (!stream.headers.get("content-type")?.startsWith("text/event-stream")) {
    const status = stream.status;
    const error = status === 404 ? GONE : "Failed to process chat request";
    return { status, body: { success: false, error }, interval: { start, end: Date.now() } };
  }
  const events = await stream.rest();
  const interval = { start, end: Date.now() };
  const last = events.at(-1);
  if (last?.event === "error") {
    return { status: last.data.error === GONE ? 404 : 500, body: last.data, interval };
  }
  expect(last?.event).toBe("done");
  expect(textOf(events)).toBe(last?.data.response);
  return { status: 200, body: last?.data, interval };
}

/** The last request that the model got for a message: the record, and the earlier messages. */
export function lastAsked(world: World, text: string): { system: string; context: ModelRequest["messages"] } {
  const messages = world.asked.get(text)?.at(-1) ?? [];
  return { system: messages[0]?.content ?? "", context: messages.slice(1, -1) };
}

/** The model was given this patient's record, or none, and never another one's. */
export function expectRecord(system: string, patient: PatientModel | undefined): void {
  expect(system.match(/condition-\d+/g) ?? []).toEqual(patient ? [patient.condition] : []);
}

const NOTATIONS = [
  (n: string) => `+${n}`,
  (n: string) => n,
  (n: string) => n.slice(1),
  (n: string) => `(${n.slice(1, 4)}) ${n.slice(4, 7)}-${n.slice(7)}`,
  (n: string) => `${n.slice(1, 4)}.${n.slice(4, 7)}.${n.slice(7)}`,
  (n: string) => `1-${n.slice(1, 4)}-${n.slice(4, 7)}-${n.slice(7)}`,
];

/** One of the ways to write a phone number of 11 digits. */
export function notation(phone: string, way: number): string {
  return NOTATIONS[way % NOTATIONS.length]?.(phone) ?? phone;
}

export function newPhone(world: World): string {
  return `1${2_000_000_000 + world.next()}`;
}
