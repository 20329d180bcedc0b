import { afterEach, describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { OperatorError, ServiceError } from "../../shared/errors.ts";
import {
  annotate,
  currentAnnotations,
  describeError,
  logError,
  logInfo,
  logWarning,
  startRequest,
} from "../../shared/logger.ts";
import { growth } from "../helpers/growth.ts";

const SECRET = "confidential-4711";

/** Everything that would be logged of an error, as text. */
const logged = (error: unknown) => JSON.stringify(describeError(error));

describe("the description of an error", () => {
  test("never has a foreign error's message, whatever that is", () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom("\n", " ", "Error: ", "\nat ", ":1:1)"), fc.string({ unit: "binary" })),
    });
    const kind = fc.constantFrom(Error, TypeError, SyntaxError, RangeError);
    fc.assert(
      fc.property(text, text, kind, (before, after, Kind) => {
        expect(logged(new Kind(`${before}${SECRET}${after}`))).not.toContain(SECRET);
      }),
    );
  });

  test.each([
    ["a value that is no error", SECRET],
    ["an error's cause", new Error("failure", { cause: new Error(SECRET) })],
    ["an error's parts", new AggregateError([new Error(SECRET)], "failure")],
    ["an error's other fields", Object.assign(new Error("failure"), { Item: { phone: SECRET }, error: SECRET })],
    ["a line of its message that looks like a frame", new Error(`failure\nat ${SECRET} (file.ts:1:1)`)],
    ["a code that a provider chose", Object.assign(new Error("failure"), { code: SECRET, status: SECRET })],
    ["a name that is no identifier", Object.assign(new Error("failure"), { name: `Error: ${SECRET}` })],
    ["a name of many lines", Object.assign(new Error("failure"), { name: `Error\n${SECRET}` })],
    ["a name that is too long", Object.assign(new Error("failure"), { name: "confidential4711".repeat(10) })],
    ["a name that is no text", Object.assign(new Error("failure"), { name: { secret: SECRET } })],
    ["a request ID with spaces", Object.assign(new Error("failure"), { requestID: `id ${SECRET}` })],
    ["a request ID of many lines", Object.assign(new Error("failure"), { requestID: `id\n${SECRET}` })],
    ["a request ID that is too long", Object.assign(new Error("failure"), { requestID: SECRET.repeat(10) })],
    [
      "a database's request ID with spaces",
      Object.assign(new Error("failure"), { $metadata: { requestId: `id ${SECRET}`, httpStatusCode: SECRET } }),
    ],
    ["a code followed by text", Object.assign(new Error("failure"), { code: `ECONNRESET ${SECRET}` })],
    ["a code followed by a line", Object.assign(new Error("failure"), { code: `ECONNRESET\n${SECRET}` })],
    ["a code preceded by text", Object.assign(new Error("failure"), { code: `${SECRET} ECONNRESET` })],
    ["a code of many letters", Object.assign(new Error("failure"), { code: `E${"CONFIDENTIAL".repeat(5)}` })],
    ["a refusal's text and details", new ServiceError("invalid", SECRET, { details: [SECRET] })],
  ])("never has %s", (_, error) => {
    expect(logged(error)).not.toMatch(/confidential/i);
  });

  test("has a name, a code and a request ID in their usual form", () => {
    const error = Object.assign(new Error(SECRET), { name: "APIError", code: "ECONNRESET", requestID: "req_1-a" });
    expect(describeError(error)).toMatchObject({
      errorName: "APIError",
      code: "ECONNRESET",
      upstreamRequestId: "req_1-a",
    });
  });

  test("takes time in proportion to the length of the error's texts", () => {
    const errorOf = (size: number) => {
      const lines = "\nat a:1:1:1:1:1".repeat(size);
      return Object.assign(new Error(lines), {
        name: "E".repeat(size),
        code: `E${"A_".repeat(size)}`,
        requestID: lines,
      });
    };
    expect(growth(errorOf, describeError, 5_000)).toBeLessThan(2.5);
  });

  test("has what identifies a database's error", () => {
    const error = Object.assign(new Error(SECRET), {
      name: "ValidationException",
      $metadata: { httpStatusCode: 400, requestId: "request-1" },
    });
    expect(describeError(error)).toMatchObject({
      errorName: "ValidationException",
      reason: undefined,
      status: 400,
      upstreamRequestId: "request-1",
    });
  });

  test("has what identifies a model provider's error", () => {
    const error = Object.assign(new Error(SECRET), {
      status: 429,
      code: "rate_limit_exceeded",
      requestID: "request-2",
    });
    expect(describeError(error)).toMatchObject({
      status: 429,
      code: undefined,
      upstreamRequestId: "request-2",
    });
  });

  test("has the frames of its stack, where it was thrown first, six at most", () => {
    const recurse = (depth: number): Error => (depth === 0 ? new Error(SECRET) : recurse(depth - 1));
    const stack = describeError(recurse(20)).stack as string[];
    expect(stack).toHaveLength(6);
    expect(stack[0]).toMatch(/^at recurse .*errors-and-logger\.test\.ts/);
  });

  test("keeps an operator error's sentence, which says what to do", () => {
    const sentence = "The secret is empty; put a key there.";
    expect(describeError(new OperatorError(sentence))).toMatchObject({ errorName: "OperatorError", reason: sentence });
  });

  test("names the type of a value that is no error", () => {
    expect(describeError(undefined)).toEqual({ errorName: "undefined" });
    expect(describeError("text")).toEqual({ errorName: "string" });
  });
});

test("a refusal records no stack; errors after it do, as before", () => {
  expect(new ServiceError("invalid", "a text").stack).not.toMatch(/^ +at /m);
  expect(new Error("failure").stack).toMatch(/^ +at /m);
});

describe("a log line", () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test.each([
    ["info", logInfo],
    ["warn", logWarning],
    ["error", logError],
  ] as const)("of level %s is one object, its event first", (level, log) => {
    const lines = jest.spyOn(console, level).mockImplementation(() => {});
    log("something-happened", { count: 2 });
    expect(lines.mock.calls).toEqual([[{ event: "something-happened", count: 2 }]]);
  });
});

test("annotations add up until the next request starts", () => {
  startRequest("a-request");
  annotate({ client: "one" });
  annotate({ threadId: "48213" });
  expect(currentAnnotations()).toEqual({ client: "one", threadId: "48213" });
  startRequest("a-request");
  expect(currentAnnotations()).toEqual({});
});
