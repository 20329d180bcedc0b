import { describe, expect, test } from "@jest/globals";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { header } from "../../shared/contract/header.ts";

/** An event as the gateway makes it: `headers` has the last value of each name. */
function event(values: Record<string, string[]>): APIGatewayProxyEvent {
  const headers = Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1)]));
  return { headers, multiValueHeaders: values } as unknown as APIGatewayProxyEvent;
}

describe("a header", () => {
  test("is found in any spelling", () => {
    expect(header(event({ "If-Match": ['"a"'] }), "if-match")).toBe('"a"');
    expect(header(event({ "If-None-Match": ['"a"'] }), "if-match")).toBeUndefined();
  });

  test("that is repeated is a list, in which equal values count once", () => {
    expect(header(event({ "if-match": ['"a"', '"b"'] }), "if-match")).toBe('"a", "b"');
    expect(header(event({ prefer: ["handling=strict", "wait=5"] }), "prefer")).toBe("handling=strict, wait=5");
    expect(header(event({ "X-API-Key": ["key", "key"] }), "x-api-key")).toBe("key");
  });

  test("is read from an event that has no lists", () => {
    expect(header({ headers: { prefer: "wait=5" }, multiValueHeaders: null } as never, "prefer")).toBe("wait=5");
  });
});
