import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { servePrograms } from "../../packages/lambda-local/loopback.ts";
import { VERDICT_INSTRUCTIONS } from "../../shared/chat/instructions.ts";
import type { BenchmarkFiles } from "./evaluate-model-benchmarks.ts";

/** What an evaluation depends on besides the model's answers. */
export interface RecordingHeader {
  recordedAt: string;
  model: string;
  /** The functions' variables for what the model accepts, which shape the requests. */
  features: Record<string, string>;
  /** Of the service, its instructions and the provider's SDK. */
  versions: { service: string; instructions: string; openai: string };
  sample: number;
  /** Whether screen and model were compared, instead of grading the replies. */
  compare?: true;
  files: string[];
  /** Missing in a recording from before there were any. */
  benchmarks?: BenchmarkFiles;
}

/** A request to the model, by its hash, and the response. Without a status, the service gave up waiting for it. */
interface Exchange {
  hash: string;
  kind: "answer" | "verdict";
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** What stands between the service and the model's provider. */
export interface Provider {
  baseUrl: string;
  /** @throws Error if a request was not in the recording */
  check(): void;
  /** Keeps what was recorded, with the evaluation's report; nothing in a replay. */
  finish(report: string): void;
  stop(): void;
}

/** The headers of a response that the service reads; none of them contains a key. */
const HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

/**
 * Starts a server that passes requests on to the provider and records the responses. The file has JSON lines: the
 * header, the exchanges, and the report.
 *
 * @param target the provider's base URL
 */
export async function startRecording(target: string, file: string, header: RecordingHeader): Promise<Provider> {
  const exchanges: Exchange[] = [];
  const { origin, stop } = await serveModel(async (body, request, response) => {
    const exchange: Exchange = identify(body);
    exchanges.push(exchange);
    const gaveUp = new AbortController();
    response.on("close", () => gaveUp.abort());
    try {
      const { authorization = "", "content-type": type = "" } = request.headers;
      const answer = await fetch(target.replace(/\/$/, "") + request.url, {
        method: "POST",
        headers: { authorization, "content-type": type },
        body,
        signal: gaveUp.signal,
      });
      const headers = HEADERS.map((name) => [name, answer.headers.get(name)]).filter(([, value]) => value !== null);
      const responded = { status: answer.status, headers: Object.fromEntries(headers), body: await answer.text() };
      send(response, Object.assign(exchange, responded));
    } catch {
      response.destroy(); // the provider cannot be reached, or the service has given up
    }
  });
  return {
    baseUrl: origin,
    check: () => {},
    finish: (report) => {
      const lines = [header, ...exchanges, { report }].map((line) => JSON.stringify(line));
      writeFileSync(file, `${lines.join("\n")}\n`);
    },
    stop,
  };
}

/** Reads a file that {@link startRecording} wrote. */
export function readRecording(file: string) {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const [header, ...rest] = lines.map((line) => JSON.parse(line));
  const exchanges: Exchange[] = rest.filter((line) => line.hash !== undefined);
  const report: string | undefined = rest.at(-1)?.report;
  return { header: header as RecordingHeader, exchanges, report };
}

/** Starts a server that answers from a recording. A request that was sent several times gets its responses in order. */
export async function startReplay(exchanges: readonly Exchange[]): Promise<Provider> {
  const left = Map.groupBy(exchanges, (exchange) => exchange.hash);
  let unknown: Exchange | undefined;
  const { origin, stop } = await serveModel((body, _, response) => {
    const asked = identify(body);
    const recorded = left.get(asked.hash) ?? [];
    const [exchange = asked, ...later] = recorded;
    if (recorded.length === 0) {
      unknown ??= asked;
      send(response, { ...asked, status: 400, body: "{}" });
    } else if (exchange.status !== undefined) {
      send(response, exchange);
    } // otherwise, the service gives up as it did then
    if (later.length > 0) {
      left.set(asked.hash, later);
    }
  });
  return {
    baseUrl: origin,
    check: () => {
      if (unknown) {
        throw new Error(
          `The recording has no ${unknown.kind} to the request ${unknown.hash}: instructions, corpus or parameters have changed since; record again.`,
        );
      }
    },
    finish: () => {},
    stop,
  };
}

/** The hash leaves out the key of the prompt cache, which is random. */
function identify(body: string): Exchange {
  const { prompt_cache_key: _, ...parameters } = JSON.parse(body);
  const kind = String(parameters.messages?.[0]?.content).startsWith(VERDICT_INSTRUCTIONS) ? "verdict" : "answer";
  return { hash: hash("sha256", JSON.stringify(parameters)), kind };
}

/** Serves requests to a model; the service also sends one without a body, ahead of them, to open a connection. */
function serveModel(answer: (body: string, request: IncomingMessage, response: ServerResponse) => unknown) {
  return servePrograms(async (request, response) => {
    const body = await text(request);
    await (body === "" ? response.writeHead(404).end() : answer(body, request, response));
  });
}

function send(response: ServerResponse, { status = 500, headers, body }: Exchange): void {
  response.writeHead(status, headers ?? { "content-type": "application/json" }).end(body);
}
