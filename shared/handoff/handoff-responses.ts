import * as z from "zod/mini";
import { success } from "../endpoint.ts";
import { documented } from "../fields.ts";
import { threadMessage } from "../threads/thread-responses.ts";

const timestamp = documented(z.iso.datetime(), { description: "ISO 8601, UTC" });

const hold = documented(
  z.object({
    by: documented(z.nullable(z.string()), { description: "Who has taken over; null if no name was given" }),
    since: timestamp,
  }),
  { id: "Hold", description: "A person's hold on a thread" },
);

const expiresAt = documented(timestamp, {
  description: "When the thread expires without another message; taking it over does not extend this",
});

export const holdThreadResponse = success("HoldThreadResult", { hold, expiresAt });
export const returnThreadResponse = success("ReturnThreadResult", { hold: z.null(), expiresAt });
export const addMessageResponse = success("AddMessageResult", {
  message: threadMessage,
  messageCount: z.int().check(z.minimum(1)),
  expiresAt: timestamp,
});

export type HoldThreadResponse = z.output<typeof holdThreadResponse>;
export type ReturnThreadResponse = z.output<typeof returnThreadResponse>;
export type AddMessageResponse = z.output<typeof addMessageResponse>;
