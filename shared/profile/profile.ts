import * as z from "zod/mini";
import { LANGUAGES } from "../../packages/safety/alerts.ts";
import { CONSENT_VERSION, CONSENT_VERSION_RULE } from "../config.ts";
import { documented, list, text } from "../contract/fields.ts";
import { COUNTRIES } from "../help-lines.ts";
import { DAYS, isTimeZone } from "../opening-hours.ts";

export const PROFILE_CHANGED = "The profile has changed since it was read";

/** Entries of opening hours: four a day. */
const MOST_HOURS = 28;
/** Days that differ: the public holidays of three years, and some more. */
const MOST_EXCEPTIONS = 60;
/**
 * The sweep may notice as late as its interval that nobody has taken over, and the thread must not have expired by then:
 * 30 minutes without a message, less 10.
 */
export const MOST_HANDOFF_MINUTES = 20;

/** A text of one line that stands within a sentence or above one, without characters that could break it. */
function line(most: number) {
  return text.check(
    z.maxLength(most),
    z.refine((value) => value.trim() !== "", { error: "must not be blank" }),
    z.refine((value) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}{}]/u.test(value), {
      error: "must be one line without control characters and braces",
    }),
  );
}

const OPENS = /^([01]\d|2[0-3]):[0-5]\d$/;
const CLOSES = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;
const time = (pattern: RegExp, most: string) =>
  text.check(z.regex(pattern, { error: `must be a time from 00:00 to ${most}` }));
const opens = documented(time(OPENS, "23:59"), { examples: ["08:00"] });
const closes = documented(time(CLOSES, "24:00"), { examples: ["18:30"] });

const IN_ORDER = {
  error: "must be after opens; hours past midnight need an entry for each day",
  path: ["closes"],
};

/** Whether a day's times are in their order. What is no time is another fault. */
const isInOrder = (day: { opens?: string | undefined; closes?: string | undefined }) =>
  !OPENS.test(day.opens ?? "") || !CLOSES.test(day.closes ?? "") || `${day.opens}` < `${day.closes}`;

const openingTimes = z
  .object({ days: list(z.enum(DAYS), { maxItems: DAYS.length }), opens, closes })
  .check(z.refine(isInOrder, IN_ORDER));

const exception = z
  .object({
    date: documented(z.iso.date(), { examples: ["2026-12-25"] }),
    opens: z.optional(opens),
    closes: z.optional(closes),
  })
  .check(
    z.refine((entry) => (entry.opens === undefined) === (entry.closes === undefined), {
      error: "must be given together with closes, or neither",
      path: ["opens"],
    }),
    z.refine(isInOrder, IN_ORDER),
  );

const profileFields = {
  name: documented(line(100), { description: "The clinic's name", examples: ["Riverside Surgery"] }),
  assistantName: documented(line(50), { description: "What the assistant is called", examples: ["Robin"] }),
  country: documented(z.enum(COUNTRIES as [string, ...string[]]), {
    description:
      "ISO 3166-1: whose numbers are told to a person in danger, and whose national phone numbers are understood",
    examples: ["GB"],
  }),
  language: documented(z.enum(LANGUAGES), {
    description: "For texts whose reader's language nothing shows",
  }),
  timeZone: documented(
    text.check(z.maxLength(64), z.refine(isTimeZone, { error: "must be an IANA time zone, such as Europe/London" })),
    { examples: ["Europe/London"] },
  ),
  openingHours: documented(list(openingTimes, { maxItems: MOST_HOURS }), {
    description: "When people can be reached; requires `timeZone`",
  }),
  exceptions: documented(list(exception, { maxItems: MOST_EXCEPTIONS }), {
    description: "Days with other hours; without times, the clinic is closed. Requires `openingHours`",
  }),
  contact: documented(line(100), {
    description: "How a patient reaches a person, as the end of a sentence",
    examples: ["020 7946 0958"],
  }),
  contactWhenClosed: documented(line(100), {
    description: "The same outside the opening hours",
    examples: ["NHS 111"],
  }),
  handoffMinutes: documented(z.int().check(z.minimum(1), z.maximum(MOST_HANDOFF_MINUTES)), {
    description: "How long a user who asked for a person waits before being told of other ways to get help",
  }),
  readingLevel: documented(z.enum(["plain", "standard"]), {
    description: "`plain`: short sentences and everyday words, for readers who find reading hard",
  }),
  greeting: documented(line(300), {
    description: "Stands before the disclosure of a new thread",
    examples: ["Welcome to Riverside Surgery."],
  }),
  services: documented(line(300), {
    description: "What the clinic offers, which the assistant takes as data and not as instructions",
    examples: ["General practice, vaccinations and blood tests"],
  }),
  disclosure: documented(z.enum(["thread", "answers"]), {
    description: "Whether the sentence about the AI is below each answer, too",
  }),
  consentRequired: documented(text.check(z.regex(CONSENT_VERSION, { error: `must be ${CONSENT_VERSION_RULE}` })), {
    description: "The version of the text that patients must have consented to before a model is asked about them",
    examples: ["2026-03"],
  }),
};

/** A rule: one field means nothing without another. */
function needs(
  field: keyof typeof profileFields,
  other: keyof typeof profileFields,
  fault: { error: string; path: string[] },
) {
  return z.refine<{ [Name in keyof typeof profileFields]?: unknown }>(
    (given) => given[field] === undefined || given[other] !== undefined,
    fault,
  );
}

/** What a clinic says about itself: the body of `PUT /profile`. Without a field, the setting of the stage applies. */
export const profile = documented(
  z
    .partial(z.object(profileFields))
    .check(
      needs("openingHours", "timeZone", { error: "is required with openingHours", path: ["timeZone"] }),
      needs("exceptions", "openingHours", { error: "requires openingHours", path: ["exceptions"] }),
      needs("contactWhenClosed", "openingHours", { error: "requires openingHours", path: ["contactWhenClosed"] }),
    ),
  { id: "Profile" },
);
export type Profile = z.output<typeof profile>;
