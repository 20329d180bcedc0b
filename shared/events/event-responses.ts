import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { EVENT_TYPES } from "./event.ts";

const timestamp = documented(z.iso.datetime(), { description: "ISO 8601, UTC" });

/** A webhook without its secret. */
export const webhookInfo = documented(
  z.object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(EVENT_TYPES)),
    description: z.optional(z.string()),
    createdAt: timestamp,
    state: documented(z.enum(["active", "failing", "disabled"]), {
      description: "`failing`: the last message was not accepted, and is tried again; `disabled`: nothing is sent",
    }),
    disabledBecause: z.optional(
      documented(z.enum(["gone", "failing"]), {
        description: "`gone`: the receiver answered with a 410; `failing`: it accepted nothing for 5 days",
      }),
    ),
    failingSince: z.optional(timestamp),
    undeliveredSince: z.optional(
      documented(z.iso.datetime(), {
        description: "When the oldest event happened that was not accepted yet; ISO 8601, UTC",
      }),
    ),
    lastFailure: z.optional(
      documented(z.enum(["status", "redirect", "gone", "timeout", "connection", "address"]), {
        description:
          "`status`: not a 2xx; `gone`: 410; `timeout`: no answer within 15 seconds; `connection`: none, or not with a valid certificate; `address`: the name stands for an address that is not public",
      }),
    ),
    pausedUntil: z.optional(
      documented(z.iso.datetime(), {
        description:
          "Until when nothing is sent, because the receiver asked for it with `Retry-After` in a 429 or 503; ISO 8601, UTC",
      }),
    ),
  }),
  { id: "Webhook" },
);

/** The secret, which is only shown once. */
export const webhookSecret = documented(z.string(), {
  description: "Verifies signatures; shown only now",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq="],
});

/** An event of `GET /events`, with the same contents as a webhook's message. */
export const eventInfo = documented(
  z.object({
    id: documented(z.string(), { description: "Also the `webhook-id` of its messages, and a cursor" }),
    type: z.enum(EVENT_TYPES),
    timestamp,
    data: documented(
      z.object({
        threadId: z.optional(z.string()),
        patientId: z.optional(z.string()),
        messageId: z.optional(z.string()),
        level: z.optional(documented(z.enum(["crisis", "emergency"]), { description: "The level of an alert" })),
        expiresAt: z.optional(documented(z.iso.datetime(), { description: "Until when the thread can be read" })),
        open: z.optional(
          documented(z.boolean(), {
            description: "Whether the clinic was open when a person was requested; only with opening hours",
          }),
        ),
        opensAt: z.optional(documented(z.iso.datetime(), { description: "When a closed clinic opens" })),
      }),
      { description: "What it is about; without IDs after the patient was erased" },
    ),
  }),
  { id: "Event" },
);
