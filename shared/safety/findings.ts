import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { CRISES, EMERGENCIES } from "./alert.ts";

export const CATEGORIES = [...EMERGENCIES, ...CRISES] as const;

/** A drug that may be unsafe for the patient, and why. */
export const caution = z.object({
  kind: documented(z.enum(["allergy", "interaction"]), {
    description:
      "`allergy`: the record lists an allergy to the drug or its group. `interaction`: the drug can be dangerous with a recorded medication or condition, or at the patient's age",
  }),
  drug: documented(z.string(), { description: "The drug that the message or the answer names" }),
  because: documented(z.string(), { description: "The recorded allergy, medication or condition, or the age" }),
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
