import * as z from "zod/mini";
import { SOURCES_CACHE_SECONDS } from "../config.ts";
import { PREFER_HEADER } from "../contract/header.ts";
import { type Docs, invalid, success } from "../contract/operation.ts";
import type { sourceEndpoints } from "./endpoints.ts";
import { LIBRARY_BYTES, MOST_SOURCES, SOURCE_ID_PATTERN, sourceInfo, sourceRecord } from "./source.ts";

const SOURCE_ID = {
  description: "The source's id: lower-case letters, digits and hyphens",
  example: "opening-hours",
  schema: { type: "string", pattern: SOURCE_ID_PATTERN.source },
} as const;

const IF_MATCH = {
  name: "if-match",
  description: "The `ETag` of the source that was read: the write is carried out only if it has not changed since",
  example: '"5f3a1c0b-9d2e-4f6a-8b7c-1d2e3f4a5b6c"',
};

const TEXT =
  "We are open Monday to Friday from 8 a.m. to 6 p.m.\n\n## Holidays\n\nOn public holidays, the clinic is closed.";

const REQUEST_EXAMPLE = {
  title: "Opening hours",
  text: TEXT,
  url: "https://clinic.example.com/hours",
  language: "en",
  reviewedBy: "Front desk",
  reviewedAt: "2026-03-01",
  expiresAt: "2027-03-01",
};

const { text: _, ...ABOUT } = REQUEST_EXAMPLE;

const INFO_EXAMPLE = {
  id: SOURCE_ID.example,
  ...ABOUT,
  bytes: TEXT.length,
  expired: false,
  updatedAt: "2026-03-01T09:00:00.000Z",
};

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const sourceDocs = {
  "put-source": {
    tag: "Sources",
    summary: "Store a source",
    description: `Stores a text of your clinic, in place of the one with this id. Within ${SOURCES_CACHE_SECONDS} seconds, the assistant may answer from it, and
about the clinic itself (hours, prices, staff, policies) only from such sources. \`created\` says whether the id is new.

There can be ${MOST_SOURCES} sources, of ${LIBRARY_BYTES / 1_000_000} MB together, which all keys of your organization share. One can have 1,000 passages: a passage
begins at each heading, and a long text has several. They are not for data about patients.`,
    id: SOURCE_ID,
    headers: [IF_MATCH, PREFER_HEADER],
    responseHeaders: ["etag"],
    bodyRequired: true,
    response: success("PutSourceResult", { source: sourceInfo, created: z.boolean() }),
    requests: { "Opening hours": REQUEST_EXAMPLE },
    success: { Stored: { success: true, source: INFO_EXAMPLE, created: true } },
    links: {
      getSource: { description: "Get the source with its text", id: "$response.body#/source/id" },
      deleteSource: { description: "Delete the source", id: "$response.body#/source/id" },
    },
    errors: { invalid: [invalid("text", "must not be blank")] },
  },

  "get-source": {
    tag: "Sources",
    summary: "Get a source",
    description: "Returns a source with its text. The `ETag` header identifies this state of it, for `If-Match`.",
    id: SOURCE_ID,
    responseHeaders: ["etag"],
    response: success("GetSourceResult", { source: sourceRecord }),
    success: { Found: { success: true, source: { ...INFO_EXAMPLE, text: TEXT } } },
  },

  "list-sources": {
    tag: "Sources",
    summary: "List sources",
    description:
      "Returns all sources by their ids, without their texts, and says which ones have expired or cannot be used.",
    response: success("ListSourcesResult", { sources: z.array(sourceInfo) }),
    success: { "One source": { success: true, sources: [INFO_EXAMPLE] } },
  },

  "delete-source": {
    tag: "Sources",
    summary: "Delete a source",
    description: `Within ${SOURCES_CACHE_SECONDS} seconds, no answer that begins uses it.`,
    id: SOURCE_ID,
    headers: [IF_MATCH],
    response: success("DeleteSourceResult", { message: z.literal("Source deleted successfully") }),
    success: { Deleted: { success: true, message: "Source deleted successfully" } },
  },
} satisfies Docs<typeof sourceEndpoints>;
