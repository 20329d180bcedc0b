import * as z from "zod/mini";
import { SOURCES_CACHE_SECONDS } from "../config.ts";
import { documented } from "../contract/fields.ts";
import { PREFER_HEADER } from "../contract/header.ts";
import { type Docs, success } from "../contract/operation.ts";
import type { profileEndpoints } from "./endpoints.ts";
import { profile } from "./profile.ts";

const IF_MATCH = {
  name: "if-match",
  description: "The `ETag` of the profile that was read: the write is carried out only if it has not changed since",
  example: '"5f3a1c0b-9d2e-4f6a-8b7c-1d2e3f4a5b6c"',
};

const nullable = (description: string) => documented(z.nullable(z.string()), { description });

const applies = documented(
  z.object({
    emergencyNumber: z.string(),
    crisisLine: z.string(),
    poisonControl: nullable("null if there is no such line"),
    abuseLine: nullable("null if there is no such line"),
    contact: nullable("How a patient reaches a person; null if nothing says so"),
    contactWhenClosed: nullable("The same outside the opening hours"),
    handoffMinutes: z.int(),
    open: documented(z.nullable(z.boolean()), {
      description: "Whether the clinic is open now; null without opening hours",
    }),
    opensAt: documented(z.nullable(z.iso.datetime()), { description: "When a closed clinic opens; null if unknown" }),
  }),
  { id: "AppliedProfile", description: "What patients are told, with the deployment's settings for what is missing" },
);

const EXAMPLE = {
  name: "Riverside Surgery",
  country: "GB",
  language: "en",
  timeZone: "Europe/London",
  openingHours: [{ days: ["monday", "tuesday", "wednesday", "thursday", "friday"], opens: "08:00", closes: "18:30" }],
  exceptions: [{ date: "2026-12-25" }],
  contact: "020 7946 0958",
  contactWhenClosed: "NHS 111",
  handoffMinutes: 15,
  readingLevel: "plain",
};

const RESULT = {
  success: true,
  profile: EXAMPLE,
  applies: {
    emergencyNumber: "999",
    crisisLine: "116 123 (Samaritans)",
    poisonControl: "111",
    abuseLine: null,
    contact: "020 7946 0958",
    contactWhenClosed: "NHS 111",
    handoffMinutes: 15,
    open: false,
    opensAt: "2026-03-02T08:00:00.000Z",
  },
};

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const profileDocs = {
  "get-profile": {
    tag: "Profile",
    summary: "Get the profile",
    description: `Returns what your clinic says about itself, and what applies to its patients: your clinic's profile and, for what it
does not say, the deployment's settings. The \`ETag\` header identifies this state, for \`If-Match\`; it is \`"none"\` without a profile.`,
    responseHeaders: ["etag"],
    response: success("GetProfileResult", { profile, applies }),
    success: { "A clinic in London": RESULT, "Without a profile": { ...RESULT, profile: {} } },
  },

  "put-profile": {
    tag: "Profile",
    summary: "Replace the profile",
    description: `Replaces the profile, which all keys of your organization share; \`{}\` removes it. Within ${SOURCES_CACHE_SECONDS} seconds, it applies to every
conversation: the numbers that a person in danger is told to call, the national phone numbers that are understood, how and when a
person can be reached, and how the assistant introduces itself. Webhooks receive \`profile.updated\`.

Emergencies are never affected by opening hours. A text such as \`services\` reaches the assistant as data: it cannot give instructions.`,
    headers: [IF_MATCH, PREFER_HEADER],
    responseHeaders: ["etag"],
    bodyRequired: true,
    response: success("PutProfileResult", { profile, applies }),
    requests: { "A clinic in London": EXAMPLE },
    success: { Stored: RESULT },
  },
} satisfies Docs<typeof profileEndpoints>;
