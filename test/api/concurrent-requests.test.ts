import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { usageFields } from "../../shared/observability/gen-ai.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { stopClockAt } from "../helpers/database/database.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";

/** What a request is, by the remainder of its number. */
const KINDS = ["plain", "streamed", "cut off", "unknown thread", "over quota"] as const;
type Kind = (typeof KINDS)[number];

interface TestRequest {
  number: number;
  kind: Kind;
  id: string;
  client: string;
  tenant: string;
}

const REQUESTS = Array.from({ length: 50 }, (_, number): TestRequest => {
  const kind = KINDS[number % KINDS.length] as Kind;
  return { number, kind, id: `request-${number}-`, client: `client-${number}-`, tenant: `tenant-${number}-` };
});

/** What a chat costs, according to the scripted model. */
const CHAT_TOKENS = 15;

/** Each client has quotas of its own, and those over their quota have the tokens for one chat. */
const quotasOf = ({ number, kind }: TestRequest) => ({
  requestsPerMinute: 100 + number,
  concurrentChats: 1 + number,
  tokensPerDay: kind === "over quota" ? CHAT_TOKENS : 1_000 + number,
});

let environment: TestEnvironment;
let call: (request: TestRequest) => Promise<{ status: number; headers: Record<string, string>; body: string }>;
beforeAll(async () => {
  const clients = REQUESTS.map((request) => [
    request.client,
    { keys: [`key-of-${request.client}`], tenant: request.tenant, quotas: quotasOf(request) },
  ]);
  environment = await startTestEnvironment(process.env.TEST_CLOUD_ASSEMBLY ?? "", Object.fromEntries(clients));
  // Provided by Lambda's runtime.
  const HttpResponseStream = { from: (stream: object, head: object) => Object.assign(stream, { head }) };
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream } });
  const chat = (await import("../../functions/chat.ts")).handler as unknown as StreamingHandler;
  const getThread = (await import("../../functions/get-thread.ts")).handler;
  call = async (request) => {
    const event = eventOf(request);
    if (request.kind === "unknown thread") {
      const { statusCode, headers, body } = await getThread(event, { ...CONTEXT });
      return { status: statusCode, headers: headers as Record<string, string>, body };
    }
    const output = Object.assign(new PassThrough(), { head: { statusCode: 0, headers: {} } });
    const [body] = await Promise.all([text(output), chat(event, output, { ...CONTEXT })]);
    return { status: output.head.statusCode, headers: output.head.headers, body };
  };
});
afterAll(() => environment.stop());

type StreamingHandler = (event: APIGatewayProxyEvent, output: PassThrough, context: Context) => Promise<void>;

const CONTEXT = { getRemainingTimeInMillis: () => 28_000 } as Context;

function eventOf({ number, kind, id, client }: TestRequest): APIGatewayProxyEvent {
  const streams = kind === "streamed" || kind === "cut off";
  return {
    httpMethod: kind === "unknown thread" ? "GET" : "POST",
    headers: {
      "x-api-key": `key-of-${client}`,
      "x-request-id": id,
      accept: streams ? "text/event-stream" : "application/json",
    },
    requestContext: { requestId: "of the gateway" },
    pathParameters: { id: "00000" },
    body: JSON.stringify({ message: `When does pharmacy ${number} open?` }),
  } as unknown as APIGatewayProxyEvent;
}

/** Captures the log lines and the metrics that code in this process writes, as if it ran in Lambda. */
function capture() {
  const logged: Line[] = [];
  for (const level of ["info", "warn", "error"] as const) {
    jest.spyOn(console, level).mockImplementation((line) => logged.push(JSON.parse(JSON.stringify(line))));
  }
  const metrics: Line[] = [];
  jest.spyOn(process.stdout, "write").mockImplementation((line) => metrics.push(JSON.parse(String(line))) > 0);
  jest.replaceProperty(process, "env", { ...process.env, AWS_LAMBDA_FUNCTION_NAME: "function" });
  return { logged, metrics };
}

// biome-ignore lint/suspicious/noExplicitAny: tests access log lines freely
type Line = any;

/** Answers only once this many questions have arrived, so that the requests are in progress at the same time. */
function answerTogether(questions: number): void {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  environment.model.script = async ({ messages }) => {
    const number = Number(/pharmacy (\d+)/.exec(JSON.stringify(messages.at(-1)))?.[1]);
    if (++arrived === questions) {
      resolve();
    }
    await all;
    const answer = { content: `Number ${number} opens at eight.`, cachedTokens: 1_000 + number };
    return REQUESTS[number]?.kind === "cut off" ? { ...answer, breakAfter: 2 } : answer;
  };
}

/** The status, the events of the log lines and the fields of the last one. */
const EXPECTED: Record<Kind, [status: number, events: string[], fields: object]> = {
  plain: [200, ["request"], {}],
  streamed: [200, ["request"], {}],
  "cut off": [200, ["model-failure", "failure", "request"], { error: "model", streamFailed: true }],
  "unknown thread": [404, ["request"], { error: "not-found", code: "thread-not-found" }],
  "over quota": [429, ["request"], { error: "over-quota", code: "daily-tokens-used-up", quota: "tokensPerDay" }],
};

