import { expect } from "@jest/globals";
import { THREAD_GONE } from "../../shared/threads/thread.ts";
import { echo, type ModelReply, type ModelRequest, withoutMarkers } from "../helpers/model/scripted-model.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import type { CallOptions, TestService } from "../helpers/service/service.ts";
import { expectPassages, type SourceWrite } from "./sources.ts";
import type { Desk, Interval, Message, Patient, Thread } from "./thread.ts";

export const GONE = THREAD_GONE.error;
export const FAILED = { success: false, error: "Failed to process chat request" };

/** How the model treats a message, which says so itself. */
export type Fate = "answered" | "refused" | "cut" | "slow";

/** What all clients of one run have in common. */
export interface World {
  service: TestService;
  /** Milliseconds that a thread lives without a message. */
  idle: number;
  tenants: Tenant[];
  /** What the model was asked, by the message. */
  asked: Map<string, ModelRequest["messages"][]>;
  /** Requests whose outcome was compared with the model. */
  steps: number;
  /** For messages and numbers that no run has used before. */
  next(): number;
}

/** What the clients of one tenant have in common. To other tenants, nothing of it exists. */
export interface Tenant {
  /** Stands in everything that its clients store and send. */
  name: string;
  /** Every thread, by its id; ids are used again. */
  threads: Map<string, Thread>;
  /** The ids of all patients. */
  patients: string[];
  /** Threads that all clients use; one that has gone is replaced. */
  shared: (Thread | undefined)[];
  /** All writes of each source, by its id. */
  sources: Map<string, SourceWrite[]>;
  /** Phone numbers that all clients of all tenants try to register, and the ids that came of it here. */
  phones: { phone: string; created: string[]; known: string[] }[];
}

/** One client's own part of the model. */
export interface Client {
  name: string;
  /** Its API key. */
  key: string;
  world: World;
  tenant: Tenant;
  threads: Thread[];
  patients: Patient[];
  desks: Desk[];
}

/** A response, or a chat's end: the status, also of an error in mid-stream, and the body. */
export interface Ended {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what it must be is what commands say
  body: any;
  interval: Interval;
}

/** Has the model do what a message says, and notes what it was asked. */
export function script(world: World): (request: ModelRequest) => ModelReply {
  return (request) => {
    const message = request.messages.at(-1)?.content ?? "";
    world.asked.set(message, [...(world.asked.get(message) ?? []), request.messages]);
    world.service.model.requests.length = 0; // nobody reads them here, and there are thousands
    switch (message.split(" ")[0]) {
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

/** A message that no other equals. Its number is no temperature: the safety screen would suspect an infection. */
export function message({ name, world }: Client, fate: Fate = "answered"): string {
  return `${fate} invoice ${10_000 + world.next()} of ${name}: when do you open?`;
}

export function answerTo(text: string): string {
  return `answer to: ${text}`;
}

/** Calls an endpoint, notes between which times, and expects nothing of other tenants in the response. */
export async function call(client: Client, method: string, path: string, options: CallOptions = {}) {
  client.world.steps++;
  const start = Date.now();
  const reply = await client.world.service.call(method, path, { key: client.key, ...options });
  expectOnly(client, reply.body);
  return { ...reply, interval: { start, end: Date.now() } };
}

/** Sends a chat, as plain JSON or as a stream, whose texts must then be the response. */
export async function chat(
  client: Client,
  body: { message: string; [field: string]: unknown },
  options: ChatTransport = {},
): Promise<Ended> {
  const ended = await sendChat(client, body, options);
  const prompt = client.world.asked.get(body.message)?.at(-1);
  if (prompt && options.key === undefined) {
    const system = prompt.filter(({ role }) => role === "system").map(({ content }) => content);
    expectOnly(client, prompt);
    expectPassages(client.tenant, system.join("\n"), ended.interval); // with a key, an earlier request may have asked
  }
  return ended;
}

interface ChatTransport {
  streamed?: boolean;
  key?: string | undefined;
}

async function sendChat(
  client: Client,
  body: Record<string, unknown>,
  { streamed = false, key }: ChatTransport,
): Promise<Ended> {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  if (!streamed) {
    return call(client, "POST", "/chat", { body, headers });
  }
  client.world.steps++;
  const start = Date.now();
  const stream = await openStream(client.world.service, body, { "x-api-key": client.key, ...headers });
  if (!stream.headers.get("content-type")?.startsWith("text/event-stream")) {
    const { status } = stream;
    const failure = status === 404 ? { success: false, error: GONE } : FAILED;
    return { status, body: failure, interval: { start, end: Date.now() } };
  }
  const events = await stream.rest();
  const interval = { start, end: Date.now() };
  expectOnly(client, events);
  const last = events.at(-1);
  if (last?.event === "error") {
    const { code, help, ...body } = last.data; // without a stream, they are in headers
    expect(help.emergencyNumber).toBe("911");
    expect(code).toBe(body.error === GONE ? "thread-not-found" : "internal-error");
    return { status: body.error === GONE ? 404 : 500, body, interval };
  }
  expect(last?.event).toBe("done");
  expect(textOf(events)).toBe(last?.data.response);
  return { status: 200, body: last?.data, interval };
}

/** Nothing that a client receives, or that the model is given for it, is of another tenant. */
function expectOnly({ tenant, world: { tenants } }: Client, received: unknown): void {
  const text = JSON.stringify(received);
  expect(tenants.filter((other) => other !== tenant && text?.includes(other.name))).toEqual([]);
}

/** The last request that the model got for a message: the record, and the earlier messages. */
export function lastAsked({ world }: Client, text: string): { system: string; context: Message[] } {
  const messages = withoutMarkers(world.asked.get(text)?.at(-1) ?? []);
  const said = messages.filter(({ role }) => role !== "system"); // the clinic's sources are a second system message
  return { system: messages[0]?.content ?? "", context: said.slice(0, -1) };
}

/** The model was given this patient's record, or none, and never another one's. */
export function expectRecord(system: string, patient: Patient | undefined): void {
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
