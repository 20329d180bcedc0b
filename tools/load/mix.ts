import { setTimeout } from "node:timers/promises";

/** The number of concurrent requests. */
const WORKERS = 6;
/**
 * The number of phone numbers, and therefore of patients. Records are kept forever, so load must not add new ones
 * forever.
 */
const PHONES = 50;
/** The number of threads that requests choose from; older ones are left to expire. */
const THREADS = 40;
/** Longer than any response may take. */
const TIMEOUT_MILLISECONDS = 40_000;

/** The outcome of the requests. */
export interface Results {
  requests: number;
  /** Requests whose connection the load itself closed. */
  aborted: number;
  /** Unexpected results, and how often each occurred. */
  errors: Map<string, number>;
  /** The durations of requests whose response was read completely, in the order of completion. */
  milliseconds: number[];
}

interface Load {
  baseUrl: string;
  apiKey: string;
  results: Results;
  threads: string[];
}

/** A request, and the statuses that it may return. */
interface Request {
  method?: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
  statuses: number[];
  /** Closes the connection after this many milliseconds, or at the first bytes of the response. */
  abort?: number | "first bytes";
}

type Send = (load: Load, turn: number) => Promise<unknown>;

const STREAM = { accept: "text/event-stream" };

const createThread: Send = async (load, turn) => {
  const body = turn % 3 === 0 ? { phone: phoneOf(turn) } : { metadata: { source: "load" } };
  const created = await send(load, { path: "/threads", body, statuses: [201] });
  if (created) {
    load.threads.push(JSON.parse(created).threadId);
    load.threads.splice(0, load.threads.length - THREADS);
  }
};

const chat: Send = (load, turn) => send(load, chatRequest(load, turn));

const streamedChat: Send = async (load, turn) => {
  const text = await send(load, { ...chatRequest(load, turn), headers: STREAM });
  const goneMeanwhile = text?.includes("Thread not found or expired");
  if (text?.startsWith("event:") && !text.includes("event: done") && !goneMeanwhile) {
    fail(load, "a stream without an end");
  }
};

/** Sends the same request twice, as after a lost response. The second must return the answer of the first. */
const repeatedChat: Send = async (load, turn) => {
  const request = { ...chatRequest(load, turn), headers: { "idempotency-key": `load-${turn}` } };
  const [first, second] = [await send(load, request), await send(load, request)];
  if (first?.includes('"success":true') && second?.includes('"success":true') && first !== second) {
    fail(load, "a repeated request with another answer");
  }
};

const readThread: Send = (load, turn) => send(load, threadRequest(load, turn, "GET"));

/** The requests in the order in which they are sent, over and over. */
const MIX: Send[] = [
  createThread,
  chat,
  streamedChat,
  repeatedChat,
  chat,
  (load, turn) => send(load, { ...chatRequest(load, turn), abort: (turn * 7) % 60 }),
  readThread,
  (load, turn) => send(load, { ...chatRequest(load, turn), headers: STREAM, abort: "first bytes" }),
  createThread,
  streamedChat,
  (load, turn) => {
    const body = { name: "Load Patient", phone_number: phoneOf(turn), age: 40, gender: "female" };
    return send(load, { path: "/patients", body, statuses: [201, 409] });
  },
  chat,
  readThread,
  (load) => send(load, { path: "/chat", body: { message: " " }, statuses: [400] }),
  (load, turn) => send(load, { ...threadRequest(load, turn, "GET"), abort: turn % 10 }),
  (load, turn) => send(load, threadRequest(load, turn, "DELETE")),
];

/**
 * Sends requests at a constant rate until the signal is aborted.
 *
 * @param perSecond requests started per second; fewer if the service does not keep up
 * @param signal ends the load
 */
export async function sendMix(
  target: { baseUrl: string; apiKey: string },
  perSecond: number,
  results: Results,
  signal: AbortSignal,
): Promise<void> {
  const load: Load = { ...target, results, threads: [] };
  let turns = 0; // determines each request, so that all runs send the same ones
  const startedAt = performance.now();
  const worker = async () => {
    while (!signal.aborted) {
      const turn = turns++;
      await setTimeout(Math.max(0, startedAt + (turn * 1000) / perSecond - performance.now()));
      await MIX[turn % MIX.length]?.(load, turn);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

/** A thread's chat or other request may get a 404, because other requests delete threads and threads expire. */
function chatRequest(load: Load, turn: number): Request {
  const body = { message: `Visit ${turn}: when do you open?`, threadId: threadOf(load, turn) };
  return { path: "/chat", body, statuses: [200, 404] };
}

function threadRequest(load: Load, turn: number, method: string): Request {
  return { path: `/threads/${threadOf(load, turn)}`, method, statuses: [200, 404] };
}

function threadOf({ threads }: Load, turn: number): string {
  return threads[(turn * 13) % Math.max(1, threads.length)] ?? "00000";
}

function phoneOf(turn: number): string {
  return `1555${String((turn * 31) % PHONES).padStart(7, "0")}`;
}

/** @returns the body; undefined if the connection was closed or the response was unexpected */
async function send(load: Load, { path, method = "POST", body, headers, statuses, abort }: Request) {
  const { results } = load;
  const controller = new AbortController();
  const milliseconds = typeof abort === "number" ? abort : TIMEOUT_MILLISECONDS;
  const timer = globalThis.setTimeout(() => controller.abort(), milliseconds);
  const startedAt = performance.now();
  results.requests++;
  try {
    const response = await fetch(`${load.baseUrl}${path}`, {
      method,
      headers: { "x-api-key": load.apiKey, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: controller.signal,
    });
    if (abort === "first bytes") {
      await response.body?.getReader().read();
      results.aborted++;
      controller.abort();
      return undefined;
    }
    const text = await response.text();
    results.milliseconds.push(performance.now() - startedAt);
    if (statuses.includes(response.status)) {
      return text;
    }
    fail(load, `status ${response.status} of ${method} ${path.replace(/\d{5}/, "{id}")}`);
  } catch (error) {
    if (typeof abort === "number" && controller.signal.aborted) {
      results.aborted++;
    } else {
      const { cause } = error as { cause?: { code?: string } };
      fail(load, controller.signal.aborted ? "no response" : `${(error as Error).name} ${cause?.code ?? ""}`.trim());
    }
  } finally {
    clearTimeout(timer);
  }
  return undefined;
}

function fail({ results: { errors } }: Load, what: string): void {
  errors.set(what, (errors.get(what) ?? 0) + 1);
}
