import { contents } from "../../openapi/contents.ts";
import { exactly } from "../expected.ts";
import { NO_THREAD } from "../not-found.ts";
import { type Rule, rulesOf } from "../rule.ts";

const GONE = exactly({ error: NO_THREAD });

/** Runs first: if the key is not accepted, no other rule can pass. */
export const keyIsAccepted: Rule = {
  operation: "",
  name: "the key is accepted in the header X-API-Key",
  play: (target) => target.expect("GET /threads/00000", 404, GONE),
};

/** The operations of a document, with their names. */
const operations = Object.fromEntries(
  Object.entries(contents.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods as Record<string, { operationId: string }>).map(([method, { operationId }]) => [
        method,
        { operationId },
      ]),
    ),
  ]),
);

/** The rules for what is public. */
export const published = [
  ...rulesOf("GET /openapi.json", {
    "without a key: 200, describes all operations at this base URL in OpenAPI 3.1": (target) => {
      const document = { openapi: contents.openapi, servers: [{ url: target.baseUrl }], paths: operations };
      return target.expect("GET /openapi.json", 200, document, { headers: { "x-api-key": null }, published: true });
    },
  }),
  ...rulesOf("GET /docs", {
    "without a key: 200, the reference": (target) => {
      const isPage = (text: unknown) => String(text).startsWith("<!doctype html>");
      return target.expect("GET /docs", 200, isPage, {
        headers: { "x-api-key": null, accept: "text/html" },
        published: true,
      });
    },
  }),
  ...rulesOf("GET /llms.txt", {
    "without a key: 200, an index of the reference": (target) => {
      const isIndex = (text: unknown) => String(text).startsWith("# ");
      return target.expect("GET /llms.txt", 200, isIndex, {
        headers: { "x-api-key": null, accept: "text/plain" },
        published: true,
      });
    },
  }),
];

/** The rules that apply to every request. */
export const everyRequest: Rule[] = [
  {
    operation: "",
    name: "GET /nowhere, which does not exist: 404",
    play: (target) =>
      target.expect("GET /nowhere", 404, exactly({ success: false, error: "Not found" }), { from: "gateway" }),
  },
  {
    operation: "",
    name: "a request without an x-request-id gets one",
    play: (target) => target.expect("GET /threads/00000", 404, GONE, { headers: { "x-request-id": null } }),
  },
];

/** Runs last. */
export const cleanup: Rule = {
  operation: "",
  name: "every thread and patient that the check created can be deleted: 200",
  play: async (target) => {
    for (const path of [...target.owned].reverse()) {
      const erased = path.startsWith("/threads") ? {} : { erased: { threads: 0, messages: 0 } };
      await target.expect(`DELETE ${path}`, 200, erased);
    }
  },
};
