import * as z from "zod/mini";
import { documented, text } from "../contract/fields.ts";

/** The maximum length of a person's message, that of a user's, and of a name, in UTF-16 code units. */
const MESSAGE_LENGTH = 16_000;
const NAME_LENGTH = 100;

const written = (maxLength: number) => text.check(z.regex(/\S/, { error: "is required" }), z.maxLength(maxLength));

/** Body of `PUT /threads/{id}/handoff`. */
export const holdThreadRequest = documented(
  z.object({
    by: z.optional(
      documented(written(NAME_LENGTH), {
        description: "Who has taken over, as users are told; without it, they are told that a person has",
        examples: ["Ana from the Example Clinic"],
      }),
    ),
  }),
  { id: "HoldThreadRequest" },
);
export type HoldThreadRequest = z.output<typeof holdThreadRequest>;

/** Body of `POST /threads/{id}/messages`. */
export const addMessageRequest = documented(
  z.object({
    content: documented(written(MESSAGE_LENGTH), { description: "What the person writes; not only white space" }),
    author: documented(written(NAME_LENGTH), { description: "The person's name, as it is shown with the message" }),
  }),
  { id: "AddMessageRequest" },
);
export type AddMessageRequest = z.output<typeof addMessageRequest>;
