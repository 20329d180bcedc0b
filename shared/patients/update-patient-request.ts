import * as z from "zod/mini";
import { documented, list } from "../fields.ts";
import { medication, patientFields } from "./patient-fields.ts";

/** Says that unknown fields are not ignored; what rejects them is `jsonBody`. */
const NO_OTHER_FIELDS = { additionalProperties: false } as const;

const fields = { ...patientFields, medications: list(documented(medication, NO_OTHER_FIELDS)) };

const nullishFields = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, z.nullish(field)])) as {
  [Name in keyof typeof fields]: z.ZodMiniOptional<z.ZodMiniNullable<(typeof fields)[Name]>>;
};

/** Body of `PATCH /patients/{id}`, a JSON merge patch: null removes a field. */
export const updatePatientRequest = documented(z.object(nullishFields), {
  id: "UpdatePatientRequest",
  ...NO_OTHER_FIELDS,
});
export type UpdatePatientRequest = z.output<typeof updatePatientRequest>;
