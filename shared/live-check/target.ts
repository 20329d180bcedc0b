import { randomUUID } from "node:crypto";
import { contents } from "../openapi/contents.ts";
import { Contract } from "./contract.ts";
import { differences, type Expected } from "./expected.ts";
import { SHORT, SyntheticPatient, WHOLE } from "./synthetic-patient.ts";

const TIMEOUT_MILLISECONDS = 35_000;

/** Error thrown when a response deviates from the contract. The message reveals no contents of a body. */
export class Deviation extends Error {}

export interface TargetOptions {
  baseUrl: string;
  apiKey: string;
  /** Stops the check. What it created is still deleted. */
  signal?: AbortSignal;
  fetch?: typeof globalThis.fetch;
}

/** A response that has been read completely. */
interface Reply {
  status: number;
  headers: Headers;
  /** Parsed JSON, or the events of a stream; the text of anything else. */
  // biome-ignore lint/suspicious/noExplicitAny: its schema has been checked
  body: any;
}

/** What a request has besides the method and the path, and what its response has besides the status and the body. */
interface Exchange {
  body?: unknown;
  /** The body as it is sent, where it is not JSON. */
  text?: string;
  /** They replace those that every request has; null for none. */
  headers?: Record<string, string | null>;
  /** The gateway's own responses have a request ID of their own. */
  from?: "gateway";
  /** The response is the stored one of the first request with this Idempotency-Key. */
  replayed?: true;
  /** The response is the same for everybody, so it may be cached. */
  published?: true;
  /** Whether the response contains text by a model. */
  marked?: boolean;
}

/** A message of a thread. */
interface Said {
  role: "user" | "assistant";
  content: string;
  /** The model that wrote it, according to the header of the answer. */
  model: string | null;
}

/** What is known about a thread that the check created. */
export interface KnownThread {
  threadId: string;
  patientId: string;
  /** The newest first. */
  messages: Said[];
}

/** What the first rule that needs it creates, so that any selection of rules can be played. */
interface Fixtures {
  /** The patient with a whole record. */
  patientId?: string;
  /** The imported patient. */
  importedId?: string;
  /** The patient that is corrected and erased, and the response to its creation. */
  erasableId?: string;
  created?: unknown;
  /** The thread that rules chat on, and the response to the first chat. */
  thread?: KnownThread;
  answer?: unknown;
}

/** Validates every response against the OpenAPI document of this version. */
const contract = new Contract(contents);

