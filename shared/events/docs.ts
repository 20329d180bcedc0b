import * as z from "zod/mini";
import { documented, nextPage } from "../contract/fields.ts";
import { type Docs, invalid, success } from "../contract/operation.ts";
import { LIMIT_ERROR, LIMIT_PARAMETER } from "../contract/page.ts";
import type { eventEndpoints } from "./endpoints.ts";
import { EVENT_DAYS, NO_EVENT_CURSOR, SETTLED_MILLISECONDS } from "./event.ts";
import { eventInfo } from "./event-responses.ts";

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const eventDocs = {
  "list-events": {
    tag: "Events",
    summary: "List events",
    description: `Returns the events of the last ${EVENT_DAYS} days, the oldest first, on pages: for those who prefer to poll, and for those whose webhook has
missed something. Pass \`next\` as \`after\` to continue, now or later: no event is ever inserted before it. For this, an event
appears here ${SETTLED_MILLISECONDS / 1000} seconds after it happened; webhooks do not wait. Events contain IDs and no words; read the rest with them.

A chat without a thread records no event, not even \`safety.alert\`: nothing of it is stored.

An event is a notification. Nobody at the service reads it, so it does not replace an emergency service.`,
    query: [
      LIMIT_PARAMETER,
      {
        name: "after",
        description: "The id of an event, after which to begin; with the oldest without it",
        schema: { type: "string", minLength: 1 },
      },
    ],
    response: success("ListEventsResult", {
      events: z.array(eventInfo),
      ...nextPage,
      next: z.optional(documented(z.string(), { description: "The cursor to continue with, now or later" })),
    }),
    success: {
      "An alert": {
        success: true,
        events: [
          {
            id: "evt_mm7l3k9c0a1b2c3d4e5f60718293a4b5",
            type: "safety.alert",
            timestamp: "2026-03-01T09:10:00.000Z",
            data: { threadId: "48213", level: "emergency", expiresAt: "2026-03-01T09:40:00.000Z" },
          },
        ],
        hasMore: false,
        next: "evt_mm7l3k9c0a1b2c3d4e5f60718293a4b5",
      },
    },
    errors: { invalid: [LIMIT_ERROR, invalid("after", NO_EVENT_CURSOR)] },
  },
} satisfies Docs<typeof eventEndpoints>;
