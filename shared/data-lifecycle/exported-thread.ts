import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { feedback } from "../feedback/feedback.ts";
import { metadata, threadInfo, threadMessage } from "../threads/thread-responses.ts";

const exportedMessage = documented(
  z.object({
    ...threadMessage.shape,
    feedback: documented(z.optional(feedback), { description: "What the patient thinks of this answer" }),
  }),
  { id: "ExportedMessage" },
);

/** A thread with all its data, for an export. */
export const exportedThread = documented(
  z.object({
    ...threadInfo.shape,
    metadata,
    messages: documented(z.array(exportedMessage), { description: "The newest first" }),
  }),
  { id: "ExportedThread" },
);
export type ExportedThread = z.output<typeof exportedThread>;
