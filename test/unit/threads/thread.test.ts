import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Clock } from "../../../shared/config.ts";
import { sweepAt } from "../../../shared/dynamo/keys.ts";
import {
  CONTEXT_MESSAGES,
  IDLE_SECONDS,
  isExpired,
  lifetime,
  SWEEP_INTERVAL_SECONDS,
  ttlAt,
} from "../../../shared/threads/thread.ts";
import { isThreadId } from "../../../shared/threads/thread-id.ts";

const SPECIFIED: Clock = { idleSeconds: IDLE_SECONDS, sweepIntervalSeconds: SWEEP_INTERVAL_SECONDS };
const NINE = Date.parse("2026-03-01T09:00:00.000Z");
const MINUTE = 60_000;
const DAY_SECONDS = 24 * 60 * 60;

const time = fc.integer({ min: 0, max: Date.parse("2200-01-01") });
const clock: fc.Arbitrary<Clock> = fc.record({
  idleSeconds: fc.integer({ min: 1, max: 86_400 }),
  sweepIntervalSeconds: fc.integer({ min: 1, max: 86_400 }),
});

test("the limits of a thread match the specification", () => {
  expect(SPECIFIED).toEqual({ idleSeconds: 30 * 60, sweepIntervalSeconds: 10 * 60 });
  expect(CONTEXT_MESSAGES).toBe(20);
});

describe("the lifetime of a thread", () => {
  test("ends 30 minutes after the last activity, with the next sweep after that and a TTL one day later", () => {
    expect(lifetime(NINE + 1, SPECIFIED)).toEqual({
      lastActivity: "2026-03-01T09:00:00.001Z",
      expiresAt: "2026-03-01T09:30:00.001Z",
      sweepAt: "2026-03-01T09:40:00.000Z",
      ttl: Date.parse("2026-03-02T09:30:01.000Z") / 1000,
    });
  });
});

test("sweepAt is the first multiple of the interval at or after the time", () => {
  fc.assert(
    fc.property(time, clock, (anyTime, anyClock) => {
      const interval = anyClock.sweepIntervalSeconds * 1000;
      const sweep = Date.parse(sweepAt(anyTime, anyClock));
      expect(sweep % interval).toBe(0);
      expect(sweep).toBeGreaterThanOrEqual(anyTime);
      expect(sweep - interval).toBeLessThan(anyTime);
    }),
  );
});

test("ttlAt is one day after the time, rounded up to whole seconds", () => {
  fc.assert(
    fc.property(time, (anyTime) => {
      const seconds = ttlAt(anyTime);
      expect(Number.isInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(anyTime / 1000 + DAY_SECONDS);
      expect(seconds).toBeLessThan(anyTime / 1000 + DAY_SECONDS + 1);
    }),
  );
});

describe("a thread", () => {
  test("expires exactly at its expiry time, whatever that time", () => {
    fc.assert(
      fc.property(time, fc.integer({ min: -MINUTE, max: MINUTE }), (expiry, offset) => {
        fc.pre(expiry + offset >= 0);
        expect(isExpired({ expiresAt: new Date(expiry).toISOString() }, expiry + offset)).toBe(offset >= 0);
      }),
    );
  });

  test("has an id of five digits", () => {
    expect(["10000", "99999", "00000"].every(isThreadId)).toBe(true);
    const others = ["", "1234", "123456", "1234a", " 12345", "12345\n", "+1234", "1e100", "٣٤٥٦٧", "12345#x"];
    expect(others.filter(isThreadId)).toEqual([]);
  });
});
