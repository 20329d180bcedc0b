import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { type MetricValue, metricsIn, valuesOf } from "../helpers/service/metrics.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

let service: TestService;
/** The metrics written during startup: a request for the OpenAPI document, and the first sweep. */
let atStart: MetricValue[];
beforeAll(async () => {
  service = await startTestService();
  const has = (all: MetricValue[], name: string) => all.some((one) => one.name === name);
  atStart = await eventually(
    () => metricsIn(service.logs),
    (all) => has(all, "Requests") && has(all, "SweepCompleted"),
  );
});
afterAll(() => service.stop());

/** The expected values of a metric, in any order. */
type Expected = [name: string, dimensions: Record<string, string>, values: unknown[]];

/** Asserts that an action writes exactly the expected metrics with the unit Count. */
async function expectCounted(act: () => Promise<unknown>, expected: Expected[]): Promise<void> {
  const before = service.logs.length;
  await act();
  const counted = () => metricsIn(service.logs.slice(before)).filter(({ unit }) => unit === "Count");
  const found = () =>
    Object.fromEntries(
      counted().map(({ name, dimensions }) => [
        [name, ...Object.entries(dimensions).flat()].join(" "),
        valuesOf(counted(), name, dimensions).sort(),
      ]),
    );
  const wanted = Object.fromEntries(
    expected.map(([name, dimensions, values]) => [[name, ...Object.entries(dimensions).flat()].join(" "), values]),
  );
  const amount = expected.reduce((sum, [, , { length }]) => sum + length, 0);
  await eventually(counted, ({ length }) => length >= amount);
  expect(found()).toEqual(wanted);
}

const by = { client: "local", tenant: "local" };
const answered = (route: string): Expected[] => [
  ["Requests", { route }, [1]],
  ["ServerErrors", { route }, [0]],
  ["ClientRequests", by, [1]],
];
const failed = (route: string, kind: string): Expected[] => [
  ["Requests", { route }, [1]],
  ["ServerErrors", { route }, [1]],
  ["ClientRequests", by, [1]],
  ["Errors", { kind }, [1]],
];
const rejected = (route: string, kind: string): Expected[] => [...answered(route), ["Errors", { kind }, [1]]];

const call = (method: string, path: string, body?: unknown, key?: string | null) => () =>
  service.call(method, path, { body, ...(key !== undefined && { key }) });

describe("a request is counted by route and client:", () => {
  test("a successful one", async () => {
    await expectCounted(call("POST", "/patients", { name: "Pat Example" }), answered("create-patient"));
  });

  test("one without a client when it needs no key", async () => {
    await expectCounted(call("GET", "/openapi.json", undefined, null), answered("openapi").slice(0, 2));
  });

  test("a streamed one when it has ended", async () => {
    const chat = async () => (await openStream(service, { message: "hello" })).rest();
    await expectCounted(chat, [
      ...answered("chat"),
      ["InputTokens", by, [expect.any(Number)]],
      ["OutputTokens", by, [expect.any(Number)]],
    ]);
  });

  test("with its latency", async () => {
    const before = service.logs.length;
    await service.call("GET", "/threads/00000");
    const latency = () =>
      metricsIn(service.logs.slice(before)).filter(({ dimensions }) => dimensions.route === "get-thread");
    const found = await eventually(latency, ({ length }) => length === 3);
    expect(found.find(({ name }) => name === "Latency")).toMatchObject({ unit: "Milliseconds" });
  });

  test("in two lines of metrics if it succeeds", async () => {
    const before = service.logs.length;
    await service.call("POST", "/patients", { body: { name: "Pat Example" } });
    const lines = () => service.logs.slice(before).filter((line) => line.startsWith('{"_aws"'));
    const found = await eventually(
      lines,
      (all) => valuesOf(metricsIn(all), "Requests", { route: "create-patient" }).length === 1,
    );
    expect(found).toHaveLength(2);
  });
});

describe("an error is counted by kind:", () => {
  const unknown = "00000000-0000-4000-8000-000000000000";
  test.each<[kind: string, route: string, request: () => Promise<unknown>]>([
    ["invalid", "create-patient", call("POST", "/patients", {})],
    ["not-found", "get-patient", call("GET", `/patients/${unknown}`)],
    ["too-large", "create-thread", call("POST", "/threads", { metadata: { text: "x".repeat(257 * 1024) } })],
  ])("%s", async (kind, route, request) => {
    await expectCounted(request, rejected(route, kind));
  });

  test("conflict", async () => {
    const create = call("POST", "/patients", { phone_number: "5550150001" });
    await create();
    await expectCounted(create, rejected("create-patient", "conflict"));
  });

  test.each([
    ["missing", null],
    ["unknown", "no-such-key"],
  ])("unauthorized, with the reason that the key is %s", async (reason, key) => {
    await expectCounted(call("GET", "/threads/00000", undefined, key), [
      ["Requests", { route: "get-thread" }, [1]],
      ["ServerErrors", { route: "get-thread" }, [0]],
      ["Errors", { kind: "unauthorized" }, [1]],
      ["AuthenticationFailures", { reason }, [1]],
    ]);
  });

  test("model", async () => {
    service.model.script = () => ({ status: 401 });
    await expectCounted(call("POST", "/chat", { message: "hello" }), [
      ...failed("chat", "model"),
      ["ModelFailure", { kind: "authentication" }, [1]],
    ]);
  });

  test("model, in a stream that has begun with status 200", async () => {
    service.model.script = () => ({ content: "one two three", breakAfter: 2 });
    const chat = async () => (await openStream(service, { message: "hello" })).rest();
    await expectCounted(chat, [...failed("chat", "model"), ["ModelFailure", { kind: "connection" }, [1]]]);
  });
});

describe("a new thread is counted", () => {
  test("with the number of attempts to assign its id", async () => {
    await expectCounted(call("POST", "/threads", {}), [
      ...answered("create-thread"),
      ["ThreadsCreated", {}, [1]],
      ["ThreadIdTries", {}, [expect.any(Number)]],
    ]);
  });
});

test("a sweep is counted with its results", () => {
  expect(atStart.filter(({ name }) => name.startsWith("Swe"))).toEqual([
    { name: "SweptThreads", unit: "Count", value: 0, dimensions: {} },
    { name: "SweepFailures", unit: "Count", value: 0, dimensions: {} },
    { name: "SweepCompleted", unit: "Count", value: 1, dimensions: {} },
  ]);
});
