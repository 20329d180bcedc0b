import * as z from "zod/mini";
import { documented, text } from "../contract/fields.ts";

/**
 * The limits keep a tenant's sources within one page of a query, 1 MB ("Paginating table query results in DynamoDB"),
 * with room for the names of attributes.
 */
const SOURCE_BYTES = 64 * 1024;
export const MOST_SOURCES = 200;
export const LIBRARY_BYTES = 1_000_000;

export const NO_SOURCE = { error: "Source not found", code: "source-not-found" };
export const SOURCE_CHANGED = "The source has changed since it was read";
export const TOO_MANY_SOURCES = {
  error: `There can be ${MOST_SOURCES} sources; delete one first`,
  code: "too-many-sources",
};
export const LIBRARY_FULL = {
  error: `All sources together can have ${LIBRARY_BYTES / 1_000_000} MB; shorten or delete one first`,
  code: "sources-too-large",
};

/** The ids of sources. */
export const SOURCE_ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Whether a path parameter can be the id of a source. */
export function isSourceId(id: string): boolean {
  return SOURCE_ID_PATTERN.test(id);
}

const MARKDOWN = `The text, in Markdown. Its headings divide it into passages; at most ${SOURCE_BYTES / 1024} KB`;

/** A language, a script, a region and variants (RFC 5646, section 2.1), without extensions. */
const LANGUAGE_PATTERN =
  /^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*$/;
const LANGUAGE_RULE = "must be a language tag of BCP 47, such as en or zh-Hant";

/** More than any tag needs (RFC 5646, section 4.4.1: 35 characters). */
const LANGUAGE_CHARACTERS = 64;

/** Whether `Intl` can work with a tag; it cannot with "de-DE-DE", nor with a variant twice, as in "de-1996-1996". */
export function isLanguage(tag: string): boolean {
  try {
    return LANGUAGE_PATTERN.test(tag) && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

const aboutSource = {
  title: documented(text.check(z.minLength(1), z.maxLength(200)), { examples: ["Opening hours"] }),
  url: z.optional(
    documented(z.url({ protocol: /^https?$/ }).check(z.maxLength(2_000)), {
      description: "Where people can read it; returned with citations",
      examples: ["https://clinic.example.com/hours"],
    }),
  ),
  language: z.optional(
    documented(text.check(z.maxLength(LANGUAGE_CHARACTERS), z.regex(LANGUAGE_PATTERN, { error: LANGUAGE_RULE })), {
      description: "BCP 47, such as `en` or `zh-Hant`",
      examples: ["en"],
    }),
  ),
  reviewedBy: z.optional(documented(text.check(z.maxLength(200)), { description: "Who has checked it" })),
  reviewedAt: z.optional(documented(z.iso.date(), { description: "When, ISO 8601", examples: ["2026-03-01"] })),
  expiresAt: z.optional(
    documented(z.iso.date(), {
      description: "The last day on which it is used, in UTC",
      examples: ["2027-03-01"],
    }),
  ),
};

const sourceFields = {
  ...aboutSource,
  text: documented(
    text.check(
      z.refine((value) => value.trim() !== "", { error: "must not be blank" }),
      z.refine((value) => Buffer.byteLength(value) <= SOURCE_BYTES, {
        error: `must have at most ${SOURCE_BYTES / 1024} KB; divide it into several sources`,
      }),
    ),
    { minLength: 1, description: MARKDOWN },
  ),
};

/** Body of `PUT /sources/{id}`. */
export const putSourceRequest = documented(z.object(sourceFields), { id: "PutSourceRequest" });
export type PutSourceRequest = z.output<typeof putSourceRequest>;

const stored = {
  id: z.string(),
  bytes: documented(z.int(), { description: "The size of the text, in UTF-8" }),
  expired: documented(z.boolean(), { description: "Whether it is no longer used, because `expiresAt` has passed" }),
  updatedAt: documented(z.iso.datetime(), { description: "ISO 8601, UTC" }),
};

/** As it is returned: the language may have been stored under other rules. */
const aboutStored = {
  ...aboutSource,
  language: z.optional(documented(z.string(), { description: "As it was stored; BCP 47" })),
};

/** A source without its text, as in a list. */
export const sourceInfo = documented(
  z.object({
    ...stored,
    ...aboutStored,
    problem: z.optional(
      documented(z.string(), {
        description: "Why its `text` is not used, in a list of sources; missing if it is, or has expired",
      }),
    ),
  }),
  { id: "SourceInfo" },
);

/** A source with its text. */
export const sourceRecord = documented(z.object({ ...stored, ...sourceFields, ...aboutStored }), { id: "Source" });

/** A text of a clinic from which the assistant may answer. */
export interface Source extends PutSourceRequest {
  id: string;
}

/** A source as it is stored. */
export interface StoredSource extends Source {
  /** Changes with each write; the entity tag follows from it. */
  revision: string;
  bytes: number;
  updatedAt: string;
}

/** Whether a source is no longer used. */
export function isSourceExpired({ expiresAt }: Pick<Source, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && now >= Date.parse(expiresAt) + 24 * 60 * 60 * 1000;
}
