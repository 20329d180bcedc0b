import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { clinicalEntry } from "../patients/clinical-entry.ts";

const ignored = z.object({
  type: documented(z.string(), { description: "The type of the resource" }),
  path: documented(z.string(), { description: "FHIR's path", examples: ["Bundle.entry[3].resource"] }),
  reason: documented(z.string(), { examples: ["was entered in error"] }),
});

/** What the response to an import says about it. */
export const importReport = {
  clinical: documented(z.array(clinicalEntry), { description: "What was taken over" }),
  ignored: documented(z.array(ignored), {
    description: "What was not taken over of the types that are read, one entry for each resource or element",
  }),
  moreIgnored: z.optional(
    documented(z.int(), {
      description: "How much else was not taken over, if `ignored` would have more than 1,000 entries",
    }),
  ),
  others: documented(z.record(z.string(), z.int()), {
    description: "How many resources there are of the types that are not read",
  }),
};

/** FHIR's Bundle, of which the service only writes a little. */
export const bundle = documented(
  z.looseObject({
    resourceType: z.literal("Bundle"),
    type: z.literal("collection"),
    entry: z.array(z.looseObject({ resource: z.looseObject({ resourceType: z.string() }) })),
  }),
  { id: "FhirBundle", description: "A Bundle of FHIR R4, valid against its JSON schema" },
);
