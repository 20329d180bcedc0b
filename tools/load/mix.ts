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

const STREAM = { accept: "text/event-stream" };

/** A thread's chat or other request may get a 404, because other requests delete threads and threads expire. */
const ON_THREAD = { statuses: [200, 404] };

const chat = (turn: number, threadId: string) => ({
  path: "/chat",
  body: { message: `Visit ${turn}: when do you open?`, threadId },
  ...ON_THREAD,
});
const streamedChat = (turn: number, threadId: string) => ({ ...chat(turn, threadId), headers: STREAM });
const keyedChat = (turn: number, threadId: string) => ({
  ...chat(turn, threadId),
  headers: { "idempotency-key": `load-${turn}` },
});
const readThread = (_: number, threadId: string) => ({ method: "GET", path: `/threads/${threadId}`, ...ON_THREAD });

/** The requests in the order in which they are sent, over and over. */
const MIX: ((turn: number, threadId: string) => Request)[] = [
  (turn) => ({ path: "/threads", body: { phone: phoneOf(turn) }, statuses: [201] }),
  chat,
  streamedChat,
  keyedChat,
  (turn, threadId) => keyedChat(turn - 1, threadId), // the same again, as after a lost response
  (turn, threadId) => ({ ...chat(turn, threadId), abort: (turn * 7) % 60 }),
  readThread,
  (turn, threadId) => ({ ...streamedChat(turn, threadId), abort: "first bytes" }),
  () => ({ path: "/threads", body: { metadata: { source: "load" } }, statuses: [201] }),
  streamedChat,
  (turn) => ({
    path: "/patients",
    body: { name: "Load Patient", phone_number: phoneOf(turn), age: 40, gender: "female" },
    statuses: [201, 409],
  }),
  chat,
  readThread,
  () => ({ path: "/chat", body: { message: " " }, statuses: [400] }),
  (turn, threadId) => ({ ...readThread(turn, threadId), abort: turn % 10 }),
  (turn, threadId) => ({ ...readThread(turn, threadId), method: "DELETE" }),
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
  const threads: string[] = [];
  const answers = new Map<string, string>(); // by key and thread
  let turns = 0; // determines each request, so that all runs send the same ones
  const startedAt = performance.now();
  const worker = async () => {
    while (!signal.aborted) {
      const turn = turns++;
      await setTimeout(Math.max(0, startedAt + (turn * 1000) / perSecond - performance.now()));
      // Two turns in a row have the same thread, because the second may repeat the first.
      const threadId = threads[(Math.ceil(turn / 2) * 13) % Math.max(1, threads.length)] ?? "00000";
      const request = MIX[turn % MIX.length]?.(turn, threadId) as Request;
      const text = await send(target, request, results);
      if (text && request.path === "/threads") {
        threads.push(JSON.parse(text).threadId);
        threads.splice(0, threads.length - THREADS);
      }
      if (text?.startsWith("event:") && !/event: done|Thread not found or expired/.test(text)) {
        fail(results, "a stream without an end");
      }
      const key = request.headers?.["idempotency-key"];
      if (key && text?.includes('"success":true')) {
        const asked = `${key} ${threadId}`;
        if ((answers.get(asked) ?? text) !== text) {
          fail(results, "a repeated request with another answer");
        }
        answers.set(asked, text);
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

function phoneOf(turn: number): string {
  return `1555${String((turn * 31) % PHONES).padStart(7, "0")}`;
}

/** @returns the body; undefined if the connection was closed or the response was unexpected */
async function send(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  { path, method = "POST", body, headers, statuses, abort }: Request,
  results: Results,
): Promise<string | undefined> {
  const controller = new AbortController();
  const milliseconds = typeof abort === "number" ? abort : TIMEOUT_MILLISECONDS;
  const timer = globalThis.setTimeout(() => controller.abort(), milliseconds);
  const startedAt = performance.now();
  results.requests++;
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
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
    fail(results, `status ${response.status} of ${method} ${path.replace(/\d{5}/, "{id}")}`);
  } catch (error) {
    if (typeof abort === "number" && controller.signal.aborted) {
      results.aborted++;
    } else {
      const { cause } = error as { cause?: { code?: string } };
      fail(results, controller.signal.aborted ? "no response" : `${(error as Error).name} ${cause?.code ?? ""}`.trim());
    }
  } finally {
    clearTimeout(timer);
  }
  return undefined;
}

function fail({ errors }: Results, what: string): void {
  errors.set(what, (errors.get(what) ?? 0) + 1);
}
