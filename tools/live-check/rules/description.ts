import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { Deviation, needed } from "../deviation.ts";
import { shown } from "../faults.ts";
import { OPERATIONS } from "../operations.ts";
import type { Rule } from "../rule.ts";
import type { Document } from "../target.ts";

/** The rules for the OpenAPI document. No other rule covers a 429 or a 500. */
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
    const response = responses[status];
    const examples = Object.values(response?.content?.["application/json"]?.examples ?? {});
    const errors = examples.map(({ value }) => value?.error);
    return !response || (response.content && examples.length === 0)
      ? [`expected status ${status} with an example`]
      : texts.filter((text) => !errors.includes(text)).map((text) => `expected status ${status} with "${text}"`);
  });
  if (faults.length > 0) {
    throw new Deviation(faults);
  }
}
