import { describe, expect, test } from "@jest/globals";
import { kindOfRefusal, type ModelErrorKind, parseRetryAfter } from "../../../shared/model/model-error.ts";

test.each<[status: number, code: string, message: string, kind: ModelErrorKind]>([
  [429, " insufficient_quota", "", "quota"],
  [429, "billing_hard_limit_reached", "", "quota"],
  [400, "", "This model's maximum context length is 4096 tokens", "context-too-long"],
  [400, "exceed_context_size_error", "the request exceeds the available context size", "context-too-long"],
  [400, "", "Your input exceeds the context window of this model", "context-too-long"],
  [500, "", "the request exceeds the available Context Size", "context-too-long"],
  [400, "content_policy_violation", "", "content-filter"],
  [502, "", "", "server"],
  [409, "", "", "rejected"],
])("an error response %i %j %j of the provider is of the kind %s", (status, code, message, kind) => {
  expect(kindOfRefusal(status, code, message)).toBe(kind);
});

describe("Retry-After", () => {
  const now = Date.parse("2030-01-01T00:00:00Z");

  test.each([
    ["seconds", "7", 7_000],
    ["a date", "Tue, 01 Jan 2030 00:00:12 GMT", 12_000],
    ["a date in the past", "Mon, 31 Dec 2029 23:59:59 GMT", 0],
    ["a negative number", "-5", undefined],
    ["text that only some parsers accept as a date", "wait 5", undefined],
    ["a list", "1, 2", undefined],
    ["blank", " ", undefined],
    ["a fraction of a second", "0.5", 500],
    ["no header", undefined, undefined],
    ["an infinite number", "Infinity", undefined],
  ])("that is %s: %j gives %j", (_, header, wait) => {
    expect(parseRetryAfter(header, now)).toBe(wait);
  });
});
