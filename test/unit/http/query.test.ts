import { describe, expect, test } from "@jest/globals";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { ServiceError } from "../../../shared/errors.ts";
import { includes, pageOf } from "../../../shared/http/query.ts";

/** An event as the gateway makes it: `queryStringParameters` has the last value of each name. */
function event(query: string): APIGatewayProxyEvent {
  const parameters = new URLSearchParams(query);
  return {
    queryStringParameters: query === "" ? null : Object.fromEntries(parameters),
    multiValueQueryStringParameters:
      query === "" ? null : Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)])),
  } as unknown as APIGatewayProxyEvent;
}

describe("a page", () => {
  test.each([
    ["", { limit: 50, before: undefined }],
    ["limit=1", { limit: 1, before: undefined }],
    ["limit=100&before=abc", { limit: 100, before: "abc" }],
    ["other=1&other=2", { limit: 50, before: undefined }],
  ])("of ?%s is %j", (query, expected) => {
    expect(pageOf(event(query), 50)).toEqual(expected);
  });

  test.each(["", "0", "101", "x", "1.5", "-1", "1e1", " 1", "0001"])("has no limit of %j", (limit) => {
    const message = "must be a whole number from 1 to 100";
    expect(() => pageOf(event(`limit=${encodeURIComponent(limit)}`), 50)).toThrow(
      new ServiceError("invalid", `limit: ${message}`, { details: [{ path: "limit", message }] }),
    );
  });
});

test.each([
  ["limit=1&limit=2", "limit"],
  ["limit=abc&limit=1", "limit"],
  ["before=a&before=b", "before"],
])("?%s is rejected, because it says two things", (query, path) => {
  const message = "must be given only once";
  expect(() => pageOf(event(query), 50)).toThrow(
    new ServiceError("invalid", `${path}: ${message}`, { details: [{ path, message }] }),
  );
});

test("a page is rejected with all faults at once", () => {
  expect(() => pageOf(event("limit=0&before=a&before=b"), 50)).toThrow(
    expect.objectContaining({
      extra: {
        details: [
          { path: "limit", message: "must be a whole number from 1 to 100" },
          { path: "before", message: "must be given only once" },
        ],
      },
    }),
  );
});

test("include names one part, once", () => {
  expect(() => includes(event("include=messages"), "metadata")).toThrow("include: must be metadata");
  expect(() => includes(event("include=x&include=metadata"), "metadata")).toThrow("include: must be given only once");
});
