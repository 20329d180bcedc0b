import * as z from "zod";
import { deletedThread, erasedPatient, genericError, NO_THREAD } from "../bodies.ts";
import { Contract } from "../contract.ts";
import type { Rule } from "../rule.ts";

/** Runs first: if the key is not accepted, no other rule can pass. */
export const keyIsAccepted: Rule = {
  operation: "",
  name: "the key is accepted in the header X-API-Key",
  play: (target) => target.expect("GET /threads/00000", 404, NO_THREAD),
};

/**
 * The rule for the OpenAPI document. Every following response is validated against it as well.
 *
 * @param rules of the operations that the document must contain
 */
export function describesAll(rules: Rule[]): Rule {
  const paths: Record<string, Record<string, z.ZodType>> = {};
  for (const { operation } of rules) {
    const [method = "", path = ""] = operation.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: z.looseObject({ responses: z.looseObject({}) }) };
  }
  return {
    operation: "",
    name: "GET /openapi.json without a key: 200, describes all operations at this base URL in OpenAPI 3.1",
    play: async (target) => {
      const document = z.looseObject({
        openapi: z.string().regex(/^3\.1\.\d+$/, "expected version 3.1"),
        servers: z.tuple([z.looseObject({ url: z.literal(target.baseUrl) })]),
        paths: z.looseObject(
          Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, z.looseObject(methods)])),
        ),
      });
      const { body } = await target.expect("GET /openapi.json", 200, document, {
        headers: { "x-api-key": null },
        published: true,
      });
      target.contract = new Contract(body);
    },
  };
}

/** The rules that apply to every request. */
export const everyRequest: Rule[] = [
  {
    operation: "",
    name: "GET /nowhere, which does not exist: 404",
    play: (target) => target.expect("GET /nowhere", 404, genericError("Not found"), { from: "gateway" }),
  },
  {
    operation: "",
    name: "PUT /chat, a method that the path does not have: 405",
    play: (target) => target.expect("PUT /chat", 405, genericError("Method not allowed"), { from: "gateway" }),
  },
  {
    operation: "",
    name: "a request without an x-request-id gets one",
    play: (target) => target.expect("GET /threads/00000", 404, NO_THREAD, { headers: { "x-request-id": null } }),
  },
];

/** Runs last. */
export const cleanup: Rule = {
  operation: "",
  name: "every thread and patient that the check created can be deleted: 200",
  play: async (target) => {
    for (const path of [...target.owned].reverse()) {
      await target.expect(`DELETE ${path}`, 200, path.startsWith("/threads") ? deletedThread : erasedPatient(0));
    }
  },
};
