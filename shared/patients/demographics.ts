/** The names of the facts about a patient's body; `patient-schemas.ts` has their schemas. */
export const DEMOGRAPHICS = ["gender", "age", "height", "weight", "race", "blood_type"] as const;
export type Demographic = (typeof DEMOGRAPHICS)[number];
