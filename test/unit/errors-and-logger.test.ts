import { afterEach, describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { OperatorError, ServiceError } from "../../shared/errors.ts";
import { describeError, logError, logInfo, logWarning } from "../../shared/observability/logger.ts";
import { inRequest } from "../../shared/request/request-context.ts";
import { anyCharacter } from "../helpers/any-character.ts";
import { newContext } from "../helpers/caller.ts";
import { growth } from "../helpers/growth.ts";

const SECRET = "confidential-4711";

/** Everything that is logged about an error, as text. */
const logged = (error: unknown) => JSON.stringify(describeError(error));

describe("the description of an error", () => {
  test("never contains a third-party error's message", () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom("\n", " ", "Error: ", "\nat ", ":1:1)"), fc.string({ unit: anyCharacter })),
    });
    const kind = fc.constantFrom(Error, TypeError, SyntaxError, RangeError);
    fc.assert(
      fc.property(text, text, kind, (before, after, Kind) => {
        expect(logged(new Kind(`${before}${SECRET}${after}`))).not.toContain(SECRET);
      }),
    );
  });

  const failure = (fields: object) => Object.assign(new Error("failure"), fields);

  test.each([
    ["a value that is not an error", SECRET],
    ["an error's cause", new Error("failure", { cause: new Error(SECRET) })],
    ["an error's parts", new AggregateError([new Error(SECRET)], "failure")],
    ["an error's other fields", failure({ Item: { phone: SECRET }, error: SECRET })],
    ["a line of its message that looks like a stack frame", new Error(`failure\nat ${SECRET} (file.ts:1:1)`)],
    ["a code that a provider chose", failure({ code: SECRET, status: SECRET })],
    ["a code of many letters", failure({ code: `E${"CONFIDENTIAL".repeat(5)}` })],
    ["a name that is too long", failure({ name: "confidential4711".repeat(10) })],
    ["a name that is not a string", failure({ name: { secret: SECRET } })],
    ["a request ID that is too long", failure({ requestID: SECRET.repeat(10) })],
    ["a status that is not a number", failure({ $metadata: { httpStatusCode: SECRET } })],
    ["the text and details of a ServiceError", new ServiceError("invalid", SECRET, { details: [SECRET] })],
  ])("never contains %s", (_, error) => {
    expect(logged(error)).not.toMatch(/confidential/i);
  });

  test.each<[string, (text: string) => object]>([
    ["name", (text) => ({ name: `Error${text}` })],
    ["code", (text) => ({ code: `ECONNRESET${text}` })],
    ["code after it", (text) => ({ code: `${text}ECONNRESET` })],
    ["request ID", (text) => ({ requestID: `id${text}` })],
    ["database's request ID", (text) => ({ $metadata: { requestId: `id${text}` } })],
  ])("never contains words or lines beside an error's %s", (_, fields) => {
    for (const separator of [" ", "\n", ": ", "\nat "]) {
      expect(logged(failure(fields(`${separator}${SECRET}${separator}`)))).not.toMatch(/confidential/i);
    }
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

  test.each([
    [
      "a database",
      { name: "ValidationException", $metadata: { httpStatusCode: 400, requestId: "request-1" } },
      { errorName: "ValidationException", reason: undefined, status: 400, upstreamRequestId: "request-1" },
    ],
    [
      "a model provider",
      { status: 429, code: "rate_limit_exceeded", requestID: "request-2" },
      { status: 429, code: undefined, upstreamRequestId: "request-2" },
    ],
    [
      "a connection",
      { name: "APIError", code: "ECONNRESET", requestID: "req_1-a" },
      { errorName: "APIError", code: "ECONNRESET", upstreamRequestId: "req_1-a" },
    ],
  ])("contains the identifiers of an error of %s", (_, fields, description) => {
    expect(describeError(Object.assign(new Error(SECRET), fields))).toMatchObject(description);
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
      [{ event: "something-happened", xRequestId: "a-request" }],
    ]);
  });
});
