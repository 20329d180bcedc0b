import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { Deviation, needed } from "../deviation.ts";
import { shown } from "../faults.ts";
import type { Rule } from "../rule.ts";
import type { Document } from "../target.ts";

/** Errors of every operation that requires a key, and of those with a body. */
const ALWAYS = { 401: ["Unauthorized - Invalid API key"], 429: ["Too many requests"] };
const WITH_BODY = { ...ALWAYS, 413: ["Request body must not be larger than 256 KB"] };

/** The statuses of each operation and their specified texts. No other rule covers a 429 or a 500. */
export const OPERATIONS: Record<string, Record<number, string[]>> = {
  "POST /chat": {
    ...WITH_BODY,
    200: [],
    400: ["message is required"],
    404: ["Thread not found or expired", "Patient not found with the provided ID"],
    409: ["A request with this Idempotency-Key is still being processed"],
    422: ["Idempotency-Key was used with another request"],
    500: ["Failed to process chat request"],
  },
  "POST /threads": {
    ...WITH_BODY,
    201: [],
    400: ["Request body is not valid JSON"],
    404: ["Patient not found with the provided ID"],
    422: ["Idempotency-Key was used with another request"],
    500: ["Failed to create thread"],
  },
  "GET /threads/{id}": {
    ...ALWAYS,
    200: [],
    400: ["include: must be metadata"],
    404: ["Thread not found or expired"],
    500: ["Failed to retrieve thread"],
  },
  "GET /threads/{id}/messages": {
    ...ALWAYS,
    200: [],
    400: ["limit: must be a whole number from 1 to 100", "before: is not a cursor of this list"],
    404: ["Thread not found or expired"],
    500: ["Failed to retrieve messages"],
  },
  "DELETE /threads/{id}": {
    ...ALWAYS,
    200: [],
    404: ["Thread not found"],
    500: ["Failed to delete thread"],
  },
  "POST /patients": {
    ...WITH_BODY,
    201: [],
    400: ["Failed to create patient"],
    409: ["Patient with this phone number already exists"],
    422: ["Idempotency-Key was used with another request"],
    500: ["Failed to create patient"],
  },
  "GET /patients/{id}": {
    ...ALWAYS,
    200: [],
    404: ["Patient not found"],
    500: ["Failed to fetch patient"],
  },
  "PATCH /patients/{id}": {
    ...WITH_BODY,
    200: [],
    400: ["Failed to update patient"],
    404: ["Patient not found"],
    409: ["Patient with this phone number already exists"],
    412: ["Patient was changed since it was read"],
    500: ["Failed to update patient"],
  },
  "DELETE /patients/{id}": {
    ...ALWAYS,
    200: [],
    404: ["Patient not found"],
    500: ["Failed to delete patient"],
  },
  "POST /patients/search": {
    ...WITH_BODY,
    200: [],
    400: ["Request body is not valid JSON", "phone_number must have 10 digits, or 11 with the country code"],
    500: ["Failed to search patients"],
  },
  "GET /patients/{id}/threads": {
    ...ALWAYS,
    200: [],
    400: ["limit: must be a whole number from 1 to 100", "before: is not a cursor of this list"],
    404: ["Patient not found"],
    500: ["Failed to list threads"],
  },
  "GET /patients/{id}/export": {
    ...ALWAYS,
    200: [],
    404: ["Patient not found"],
    500: ["Failed to export patient"],
  },
};

/** The rules for the OpenAPI document. */
export const description: Rule[] = [
  {
    name: "GET /openapi.json without a key: 200, an OpenAPI 3.1 document",
    play: async (target) => {
      const reply = await target.raw("GET", "/openapi.json", { key: null });
      const body = z.looseObject({
        openapi: z.string().regex(/^3\.1\.\d+$/, "expected version 3.1"),
        paths: z.looseObject({}),
      });
      target.hold(reply, 200, body);
      target.publish(reply.body as Document);
    },
  },
  {
    name: "GET /openapi.json with a wrong key: 200 with the same document",
    play: async (target) => {
      const document = needed(target.found.document);
      const reply = await target.raw("GET", "/openapi.json", { key: "no-such-key" });
      target.hold(reply, 200, z.looseObject({ openapi: z.literal(document.openapi as string) }));
      if (!isDeepStrictEqual(reply.body, document)) {
        throw new Deviation(["body: expected the same document as without a key"]);
      }
    },
  },
  {
    name: "the document names this base URL as its server",
    play: async (target) => {
      const [server] = needed(target.found.document).servers ?? [];
      if (server?.url !== target.baseUrl) {
        throw new Deviation([`servers.0.url: expected ${target.baseUrl}; got ${shown(server?.url)}`]);
      }
    },
  },
  {
    name: "the document describes the key in the header and in the query",
    play: async (target) => {
      const schemes = Object.values(needed(target.found.document).components?.securitySchemes ?? {});
      for (const [place, name] of [
        ["header", "X-API-Key"],
        ["query", "api_key"],
      ]) {
        if (!schemes.some((scheme) => scheme.type === "apiKey" && scheme.in === place && scheme.name === name)) {
          throw new Deviation([`components.securitySchemes: expected an apiKey in ${place}, named ${name}`]);
        }
      }
    },
  },
  ...Object.entries(OPERATIONS).map(([operation, statuses]) => ({
    name: `the document contains ${operation} with the statuses ${Object.keys(statuses).join(", ")} and their texts`,
    play: async (target: Parameters<Rule["play"]>[0]) =>
      holdOperation(needed(target.found.document), operation, statuses),
  })),
];

function holdOperation(document: Document, operation: string, statuses: Record<number, string[]>): void {
  const [method = "", path = ""] = operation.split(" ");
  const { responses = {} } = document.paths?.[path]?.[method.toLowerCase()] ?? {};
  const faults = Object.entries(statuses).flatMap(([status, texts]) => {
    const examples = Object.values(responses[status]?.content?.["application/json"]?.examples ?? {});
    const errors = examples.map(({ value }) => value?.error);
    return examples.length === 0
      ? [`expected status ${status} with an example`]
      : texts.filter((text) => !errors.includes(text)).map((text) => `expected status ${status} with "${text}"`);
  });
  if (faults.length > 0) {
    throw new Deviation(faults);
  }
}
