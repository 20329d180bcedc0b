import { randomUUID } from "node:crypto";
import {
  ApiError,
  type CallOptions,
  type ChatEvent,
  type ChatOptions,
  type ChatRequest,
  type ChatResponse,
  HealthAssistantClient,
} from "conversational-health-assistant-service/client";
import type * as z from "zod";
import { Contract } from "./contract.ts";
import { Deviation } from "./deviation.ts";
import { bodyFaults, shown } from "./faults.ts";
import { SHORT, SyntheticPatient, WHOLE } from "./synthetic-patient.ts";

const TIMEOUT_MILLISECONDS = 35_000;

export interface TargetOptions {
  baseUrl: string;
  apiKey: string;
  /** Stops the check. What it created is still deleted. */
  signal?: AbortSignal;
  fetch?: typeof globalThis.fetch;
}

/** A response that has been read completely. */
export interface Reply {
  method: string;
  /** Relative to the base URL, without the query. */
  path: string;
  requestId: string | null;
  status: number;
  headers: Headers;
  /** Parsed, or as text if it is not JSON. */
  body: unknown;
}

/** A request that the typed client cannot send. */
export interface RawRequest {
  body?: unknown;
  /** Null for no key. */
  key?: string | null;
  /** The API key as the query parameter `api_key`. */
  keyInQuery?: string;
  headers?: Record<string, string>;
  /** Null for no id; by default, one that identifies the rule. */
  requestId?: string | null;
}

/** Values that rules find and later rules need. */
export interface Found {
  document?: Document;
  contract?: Contract;
  patientId?: string;
  /** The patient that is corrected and erased, and the response to its creation. */
  erasableId?: string;
  created?: unknown;
  /** The thread whose lifecycle is verified, with its expiry when it was created, and the responses to its chats. */
  thread?: { threadId: string; expiresAt: string };
  answer?: ChatResponse;
  streamed?: ChatResponse;
}

/** The parts of an OpenAPI document that the rules read. */
export interface Document {
  openapi?: unknown;
  servers?: { url?: unknown }[];
  components?: { securitySchemes?: Record<string, { type?: unknown; in?: unknown; name?: unknown }> };
  paths?: Record<string, Record<string, { responses?: Record<string, { content?: Record<string, MediaType> }> }>>;
}
interface MediaType {
  examples?: Record<string, { value?: { error?: unknown } }>;
}

