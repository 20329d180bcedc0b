import { rulesOf } from "../rule.ts";

/** Later than any event, and the ID of none. */
const LAST_ID = `evt_zzzzzzzz${"f".repeat(24)}`;

/** The rules for webhooks and events. They create no webhook: it would receive events of other clients. */
export const events = [
  ...rulesOf("GET /webhooks", {
    "of the key's tenant: 200": (target) => target.expect("GET /webhooks", 200, {}),
  }),
  ...rulesOf("GET /events", {
    "after the last one: 200 without events": (target) => {
      const none = { events: [], hasMore: false, next: LAST_ID };
      return target.expect(`GET /events?after=${LAST_ID}`, 200, none);
    },
  }),
];
