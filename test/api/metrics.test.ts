import { describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { type ModelReply, noDanger } from "../helpers/model/scripted-model.ts";
import { SUSPECTED } from "../helpers/safety-messages.ts";
import { metricsIn, valuesOf } from "../helpers/service/metrics.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

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

const failed = (error: string): Expected[] => [["Errors", { error }, [1]]];

const call = (method: string, path: string, body?: unknown, key?: string | null) => () =>
  service.call(method, path, { body, ...(key !== undefined && { key }) });

describe("the metrics of a request", () => {
  test("are none if it succeeds without the model, because the platform counts it", async () => {
    await expectCounted(call("POST", "/patients", { name: "Pat Example" }), []);
  });

  test("are its tokens, recorded when its stream ends", async () => {
    const chat = () => service.stream({ message: "hello" });
    await expectCounted(chat, [
      ["InputTokens", {}, [10]],
      ["CachedInputTokens", {}, [0]],
      ["OutputTokens", {}, [5]],
    ]);
  });

  test.each<[ModelReply, number[]]>([
    [noDanger(), []],
    [{ content: "I would not worry." }, [1]],
  ])("are that there is no verdict on a suspicion, if it is %j", async (verdict, missing) => {
    service.model.verdict = () => verdict;
    const before = service.logs.length;
    await service.chat({ message: SUSPECTED.emergency[0] });
    const written = () => metricsIn(service.logs.slice(before));
    await eventually(written, (all) => valuesOf(all, "OutputTokens", {}).length === 2);
    expect(valuesOf(written(), "VerdictsMissing", {})).toEqual(missing);
  });

  test("are, for the first rating of an answer, whether it is bad", async () => {
    const threadId = await service.newThread();
    const { ids } = (await service.chat({ message: "hello", threadId, include: ["ids"] })).body;
    const rate = async (rating: string) => {
      const path = `/threads/${threadId}/messages/${ids.assistant}/feedback`;
      expect((await service.call("PUT", path, { body: { rating } })).status).toBe(200);
    };
    const dimensions = { model: "gpt-6-luna", instructions: expect.any(String) as unknown as string };
    const rated = () => metricsIn(service.logs).filter(({ name }) => name === "BadFeedback");
    await rate("bad");
    await rate("good");
    await eventually(rated, ({ length }) => length > 0);
    expect(rated()).toEqual([{ name: "BadFeedback", unit: "Count", value: 1, dimensions }]);
    expect(service.logs.filter((line) => line.includes("BadFeedback")).join()).not.toContain("xRequestId");
  });
});

describe("an error is counted by kind:", () => {
  const unknown = "00000000-0000-4000-8000-000000000000";
  test.each<[kind: string, request: () => Promise<unknown>]>([
    ["invalid", call("POST", "/patients", {})],
    ["too-large", call("POST", "/threads", { metadata: { text: "x".repeat(257 * 1024) } })],
  ])("%s", async (kind, request) => {
    await expectCounted(request, failed(kind));
  });

  test("not-found, and as a request for an unknown id", async () => {
    await expectCounted(call("GET", `/patients/${unknown}`), [...failed("not-found"), ["UnknownIds", {}, [1]]]);
  });

  test("not-found, but not as a request for an unknown id if only the model is unknown", async () => {
    const body = { model: "gpt-6", messages: [{ role: "user", content: "hello" }] };
    await expectCounted(call("POST", "/openai/v1/chat/completions", body), failed("not-found"));
  });

  test("conflict", async () => {
    const create = call("POST", "/patients", { phone_number: "5550150001" });
    await create();
    await expectCounted(create, failed("conflict"));
  });

  test.each([
    ["missing", null],
    ["unknown", "no-such-key"],
  ])("unauthorized, with the reason that the key is %s", async (reason, key) => {
    await expectCounted(call("GET", "/threads/00000", undefined, key), [
      ["Errors", { error: "unauthorized" }, [1]],
      ["AuthenticationFailures", { reason }, [1]],
    ]);
  });

  test("model", async () => {
    service.model.script = () => ({ status: 401 });
    await expectCounted(call("POST", "/chat", { message: "hello" }), [
      ...failed("model"),
      ["ModelFailure", { kind: "authentication" }, [1]],
      ["ModelRefused", {}, [1]],
    ]);
  });

  test("model, in a stream that began with status 200", async () => {
    service.model.script = () => ({ content: "one two three", breakAfter: 2 });
    const chat = () => service.stream({ message: "hello" });
    await expectCounted(chat, [
      // The tokens of an answer that was cut off are estimated.
      ["InputTokens", {}, [expect.any(Number) as unknown as number]],
      ["CachedInputTokens", {}, [0]],
      ["OutputTokens", {}, [6]], // with the level before the words
      ...failed("model"),
      ["ModelFailure", { kind: "connection" }, [1]],
      ["ModelUnavailable", {}, [1]],
    ]);
  });
});
