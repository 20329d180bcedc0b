import * as z from "zod/mini";
import { documented, FREE_FORM, freeFormObject, shortText } from "../contract/fields.ts";

/** The maximum size of a thread's metadata, serialized. */
const METADATA_BYTES = 16 * 1024;

/** Body of `POST /threads`. */
export const createThreadRequest = documented(
  z.object({
    patientId: z.optional(documented(shortText, { description: "UUID of the patient to link" })),
    phone: z.optional(
      documented(shortText, {
        description: "Phone number of the patient to link, any notation; asked only without patientId",
      }),
    ),
    metadata: z.optional(
      documented(freeFormObject(METADATA_BYTES), {
        description: `Free-form, at most ${METADATA_BYTES / 1024} KB, with ${FREE_FORM}; stored with the thread, and returned by GET /threads/{id}?include=metadata`,
        examples: [{ source: "web" }],
      }),
    ),
    include: z.optional(
      documented(z.array(z.enum(["disclosure"])), {
        description: "Additional fields of the response: `disclosure`, that answers come from an AI",
      }),
    ),
  }),
  { id: "CreateThreadRequest" },
);
export type CreateThreadRequest = z.output<typeof createThreadRequest>;
