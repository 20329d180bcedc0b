/** The names of the demographic fields; their schemas are in `demographic-schemas.ts`. */
export const DEMOGRAPHICS = ["gender", "age", "height", "weight", "race", "blood_type"] as const;
export type Demographic = (typeof DEMOGRAPHICS)[number];
