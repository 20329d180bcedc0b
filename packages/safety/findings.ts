import * as z from "zod/mini";
import { CRISES, EMERGENCIES } from "./alerts.ts";

/** Adds metadata to a schema's place in a JSON schema. */
const documented = <Schema extends z.ZodMiniType>(schema: Schema, metadata: Parameters<typeof z.meta>[0]): Schema =>
  schema.check(z.meta(metadata));

export const CATEGORIES = [...EMERGENCIES, ...CRISES] as const;

/** A drug that may be unsafe for the patient, and why. */
export const caution = z.object({
  kind: documented(z.enum(["allergy", "interaction"]), {
    description:
      "`allergy`: there is an allergy to the drug or its group. `interaction`: the drug can be dangerous with a medication or condition, or at the patient's age",
  }),
  drug: documented(z.string(), { description: "The drug that the message or the answer names" }),
  because: documented(z.string(), { description: "The allergy, medication or condition, or the age" }),
  said: z.optional(
    documented(z.literal(true), { description: "What it rests on is not in the record: the user has said it" }),
  ),
});

/** What the safety layer found in a message, as callers are told. */
export const safety = documented(
  z.object({
    level: documented(z.enum(["none", "crisis", "emergency"]), {
      description: "The level of danger; only one that is certain has a fixed text in the response",
    }),
    category: documented(z.nullable(z.enum(CATEGORIES)), {
      description: "What the danger is; null if nothing was found, and for a certain level whose category is not",
    }),
    certainty: documented(z.nullable(z.enum(["certain", "likely", "suspected"])), {
      description:
        '`certain`: the response contains the fixed text. `likely`, only with `include: ["evidence"]`, otherwise it is `suspected`, too: the model has not judged the message yet, or the response contains the part `safety-net`. `suspected`: no fixed text; the model has not judged the message yet, or could not. null if the level is none',
    }),
    decidedBy: documented(z.nullable(z.enum(["rule", "classifier", "model"])), {
      description: "What decided the level; null if nothing was found. `model` with none: it ruled out a suspicion",
    }),
    evidence: z.optional(
      documented(z.array(z.string()), {
        description:
          'Only with `include: ["evidence"]`: the phrases of the message that the screen decided by, as they were written; empty if it was not by phrases',
      }),
    ),
    cautions: documented(z.array(caution), { description: "The cautions at the end of the response, in their order" }),
  }),
  { id: "Safety" },
);
export type Safety = z.output<typeof safety>;

/** What was found in a message itself. The cautions are parts of the answer to it. */
export type Findings = Omit<Safety, "cautions">;
