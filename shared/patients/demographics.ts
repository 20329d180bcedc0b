import * as z from "zod/mini";
import { documented, shortText } from "../contract/fields.ts";

/** Years, fractions included. DynamoDB has no numbers between 0 and 1e-130, so 0.001 years or less become 0. */
const age = documented(
  z.number().check(
    z.refine((years) => years >= 0 && years <= 150, { error: "must be from 0 to 150" }),
    z.overwrite((years) => (years < 0.001 ? 0 : years)),
  ),
  { description: "Years", minimum: 0, maximum: 150 },
);

function fieldsOf<Text extends z.ZodMiniType>(text: Text) {
  return { gender: text, age, height: text, weight: text, race: text, blood_type: text };
}

/** Accepted on creation and in `patientData`, returned by `GET /patients/{id}`, sent to the model. */
export const demographics = fieldsOf(shortText);
export type Demographic = keyof typeof demographics;
export const DEMOGRAPHICS = Object.keys(demographics) as Demographic[];

/** As they are returned: what was imported, or stored under other rules, has other limits. */
export const storedDemographics = fieldsOf(z.string());
