import * as z from "zod/mini";
import { documented, list, text } from "../contract/fields.ts";
import { EVENT_TYPES } from "./event.ts";

const URL_CHARACTERS = 2_000;
const DESCRIPTION_CHARACTERS = 200;

/** Names of event types; a name that is given twice counts once. */
const eventTypes = documented(
  list(z.enum(EVENT_TYPES), { maxItems: EVENT_TYPES.length, description: "The types of events to send" }).check(
    z.minLength(1),
  ),
  { minItems: 1 },
);

/** The body of `POST /webhooks`. */
export const createWebhookRequest = documented(
  z.object({
    url: documented(text.check(z.minLength(1), z.maxLength(URL_CHARACTERS)), {
      description: "An https URL without credentials, whose host has public addresses only",
      examples: ["https://clinic.example.com/hooks/assistant"],
    }),
    events: eventTypes,
    description: z.optional(documented(text.check(z.maxLength(DESCRIPTION_CHARACTERS)), { description: "For you" })),
  }),
  { id: "CreateWebhookRequest" },
);
export type CreateWebhookRequest = z.output<typeof createWebhookRequest>;
