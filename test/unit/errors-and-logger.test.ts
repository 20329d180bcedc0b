import { afterEach, describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { OperatorError, ServiceError } from "../../shared/errors.ts";
import { describeError, logError, logInfo, logWarning } from "../../shared/logger.ts";
import { inRequest } from "../../shared/request-context.ts";
import { newContext } from "../helpers/caller.ts";
import { growth } from "../helpers/growth.ts";

const SECRET = "confidential-4711";

/** Everything that is logged about an error, as text. */
const logged = (error: unknown) => JSON.stringify(describeError(error));

describe("the description of an error", () => {
  test("never contains a third-party error's message", () => {
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
    ["a value that is not an error", SECRET],
    ["an error's cause", new Error("failure", { cause: new Error(SECRET) })],
    ["an error's parts", new AggregateError([new Error(SECRET)], "failure")],
    ["an error's other fields", Object.assign(new Error("failure"), { Item: { phone: SECRET }, error: SECRET })],
    ["a line of its message that looks like a stack frame", new Error(`failure\nat ${SECRET} (file.ts:1:1)`)],
    ["a code that a provider chose", Object.assign(new Error("failure"), { code: SECRET, status: SECRET })],
    ["a name that is not an identifier", Object.assign(new Error("failure"), { name: `Error: ${SECRET}` })],
    ["a name of several lines", Object.assign(new Error("failure"), { name: `Error\n${SECRET}` })],
    ["a name that is too long", Object.assign(new Error("failure"), { name: "confidential4711".repeat(10) })],
    ["a name that is not a string", Object.assign(new Error("failure"), { name: { secret: SECRET } })],
    ["a request ID with spaces", Object.assign(new Error("failure"), { requestID: `id ${SECRET}` })],
    ["a request ID of several lines", Object.assign(new Error("failure"), { requestID: `id\n${SECRET}` })],
    ["a request ID that is too long", Object.assign(new Error("failure"), { requestID: SECRET.repeat(10) })],
    [
      "a database's request ID with spaces",
      Object.assign(new Error("failure"), { $metadata: { requestId: `id ${SECRET}`, httpStatusCode: SECRET } }),
    ],
    ["a code followed by text", Object.assign(new Error("failure"), { code: `ECONNRESET ${SECRET}` })],
    ["a code followed by a line", Object.assign(new Error("failure"), { code: `ECONNRESET\n${SECRET}` })],
    ["a code preceded by text", Object.assign(new Error("failure"), { code: `${SECRET} ECONNRESET` })],
    ["a code of many letters", Object.assign(new Error("failure"), { code: `E${"CONFIDENTIAL".repeat(5)}` })],
    ["the text and details of a ServiceError", new ServiceError("invalid", SECRET, { details: [SECRET] })],
  ])("never contains %s", (_, error) => {
    expect(logged(error)).not.toMatch(/confidential/i);
  });

  test("contains a name, a code and a request ID in their usual form", () => {
    const error = Object.assign(new Error(SECRET), { name: "APIError", code: "ECONNRESET", requestID: "req_1-a" });
    expect(describeError(error)).toMatchObject({
      errorName: "APIError",
      code: "ECONNRESET",
      upstreamRequestId: "req_1-a",
    });
  });

  test("takes linear time in the length of the error's texts", () => {
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

  test("contains the identifiers of a database error", () => {
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

  test("contains the identifiers of a model provider's error", () => {
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

  test("contains up to six stack frames, innermost first", () => {
    const recurse = (depth: number): Error => (depth === 0 ? new Error(SECRET) : recurse(depth - 1));
    const stack = describeError(recurse(20)).stack as string[];
    expect(stack).toHaveLength(6);
    expect(stack[0]).toMatch(/^at recurse .*errors-and-logger\.test\.ts/);
  });

  test("keeps the message of an OperatorError, which says what to do", () => {
    const sentence = "The secret is empty; put a key there.";
    expect(describeError(new OperatorError(sentence))).toMatchObject({ errorName: "OperatorError", reason: sentence });
  });

  test("names the type of a value that is not an error", () => {
    expect(describeError(undefined)).toEqual({ errorName: "undefined" });
    expect(describeError("text")).toEqual({ errorName: "string" });
  });
});

test("a ServiceError records no stack; later errors still do", () => {
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
  ] as const)("of level %s is one object with the event first, and in a request its ID", (level, log) => {
    const lines = jest.spyOn(console, level).mockImplementation(() => {});
    log("something-happened", { count: 2 });
    inRequest(newContext(), () => log("something-happened"));
    expect(lines.mock.calls).toEqual([
      [{ event: "something-happened", count: 2 }],
      [{ event: "something-happened", requestId: "a-request" }],
    ]);
  });
});
