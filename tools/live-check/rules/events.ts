import { genericError, genericFault, LIMIT_RULE } from "../bodies.ts";
import { rulesOf } from "../rule.ts";

const NO_WEBHOOK = genericError("Webhook not found");
const NOT_HTTPS = genericFault("url: must begin with https://", "url");

/** The rules for events. They create no webhook: it would receive events of other clients. */
export const events = [
  ...rulesOf("POST /webhooks", {
    "with a URL that is not https: 400": (target) =>
      target.expect("POST /webhooks", 400, NOT_HTTPS, {
        body: { url: "http://clinic.example.com/", events: ["thread.expired"] },
      }),
  }),
  ...rulesOf("GET /webhooks", {}),
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
  }),
];