/** The service under check: sends requests, and verifies the responses against the contract. */
export class Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  found: Found = {};
  /** Threads and patients that this run created and has not deleted yet. */
  openThreads = new Set<string>();
  openPatients = new Set<string>();
  /** The patients that this run may create. */
  readonly patient = new SyntheticPatient(WHOLE);
  readonly erasable = new SyntheticPatient(SHORT);

  private readonly client: HealthAssistantClient;
  private readonly send: typeof globalThis.fetch;
  private readonly signal: AbortSignal | undefined;
  private readonly runId = randomUUID();
  private rule = 0;
  private requests = 0;
  private last: Reply | undefined;
  private answered = false;

  constructor({ baseUrl, apiKey, signal, fetch = globalThis.fetch }: TargetOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.apiKey = apiKey;
    this.signal = signal;
    this.send = fetch;
    // No retries, because a transient failure is a deviation too.
    this.client = new HealthAssistantClient({
      baseUrl,
      apiKey,
      retries: 0,
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      fetch: (input, init) => this.turn(String(input), init),
    });
  }

  /** Sets the rule that the following requests are identified by in the service's logs. */
  begin(rule: number): void {
    this.rule = rule;
    this.requests = 0;
  }

  /** A key that no other run uses. */
  idempotencyKey(name: string): string {
    return `live-check-${this.runId}-${name}`;
  }

  /** Calls the service through the typed client. Error responses are returned, not thrown. */
  async call(send: (client: HealthAssistantClient, options: CallOptions) => Promise<unknown>): Promise<Reply> {
    this.last = undefined;
    try {
      await send(this.client, this.callOptions());
    } catch (error) {
      if (!(error instanceof ApiError) || !this.last) {
        throw error;
      }
    }
    return this.reply();
  }

  /** Requests a streamed answer. An error response has no events. */
  async stream(request: ChatRequest, options: ChatOptions = {}): Promise<{ reply: Reply; events: ChatEvent[] }> {
    const events: ChatEvent[] = [];
    const reply = await this.call(async (client, own) => {
      for await (const event of client.streamChat(request, { ...own, ...options })) {
        events.push(event);
      }
    });
    return { reply, events };
  }

  /** Sends a request without the typed client. */
  async raw(method: string, path: string, request: RawRequest = {}): Promise<Reply> {
    const { body, key = this.apiKey, keyInQuery, requestId = this.requestId(), headers } = request;
    const query = keyInQuery === undefined ? "" : `?api_key=${encodeURIComponent(keyInQuery)}`;
    await this.turn(`${this.baseUrl}${path}${query}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(requestId !== null && { "x-request-id": requestId }),
        ...(key !== null && { "x-api-key": key }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MILLISECONDS), ...(this.signal ? [this.signal] : [])]),
      redirect: "manual",
    });
    return this.reply();
  }

  /** Whether any request got a response. */
  get reached(): boolean {
    return this.answered;
  }

  /** Deletes the threads and patients that this run has not deleted, even after an abort. Failures are ignored. */
  async deleteLeftovers(): Promise<void> {
    const { baseUrl, apiKey, send: fetch } = this;
    const client = new HealthAssistantClient({ baseUrl, apiKey, fetch });
    for (const threadId of this.openThreads) {
      await client.deleteThread(threadId, { requestId: this.requestId() }).catch(() => {});
    }
    for (const patientId of this.openPatients) {
      await client.deletePatient(patientId, { requestId: this.requestId() }).catch(() => {});
    }
  }

  /** Validates every following response against this document as well. */
  publish(document: Document): void {
    this.found.document = document;
    this.found.contract = new Contract(document);
  }

  /**
   * Verifies a response's status, headers and body against the contract.
   *
   * @param from responses of the gateway have a request ID of their own
   * @throws Deviation
   */
  hold(reply: Reply, status: number, body: z.ZodType, from: "function" | "gateway" = "function"): void {
    if (reply.status !== status) {
      const { error } = (reply.body ?? {}) as { error?: unknown };
      const said = typeof error === "string" ? `, whose error is ${shown(error)}` : "";
      throw new Deviation([`expected status ${status}; got ${reply.status}${said}`]);
    }
    this.holdFaults(headerFaults(reply, "application/json", from), bodyFaults(body, reply.body), [
      this.violation(reply),
    ]);
  }

  /** Why a response violates the published document; undefined if it does not. */
  private violation({ method, path, status, body }: Reply): string | undefined {
    try {
      return this.found.contract?.violation(method, path, status, body);
    } catch {
      return `OpenAPI document: the schema for ${method} with status ${status} cannot be read`;
    }
  }

  /** Verifies a streamed response's status and headers against the contract. */
  holdStream(reply: Reply): void {
    if (reply.status !== 200) {
      throw new Deviation([`expected status 200; got ${reply.status}`]);
    }
    this.holdFaults(headerFaults(reply, "text/event-stream", "function"));
  }

  private holdFaults(...faults: (string | undefined)[][]): void {
    const found = faults.flat().filter((fault) => fault !== undefined);
    if (found.length > 0) {
      throw new Deviation(found);
    }
  }

  private callOptions(): CallOptions {
    return { requestId: this.requestId(), ...(this.signal && { signal: this.signal }) };
  }

  private requestId(): string {
    return `live-check-${this.runId.slice(0, 8)}-${this.rule}.${++this.requests}`;
  }

  private reply(): Reply {
    if (!this.last) {
      throw new Error("no request was sent");
    }
    return this.last;
  }

  /** Sends a request, and keeps a copy of the response. */
  private async turn(url: string, init: RequestInit = {}): Promise<Response> {
    this.last = undefined;
    const response = await this.send(url, init);
    this.answered = true;
    const text = await response.clone().text();
    const { method = "GET" } = init;
    const [path = ""] = url.slice(this.baseUrl.length).split("?");
    const requestId = new Headers(init.headers).get("x-request-id");
    const { status, headers } = response;
    this.last = { method, path, requestId, status, headers, body: parsed(text) };
    this.note(this.last);
    return response;
  }

  /** Notes what was created and deleted. Only the response to a creation makes something this run's own. */
  private note({ method, path, status, body }: Reply): void {
    const { threadId, patient } = (body ?? {}) as { threadId?: unknown; patient?: { id?: unknown } };
    if (method === "POST" && path === "/threads" && status === 201 && typeof threadId === "string") {
      this.openThreads.add(threadId);
    }
    if (method === "POST" && path === "/patients" && status === 201 && typeof patient?.id === "string") {
      this.openPatients.add(patient.id);
    }
    if (method === "DELETE" && status === 200) {
      this.openThreads.delete(path.slice("/threads/".length));
      this.openPatients.delete(path.slice("/patients/".length));
    }
  }
}

function headerFaults({ headers, requestId }: Reply, type: string, from: "function" | "gateway"): string[] {
  const own = headers.get("x-request-id");
  const faults = [];
  if (headers.get("content-type")?.split(";")[0] !== type) {
    faults.push(`header content-type: expected ${type}`);
  }
  if (!own || (from === "function" && requestId !== null && own !== requestId)) {
    faults.push(`header x-request-id: expected the request's ID; got ${own ? "another" : "none"}`);
  }
  if (headers.get("cache-control") !== "no-store") {
    faults.push("header cache-control: expected no-store");
  }
  if (headers.get("x-content-type-options") !== "nosniff") {
    faults.push("header x-content-type-options: expected nosniff");
  }
  return faults;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
