import { documented, freeFormObject } from "../contract/fields.ts";

/** Escaped once more, a body of 5 MB usually fits into an invocation's 6 MB ("Lambda quotas"). */
export const FHIR_BYTES = 5 * 1024 * 1024;

/** The deepest nesting of a body: extensions, the deepest that is in use, have about 20 levels. */
const LIMITS = { levels: 64, values: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };

/** Body of an import. What is read of it is validated by `read-bundle.ts`, whose faults have FHIR's paths. */
export const fhirBody = documented(freeFormObject(FHIR_BYTES, LIMITS), {
  id: "FhirRecord",
  type: "object",
  description: "A Bundle of any type, or a Patient, of FHIR R4",
  properties: { resourceType: { type: "string", enum: ["Bundle", "Patient"] } },
  required: ["resourceType"],
  additionalProperties: true,
});
