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

const TIMEOUT_MILLISECONDS = 35_000;

export interface TargetOptions {
  baseUrl: string;
  apiKey: string;
  /** Ends the check; what it has opened is still deleted. */
  signal?: AbortSignal;
  fetch?: typeof globalThis.fetch;
}

/** A response, read to its end. */
export interface Reply {
  method: string;
  /** Relative to the base URL, without the query. */
  path: string;
  requestId: string | null;
  status: number;
  headers: Headers;
  /** Parsed; the text, if it is no JSON. */
  body: unknown;
}

/** A request that the typed client could not send. */
export interface RawRequest {
  body?: unknown;
  /** Null for none. */
  key?: string | null;
  /** The API key as the query parameter `api_key`. */
  keyInQuery?: string;
  /** Null for none; else one that names the rule. */
  requestId?: string | null;
}

/** What rules find, and later rules need. */
export interface Found {
  document?: Document;
  contract?: Contract;
  patientId?: string;
  /** The thread whose life is played, and what was answered on it. */
  threadId?: string;
  /** When it would have expired without a message. */
  expiresAt?: string;
  answer?: ChatResponse;
  streamed?: ChatResponse;
}

/** As much of an OpenAPI document as the rules look at. */
export interface Document {
  openapi?: unknown;
  servers?: { url?: unknown }[];
  components?: { securitySchemes?: Record<string, { type?: unknown; in?: unknown; name?: unknown }> };
  paths?: Record<string, Record<string, { responses?: Record<string, { content?: Record<string, MediaType> }> }>>;
}
interface MediaType {
  examples?: Record<string, { value?: { error?: unknown } }>;
}

/** The address under check: sends requests, remembers what came, and holds it to the contract. */
export class Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  found: Found = {};
  /** Threads that this run has opened and not yet deleted. */
  openThreads = new Set<string>();

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
    // No retries: a failure that passes is a deviation, too.
    this.client = new HealthAssistantClient({
      baseUrl,
      apiKey,
      retries: 0,
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      fetch: (input, init) => this.turn(String(input), init),
    });
  }

  /** Names the requests that follow after a rule, in the service's logs. */
  begin(rule: number): void {
    this.rule = rule;
    this.requests = 0;
  }

  /** A key that no other run uses. */
  idempotencyKey(name: string): string {
    return `live-check-${this.runId}-${name}`;
  }

  /** Calls the service as its clients do. A refusal is a reply like any other. */
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

  /** Asks for a streamed answer; there are no events when it was refused. */
  async stream(request: ChatRequest, options: ChatOptions = {}): Promise<{ reply: Reply; events: ChatEvent[] }> {
    const events: ChatEvent[] = [];
    const reply = await this.call(async (client, own) => {
      for await (const event of client.streamChat(request, { ...own, ...options })) {
        events.push(event);
      }
    });
    return { reply, events };
  }

  /** Sends a request as it is given. */
  async raw(method: string, path: string, request: RawRequest = {}): Promise<Reply> {
    const { body, key = this.apiKey, keyInQuery, requestId = this.requestId() } = request;
    const query = keyInQuery === undefined ? "" : `?api_key=${encodeURIComponent(keyInQuery)}`;
    await this.turn(`${this.baseUrl}${path}${query}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(requestId !== null && { "x-request-id": requestId }),
        ...(key !== null && { "x-api-key": key }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MILLISECONDS), ...(this.signal ? [this.signal] : [])]),
      redirect: "manual",
    });
    return this.reply();
  }

  /** Whether anything has ever answered. */
  get reached(): boolean {
    return this.answered;
  }

  /** Deletes what this run has opened and not deleted, also after it was ended from outside. Does its best, no more. */
  async deleteOpenThreads(): Promise<void> {
    const client = new HealthAssistantClient({
      baseUrl: this.baseUrl,
      apiKey: this.apiKey,
      fetch: this.send,
      retries: 0,
    });
    for (const threadId of this.openThreads) {
      await client.deleteThread(threadId, { requestId: this.requestId() }).catch(() => {});
    }
  }

  /** From now on, every response is held to this document as well. */
  publish(document: Document): void {
    this.found.document = document;
    this.found.contract = new Contract(document);
  }

  /**
   * Holds a response to the contract: its status, its headers, its body.
   *
   * @param from the gateway's own answers have an id of the gateway's, and need not be kept from caches
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

  /** What the published document has against a response. */
  private violation({ method, path, status, body }: Reply): string | undefined {
    try {
      return this.found.contract?.violation(method, path, status, body);
    } catch {
      return `OpenAPI document: no schema can be read for ${method} with status ${status}`;
    }
  }

  /** Holds a streamed response's head to the contract. */
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
      throw new Error("nothing was sent");
    }
    return this.last;
  }

  /** Sends, and keeps a copy of what came. */
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
    this.noteThread(this.last);
    return response;
  }

  private noteThread({ method, path, status, body }: Reply): void {
    const { threadId } = (body ?? {}) as { threadId?: unknown };
    if (method === "POST" && path === "/threads" && status === 201 && typeof threadId === "string") {
      this.openThreads.add(threadId);
    }
    if (method === "DELETE" && status === 200) {
      this.openThreads.delete(path.slice("/threads/".length));
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
    faults.push(`header x-request-id: expected the request's own; got ${own ? "another" : "none"}`);
  }
  if (from === "function" && headers.get("cache-control") !== "no-store") {
    faults.push("header cache-control: expected no-store");
  }
  if (from === "function" && headers.get("x-content-type-options") !== "nosniff") {
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
