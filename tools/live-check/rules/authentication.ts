import type * as z from "zod";
import { fault, genericFault, plainError, UNAUTHORIZED } from "../bodies.ts";
import { exchange, type Rule } from "../rule.ts";
import { NOBODYS_ID } from "../synthetic-patient.ts";

const NO_PATIENT = plainError("Patient not found");
const EXPIRED = plainError("Thread not found or expired");

/** For each operation, a request that changes nothing and does not call the model, and its response to a valid key. */
const REQUESTS: [method: string, path: string, body: unknown, status: number, answer: z.ZodType][] = [
  ["POST", "/chat", {}, 400, genericFault("message is required", "message")],
  ["POST", "/threads", { patientId: NOBODYS_ID }, 404, plainError("Patient not found with the provided ID")],
  ["GET", "/threads/00000", undefined, 404, EXPIRED],
  ["DELETE", "/threads/00000", undefined, 404, plainError("Thread not found")],
  ["POST", "/patients", {}, 400, genericFault("Failed to create patient", "name")],
  ["GET", `/patients/${NOBODYS_ID}`, undefined, 404, NO_PATIENT],
  ["GET", "/threads/00000/messages", undefined, 404, EXPIRED],
  ["PATCH", `/patients/${NOBODYS_ID}`, { allergies: "none" }, 404, NO_PATIENT],
  ["DELETE", `/patients/${NOBODYS_ID}`, undefined, 404, NO_PATIENT],
  ["POST", "/patients/search", {}, 400, fault("phone_number")],
  ["GET", `/patients/${NOBODYS_ID}/threads`, undefined, 404, NO_PATIENT],
  ["GET", `/patients/${NOBODYS_ID}/export`, undefined, 404, NO_PATIENT],
];

/** Ways to send no key or a wrong one. */
const REJECTED: [how: string, key: { key: string | null; keyInQuery?: string }][] = [
  ["without a key", { key: null }],
  ["with a wrong key in the header", { key: "no-such-key" }],
  ["with a wrong key in the query", { key: null, keyInQuery: "no-such-key" }],
];

const named = (method: string, path: string) => `${method} ${path.replace(/(?<=^\/\w+\/)(?!search$)[^/]+/, "{id}")}`;

/** Runs first: if the key is not accepted, no other rule can pass. */
export const keyIsAccepted: Rule = {
  name: "the key is accepted in the header X-API-Key",
  play: async (target) => {
    const reply = await target.call((client, options) => client.getThread("00000", options));
    target.hold(reply, 404, EXPIRED);
  },
};

/** The authentication rules. */
export const authentication: Rule[] = [
  ...REQUESTS.flatMap(([method, path, body, status, answer]): Rule[] => [
    ...REJECTED.map(([how, key]) =>
      exchange(`${named(method, path)} ${how}`, 401, UNAUTHORIZED, (target) =>
        target.raw(method, path, { body, ...key }),
      ),
    ),
    {
      name: `${named(method, path)} with the key in the query: accepted`,
      play: async (target) =>
        target.hold(await target.raw(method, path, { body, key: null, keyInQuery: target.apiKey }), status, answer),
    },
  ]),
  exchange("a wrong key in the header, even with a valid one in the query", 401, UNAUTHORIZED, (target) =>
    target.raw("GET", "/threads/00000", { key: "no-such-key", keyInQuery: target.apiKey }),
  ),
  {
    name: "an invalid body without a key: 401, since the key is checked first",
    play: async (target) => target.hold(await target.raw("POST", "/chat", { key: null, body: "{" }), 401, UNAUTHORIZED),
  },
];