/** The service under check: sends requests, and verifies the responses against the contract. */
export class Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  fixtures: Fixtures = {};
  /** The paths of threads and patients that this run created and has not deleted yet. */
  owned = new Set<string>();
  /** Whether any request got a response. */
  reached = false;
  /** The patients that this run may create. */
  readonly patient = new SyntheticPatient(WHOLE);
  readonly erasable = new SyntheticPatient(SHORT);

  private readonly fetch: typeof globalThis.fetch;
  private readonly signal: AbortSignal | undefined;
  private readonly runId = randomUUID();
  private rule = 0;
  private requests = 0;

  constructor({ baseUrl, apiKey, signal, fetch = globalThis.fetch }: TargetOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.apiKey = apiKey;
    this.signal = signal;
    this.fetch = fetch;
  }

  /** Sets the rule that the following requests are identified by in the service's logs. */
  begin(rule: number): void {
    this.rule = rule;
    this.requests = 0;
  }

  /** An Idempotency-Key that no other run uses. */
  idempotencyKey(name: string): { "idempotency-key": string } {
    return { "idempotency-key": `live-check-${this.runId}-${name}` };
  }

  /**
   * Sends a request, and verifies the response's status, headers and body against the contract.
   *
   * @param request the method and the path, such as `GET /threads/12345`
   * @throws Deviation; whatever `fetch` throws
   */
  async expect(request: string, status: number, body: Expected, exchange: Exchange = {}): Promise<Reply> {
    const requestId = `live-check-${this.runId.slice(0, 8)}-${this.rule}.${++this.requests}`;
    const sent = { "x-request-id": requestId, ...exchange.headers };
    const reply = await this.send(request, { ...exchange, headers: sent }, this.signal);
    const faults =
      reply.status === status
        ? [...headerFaults(reply, sent, exchange), ...differences(body, reply.body), ...this.violation(request, reply)]
        : [`expected status ${status}; got ${reply.status}`];
    if (faults.length > 0) {
      throw new Deviation(`${faults.join("; ")} (x-request-id: ${requestId})`);
    }
    return reply;
  }

  /** Deletes the threads and patients that this run has not deleted, even after an abort. Failures are ignored. */
  async deleteLeftovers(): Promise<void> {
    for (const path of [...this.owned].reverse()) {
      await this.send(`DELETE ${path}`, {}).catch(() => {});
    }
  }

  private async send(request: string, { body, text, headers }: Exchange, signal?: AbortSignal): Promise<Reply> {
    const [method = "", path = ""] = request.split(" ");
    const all = { "content-type": "application/json", "x-api-key": this.apiKey, ...headers };
    const response = await this.fetch(`${this.baseUrl}${path}`, {
      method,
      headers: Object.entries(all).filter((header): header is [string, string] => header[1] !== null),
      body: text ?? (body === undefined ? null : JSON.stringify(body)),
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MILLISECONDS), ...(signal ? [signal] : [])]),
      redirect: "manual",
    });
    this.reached = true;
    const reply = { status: response.status, headers: response.headers, body: parsed(await response.text()) };
    this.note(method, path, reply);
    return reply;
  }

  /** Notes what was created and deleted. Only the response to a creation makes something this run's own. */
  private note(method: string, path: string, { status, body }: Reply): void {
    const id = body?.threadId ?? body?.patient?.id;
    if (status === 201 && typeof id === "string") {
      this.owned.add(`${path.replace(/\/fhir$/, "")}/${id}`);
    }
    if (method === "DELETE" && status === 200) {
      this.owned.delete(path);
    }
  }

  /** How a response violates the document, which describes neither streams nor pages; empty if it does not. */
  private violation(request: string, { status, headers, body }: Reply): string[] {
    const [method = "", path = ""] = request.split(/[ ?]/);
    const type = mediaType(headers);
    const violation = /\bjson$/.test(type ?? "") ? contract.violation(method, path, status, body, type) : undefined;
    return violation === undefined ? [] : [violation];
  }
}

const mediaType = (headers: Headers) => headers.get("content-type")?.split(";")[0];

function headerFaults(
  { headers }: Reply,
  sent: Record<string, string | null>,
  { from, replayed, published, marked }: Exchange,
): string[] {
  const requestId = headers.get("x-request-id");
  const choosesId = from === "gateway" || sent["x-request-id"] === null;
  const expected = {
    "content-type": [mediaType(headers), sent.accept ?? "application/json"],
    "cache-control": [
      headers.get("cache-control")?.replace(", no-transform", ""),
      published ? "public, max-age=300" : "no-store",
    ],
    "x-content-type-options": [headers.get("x-content-type-options"), "nosniff"],
    "idempotent-replayed": [headers.get("idempotent-replayed"), replayed ? "true" : null],
    "ai-disclosure": [
      headers.get("ai-disclosure")?.replace(/, model=".*"$/, "") ?? null,
      marked ? "mode=machine-generated" : null,
    ],
    "x-request-id": [requestId, choosesId ? requestId || "any" : sent["x-request-id"]],
  };
  return Object.entries(expected).flatMap(([name, [actual, value]]) =>
    actual === value ? [] : [`header ${name}: expected ${value ?? "none"}`],
  );
}

function parsed(text: string): unknown {
  try {
    return /^(event)?:/.test(text) ? eventsIn(text) : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Server-sent events with JSON data; comments are skipped. */
function eventsIn(text: string): unknown[] {
  const blocks = text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  return blocks.map((block) => {
    const [, event, data = ""] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
    return { event, data: JSON.parse(data) };
  });
}
