import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { DAYS, type OpeningHours, openingAt } from "../../shared/opening-hours.ts";
import { MOST_HANDOFF_MINUTES } from "../../shared/profile/profile.ts";
import { IDLE_SECONDS, SWEEP_INTERVAL_SECONDS } from "../../shared/threads/thread.ts";

const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday"] as const;
const LONDON: OpeningHours = {
  timeZone: "Europe/London",
  weekly: [
    { days: WEEK, opens: "08:00", closes: "12:30" },
    { days: WEEK, opens: "14:00", closes: "18:30" },
  ],
  exceptions: [{ date: "2026-12-25" }, { date: "2026-12-26", opens: "10:00", closes: "11:00" }],
};

const at = (time: string, hours = LONDON) => {
  const opening = openingAt(hours, Date.parse(time));
  return opening.isOpen ? "open" : opening.opensAt && new Date(opening.opensAt).toISOString();
};

test.each([
  ["on a Friday morning", "2026-11-27T09:00:00Z", "open"],
  ["at the minute when it opens", "2026-11-27T08:00:00Z", "open"],
  ["a minute before", "2026-11-27T07:59:59Z", "2026-11-27T08:00:00.000Z"],
  ["at the minute when it closes", "2026-11-27T12:30:00Z", "2026-11-27T14:00:00.000Z"],
  ["on a Friday evening", "2026-11-27T19:00:00Z", "2026-11-30T08:00:00.000Z"],
  ["in summer, an hour earlier by UTC", "2026-07-03T07:00:00Z", "open"],
  ["on the last weekend before the clocks go forward", "2026-03-28T12:00:00Z", "2026-03-30T07:00:00.000Z"],
  ["on the last weekend before the clocks go back", "2026-10-24T12:00:00Z", "2026-10-26T08:00:00.000Z"],
  ["on the evening before Christmas", "2026-12-24T19:00:00Z", "2026-12-26T10:00:00.000Z"],
  ["on a Saturday with hours of its own", "2026-12-26T10:30:00Z", "open"],
])("a clinic in London %s is open, or opens when it should", (_, time, expected) => {
  expect(at(time)).toBe(expected);
});

test.each([
  ["without any hours", { ...LONDON, weekly: [], exceptions: [] }],
  [
    "whose only hours are on a day that is past",
    { ...LONDON, weekly: [], exceptions: [{ date: "2026-01-02", opens: "08:00", closes: "09:00" }] },
  ],
])("a clinic %s is closed, and does not say until when", (_, hours) => {
  expect(at("2026-11-27T09:00:00Z", hours)).toBeUndefined();
});

test("a handoff is given up before the thread expires, even if the sweep notices it late", () => {
  expect(MOST_HANDOFF_MINUTES).toBe((IDLE_SECONDS - SWEEP_INTERVAL_SECONDS) / 60);
});

test("a clinic that is open around the clock is open at midnight", () => {
  const hours = { ...LONDON, weekly: [{ days: DAYS, opens: "00:00", closes: "24:00" }], exceptions: [] };
  expect(at("2026-11-27T00:00:00Z", hours)).toBe("open");
  expect(at("2026-11-27T23:59:59Z", hours)).toBe("open");
});

describe("a closed clinic", () => {
  const zones = ["Europe/London", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "UTC"];
  const time = fc.integer({ min: 0, max: 23 * 60 }).map((minutes) => {
    const two = (number: number) => String(number).padStart(2, "0");
    return [`${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`, `${two(Math.floor(minutes / 60))}:59`] as const;
  });
  const weekly = fc
    .array(fc.tuple(fc.subarray([...DAYS], { minLength: 1 }), time), { minLength: 1, maxLength: 4 })
    .map((entries) => entries.map(([days, [opens, closes]]) => ({ days, opens, closes })))
    .map((entries) => entries.filter(({ opens, closes }) => opens < closes));

  test("is open at the moment that it names, and was closed in each minute before", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        weekly,
        fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
        (timeZone, entries, now) => {
          const hours = { timeZone, weekly: entries, exceptions: [] };
          const opening = openingAt(hours, now);
          if (opening.isOpen || opening.opensAt === undefined) {
            return;
          }
          const { opensAt } = opening;
          expect(opensAt).toBeGreaterThan(now);
          // A time that the clocks skip on one night of the year stands for the one an hour or half an hour later.
          const skipped = [opensAt, opensAt + 30 * 60_000, opensAt + 60 * 60_000];
          expect(skipped.some((instant) => openingAt(hours, instant).isOpen)).toBe(true);
          for (const minutes of [1, 7, 30, 61, 600]) {
            const before = opensAt - minutes * 60_000;
            expect(before > now && openingAt(hours, before).isOpen).toBe(false);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
