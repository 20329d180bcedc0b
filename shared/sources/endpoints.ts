import * as z from "zod/mini";
import { type Endpoint, invalid, success } from "../contract/endpoint.ts";
import { PREFER_HEADER } from "../contract/header.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import {
  LIBRARY_BYTES,
  LIBRARY_FULL,
  MOST_SOURCES,
  NO_SOURCE,
  putSourceRequest,
  SOURCE_CHANGED,
  SOURCE_ID_PATTERN,
  sourceInfo,
  sourceRecord,
  TOO_MANY_SOURCES,
} from "./source.ts";

/** What all operations on sources have in common. */
const sources = { function: "sources", rarelyCalled: true, p95Milliseconds: 1_500 } as const;

const failing = (failure: string) => ({ shape: "generic", failure }) as const;

const preconditionTexts = [SOURCE_CHANGED, CONDITION_FAILED] as const;

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

export const putSourceEndpoint = {
  ...sources,
  name: "put-source",
  method: "PUT",
  path: "/sources/{id}",
  status: 200,
  errors: {
    ...failing("Failed to store source"),
    texts: { conflict: [TOO_MANY_SOURCES, LIBRARY_FULL], "precondition-failed": preconditionTexts },
  },
  database: { sources: ["GetItem", "PutItem", "UpdateItem"] },
  body: putSourceRequest,
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Sources",
        summary: "Store a source",
        description: `Stores a text of your clinic, in place of the one with this id. From the next chat on, the assistant may answer from it, and
about the clinic itself (hours, prices, staff, policies) only from such sources. \`created\` says whether the id is new.

There can be ${MOST_SOURCES} sources, of ${LIBRARY_BYTES / 1_000_000} MB together, which all keys of your organization share. They are not for data about patients.`,
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
      }),
} as const satisfies Endpoint;

export const getSourceEndpoint = {
  ...sources,
  name: "get-source",
  method: "GET",
  path: "/sources/{id}",
  status: 200,
  errors: {
    ...failing("Failed to get source"),
    texts: { "not-found": [NO_SOURCE], "precondition-failed": [CONDITION_FAILED] },
  },
  database: { sources: ["GetItem"] },
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Sources",
        summary: "Get a source",
        description: "Returns a source with its text. The `ETag` header identifies this state of it, for `If-Match`.",
        id: SOURCE_ID,
        responseHeaders: ["etag"],
        response: success("GetSourceResult", { source: sourceRecord }),
        success: { Found: { success: true, source: { ...INFO_EXAMPLE, text: TEXT } } },
      }),
} as const satisfies Endpoint;

export const listSourcesEndpoint = {
  ...sources,
  name: "list-sources",
  method: "GET",
  path: "/sources",
  status: 200,
  errors: failing("Failed to list sources"),
  database: { sources: ["Query"] },
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Sources",
        summary: "List sources",
        description: "Returns all sources by their ids, without their texts, and says which ones have expired.",
        response: success("ListSourcesResult", { sources: z.array(sourceInfo) }),
        success: { "One source": { success: true, sources: [INFO_EXAMPLE] } },
      }),
} as const satisfies Endpoint;

export const deleteSourceEndpoint = {
  ...sources,
  name: "delete-source",
  method: "DELETE",
  path: "/sources/{id}",
  status: 200,
  errors: {
    ...failing("Failed to delete source"),
    texts: { "not-found": [NO_SOURCE], "precondition-failed": preconditionTexts },
  },
  database: { sources: ["GetItem", "DeleteItem", "UpdateItem"] },
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Sources",
        summary: "Delete a source",
        description: "From the next chat on, no answer uses it.",
        id: SOURCE_ID,
        headers: [IF_MATCH],
        response: success("DeleteSourceResult", { message: z.literal("Source deleted successfully") }),
        success: { Deleted: { success: true, message: "Source deleted successfully" } },
      }),
} as const satisfies Endpoint;

/** All endpoints of sources, for the OpenAPI document and the deployment. */
export const sourceEndpoints = [
  putSourceEndpoint,
  listSourcesEndpoint,
  getSourceEndpoint,
  deleteSourceEndpoint,
] as const;
