import { describe, expect, test } from "@jest/globals";
import { parseRetryAfter } from "../../shared/retry-after.ts";

describe("Retry-After", () => {
  const now = Date.parse("2030-01-01T00:00:00Z");

  test.each([
    ["seconds", "7", 7_000],
    ["a date", "Tue, 01 Jan 2030 00:00:12 GMT", 12_000],
    ["a date as in RFC 850", "Tuesday, 01-Jan-30 00:00:12 GMT", 12_000],
    ["a date as in RFC 850 of the last century", "Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["a date as of asctime, with a blank before the day", "Tue Jan  1 00:00:12 2030", 12_000],
    ["a date in the past", "Mon, 31 Dec 2029 23:59:59 GMT", 0],
    ["a date in another time zone", "Tue, 01 Jan 2030 00:00:12 CET", undefined],
    ["an ISO date", "2030-01-01T00:00:12Z", undefined],
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
