import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { success } from "../contract/operation.ts";
import { handoffReason } from "../threads/handoff-reason.ts";
import { threadMessage } from "../threads/thread-responses.ts";

const timestamp = documented(z.iso.datetime(), { description: "ISO 8601, UTC" });

const holdFields = {
  by: documented(z.nullable(z.string()), { description: "Who has taken over; null if no name was given" }),
  since: timestamp,
};
const hold = documented(z.object(holdFields), { id: "Hold", description: "A person's hold on a thread" });

const request = z.object({
  reason: handoffReason,
  requestedAt: timestamp,
  answerBy: documented(z.iso.datetime(), {
    description:
      "If nobody has taken over by then, `handoff.unanswered` follows, and the next answer tells the user so if `told` is true",
  }),
  told: documented(z.boolean(), { description: "Whether the user has read that somebody is being told" }),
});

const expiresAt = documented(timestamp, {
  description: "When the thread expires without another message; taking it over does not extend this",
});

export const holdThreadResponse = success("HoldThreadResult", { hold, expiresAt });
export const getHandoffResponse = success("GetHandoffResult", {
  hold: documented(z.nullable(z.object(holdFields)), { description: "null if nobody has taken over" }),
  request: documented(z.nullable(request), {
    description: "The user's open request for a person; null without one, and once a person has taken over",
  }),
  expiresAt,
});
export const returnThreadResponse = success("ReturnThreadResult", { hold: z.null(), expiresAt });
export const addMessageResponse = success("AddMessageResult", {
  message: threadMessage,
  messageCount: z.int().check(z.minimum(1)),
  expiresAt: timestamp,
});

export type GetHandoffResponse = z.output<typeof getHandoffResponse>;
export type HoldThreadResponse = z.output<typeof holdThreadResponse>;
export type ReturnThreadResponse = z.output<typeof returnThreadResponse>;
export type AddMessageResponse = z.output<typeof addMessageResponse>;