test("50 requests at once in one process have their own log lines, metrics, headers and quotas", async () => {
  stopClockAt("2030-01-01T10:00:00.000Z");
  await withoutTimeLimits();
  capture();
  answerTogether(1);
  for (const request of REQUESTS.filter(({ kind }) => kind === "over quota")) {
    expect((await call(request)).status).toBe(200);
  }

  const { logged, metrics } = capture();
  answerTogether(REQUESTS.filter(({ kind }) => ["plain", "streamed", "cut off"].includes(kind)).length);
  const responses = await Promise.all(REQUESTS.map(call));
  jest.restoreAllMocks();
  await withoutTimeLimits();

  for (const [index, { status, headers, body }] of responses.entries()) {
    const { number, kind, id, client, tenant } = REQUESTS[index] as TestRequest;
    const answered = kind === "plain" || kind === "streamed";
    const [expectedStatus, events, fields] = EXPECTED[kind];
    expect([id, status, headers["x-request-id"]]).toEqual([id, expectedStatus, id]);
    expect(headers["ratelimit-policy"]).toContain(`"requestsPerMinute";q=${100 + number};`);
    expect(headers["retry-after"] !== undefined).toBe(kind === "over quota");
    expect(numbersIn(body)).toEqual(answered || kind === "cut off" ? [number] : []);

    const lines = logged.filter(({ xRequestId }) => xRequestId === id);
    expect(lines.map(({ event }) => event)).toEqual(events);
    const tokens = { inputTokens: 10, cachedInputTokens: 1_000 + number, cacheWriteTokens: 0, outputTokens: 5 };
    const estimated = {
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
    };
    const used = answered ? usageFields(tokens) : kind === "cut off" ? expect.objectContaining(estimated) : {};
    const { durationMs, databaseMs, ...last } = lines.at(-1);
    const { usage, ...compared } = comparedOf(last);
    expect(compared).toEqual({ client, tenant, ...fields });
    expect(usage).toEqual(used);
    expect(databaseMs).toBeLessThanOrEqual(durationMs + 1); // both are rounded

    const [metric, ...others] = metrics.filter(({ xRequestId }) => xRequestId === id);
    expect(others).toEqual([]);
    expect(metric.CachedInputTokens).toBe(answered ? 1_000 + number : kind === "cut off" ? 0 : undefined);
    expect(metric.QuotaExceeded).toBe(kind === "over quota" ? 1 : undefined);
    expect(metric.UnknownIds).toBe(kind === "unknown thread" ? 1 : undefined);
  }
  // The SDK warns, in a line of text, that so many calls at once wait for its 50 connections.
  expect(logged.filter((line) => typeof line === "object")).toHaveLength(
    REQUESTS.flatMap(({ kind }) => EXPECTED[kind][1]).length,
  );
  expect(metrics).toHaveLength(REQUESTS.length);
  expect(await Promise.all(REQUESTS.map(settled))).toEqual(
    REQUESTS.map(({ kind }) => ({
      // Those of an answer that was cut off are estimated.
      tokens: kind === "cut off" ? expect.any(Number) : kind === "unknown thread" ? 0 : CHAT_TOKENS,
      leases: 0,
    })),
  );
});

/** However busy the machine is, no call to the database takes too long. */
async function withoutTimeLimits(): Promise<void> {
  jest.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
  const { dynamo } = await import("../../shared/dynamo/client.ts");
  const handler = dynamo.config.requestHandler as { updateHttpClientConfig(name: string, value: number): void };
  for (const limit of ["connectionTimeout", "requestTimeout"] as const) {
    handler.updateHttpClientConfig(limit, 0);
  }
}

const comparedOf = ({ client, tenant, error, code, quota, streamFailed, ...others }: Line) => {
  const usage = Object.fromEntries(Object.entries(others).filter(([name]) => name.startsWith("gen_ai.usage.")));
  return { client, tenant, error, code, quota, streamFailed, usage };
};

/** The numbers of pharmacies in an answer. */
function numbersIn(body: string): number[] {
  const words = [...body.matchAll(/"(?:text|response)":"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece);
  return [...new Set([...words.join("").matchAll(/Number (\d+)/g)].map(([, number]) => Number(number)))];
}

/** Returns the tokens counted for a client today, and the number of its leases for chats. */
async function settled(request: TestRequest): Promise<{ tokens: number; leases: number }> {
  stopClockAt("2030-01-01T10:00:00.000Z");
  const { readTokens, takeLease } = await import("../../shared/quotas/quota-repository.ts");
  const caller = { client: request.client, tenant: tenantNamed(request.tenant), operation: "test" };
  const { remaining } = await readTokens(caller, 1_000_000, Date.now());
  const lease = await takeLease(caller, 1_000, Date.now() + 1_000, Date.now());
  return { tokens: 1_000_000 - remaining, leases: 1_000 - 1 - lease.remaining };
}
