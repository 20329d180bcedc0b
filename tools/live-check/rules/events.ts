import * as z from "zod";
import { genericError, genericFault, LIMIT_RULE, succeeded } from "../bodies.ts";
import { rulesOf } from "../rule.ts";

const NO_WEBHOOK = genericError("Webhook not found");
const NOT_HTTPS = genericFault("url: must begin with https://", "url");

/** Later than any event, and the ID of none. */
const LAST_ID = `evt_zzzzzzzz${"f".repeat(24)}`;

const timestamp = z.iso.datetime();
const webhook = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().optional(),
  createdAt: timestamp,
  state: z.enum(["active", "failing", "disabled"]),
  disabledBecause: z.enum(["gone", "failing"]).optional(),
  failingSince: timestamp.optional(),
  lastFailure: z.string().optional(),
});

/** The rules for events. They create no webhook: it would receive events of other clients. */
export const events = [
  ...rulesOf("POST /webhooks", {
    "with a URL that is not https: 400": (target) =>
      target.expect("POST /webhooks", 400, NOT_HTTPS, {
        body: { url: "http://clinic.example.com/", events: ["thread.expired"] },
      }),
  }),
  ...rulesOf("GET /webhooks", {
    "of the key's tenant: 200": (target) =>
      target.expect("GET /webhooks", 200, succeeded({ webhooks: z.array(webhook) })),
  }),
  ...rulesOf("POST /webhooks/{id}/rotate", {
    "with an unknown id: 404": (target) => target.expect("POST /webhooks/none/rotate", 404, NO_WEBHOOK),
  }),
  ...rulesOf("POST /webhooks/{id}/test", {
    "with an unknown id: 404": (target) => target.expect("POST /webhooks/none/test", 404, NO_WEBHOOK),
  }),
  ...rulesOf("DELETE /webhooks/{id}", {
    "with an unknown id: 404": (target) => target.expect("DELETE /webhooks/none", 404, NO_WEBHOOK),
  }),
  ...rulesOf("GET /events", {
    "with limit=0: 400": (target) => target.expect("GET /events?limit=0", 400, genericFault(LIMIT_RULE, "limit")),
    "after the last one: 200 without events": (target) => {
      const none = succeeded({ events: z.tuple([]), hasMore: z.literal(false), next: z.literal(LAST_ID) });
      return target.expect(`GET /events?after=${LAST_ID}`, 200, none);
    },
  }),
];
