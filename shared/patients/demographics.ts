import * as z from "zod/mini";
import { documented, text } from "../contract/fields.ts";

/** Years, fractions included. DynamoDB has no numbers between 0 and 1e-130, so 0.001 years or less become 0. */
const age = documented(
  z.number().check(
    z.refine((years) => years >= 0 && years <= 150, { error: "must be from 0 to 150" }),
    z.overwrite((years) => (years < 0.001 ? 0 : years)),
  ),
  { description: "Years", minimum: 0, maximum: 150 },
);

/** Accepted on creation and in `patientData`, returned by `GET /patients/{id}`, sent to the model. */
export const demographics = { gender: text, age, height: text, weight: text, race: text, blood_type: text };
export type Demographic = keyof typeof demographics;
export const DEMOGRAPHICS = Object.keys(demographics) as Demographic[];
