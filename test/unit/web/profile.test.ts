import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Profile } from "../../../packages/client/client.js";
import { LANGUAGES } from "../../../packages/safety/alerts.ts";
import { COUNTRIES } from "../../../shared/help-lines.ts";
import { profileOf, profileText } from "../../../web/playground/profile.ts";

const PROFILE: Profile = {
  name: "Riverside Surgery",
  country: "GB",
  timeZone: "Europe/London",
  openingHours: [
    { days: ["monday", "tuesday", "friday"], opens: "08:00", closes: "12:30" },
    { days: ["saturday"], opens: "10:00", closes: "24:00" },
  ],
  exceptions: [{ date: "2026-12-25" }],
  handoffMinutes: 5,
  disclosure: "answers",
  consentRequired: "2026-03",
};

test("a profile is the same after it was shown and saved, also what the form does not show", () => {
  expect(profileOf(PROFILE, profileText(PROFILE))).toEqual(PROFILE);
  expect(profileOf({}, profileText({}))).toEqual({});
  const closed = { ...PROFILE, openingHours: [] };
  expect(profileOf(closed, profileText(closed))).toEqual(closed);
});

test("opening hours are one line for each time of day", () => {
  expect(profileText(PROFILE).openingHours).toBe("mon tue fri 08:00-12:30\nsat 10:00-24:00");
});

test.each([
  ["Monday, Tuesday 08:00 – 18:00", { days: ["monday", "tuesday"], opens: "08:00", closes: "18:00" }],
  ["whenever we like", { days: [], opens: "whenever we like", closes: "" }],
])("the line %s is read as it stands", (line, expected) => {
  expect(profileOf({}, { ...profileText({}), openingHours: line }).openingHours).toEqual([expected]);
});

test.each([
  ["country", COUNTRIES],
  ["language", LANGUAGES],
])("the form offers each %s that there is", (name, values) => {
  const page = readFileSync(join(import.meta.dirname, "../../../web/playground/body.html"), "utf8");
  const [, options = ""] = new RegExp(`<select [^>]*name="${name}"[^>]*>(.*?)</select>`).exec(page) ?? [];
  expect([...options.matchAll(/value="([^"]*)"/g)].map(([, value]) => value)).toEqual(["", ...values]);
});
