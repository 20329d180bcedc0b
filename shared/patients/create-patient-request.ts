import * as z from "zod/mini";
import { documented } from "../fields.ts";
import { patientFields } from "./patient-fields.ts";

/** Body of `POST /patients`. Each field is optional, but a patient needs a name or a phone number. */
export const createPatientRequest = documented(z.partial(z.object(patientFields)), {
  id: "CreatePatientRequest",
  // The requirement of `create-patient.ts`: a name that is not blank, or a phone number of 10 or 11 digits.
  // The types are for openapi-generator and linters, which read each part separately.
  anyOf: [
    { required: ["name"], properties: { name: { type: "string", pattern: "\\S" } } },
    { required: ["phone_number"], properties: { phone_number: { type: "string" } } },
  ],
});
export type CreatePatientRequest = z.output<typeof createPatientRequest>;
