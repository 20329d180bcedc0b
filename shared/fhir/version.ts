/** What only resources of another version have, by type, and that version (HL7, "FHIR Version History"). */
const ONLY_IN_OTHERS: { types: string[]; isOther: (resource: Record<string, unknown>) => boolean; version: string }[] =
  [
    { types: ["MedicationOrder"], isOther: () => true, version: "DSTU2" },
    { types: ["AllergyIntolerance"], isOther: ({ substance }) => substance !== undefined, version: "DSTU2" },
    {
      types: ["AllergyIntolerance", "Condition"],
      isOther: ({ clinicalStatus, verificationStatus }) =>
        typeof clinicalStatus === "string" || typeof verificationStatus === "string",
      version: "STU3",
    },
    {
      types: ["MedicationStatement", "MedicationRequest"],
      isOther: ({ medication }) => isObject(medication),
      version: "R5",
    },
    { types: ["AllergyIntolerance"], isOther: ({ type }) => isObject(type), version: "R5" },
  ];

/** The values of the parameter `fhirVersion` that mean R4, or R4B, which is the same in what is read. */
const R4_VERSIONS = /^4\.[03](\.\d)?$/;

/**
 * Returns the version of FHIR that a resource can only have, if it is not R4. Nothing in a resource has to say it.
 *
 * @returns undefined for R4, and for what is the same in it
 */
export function otherVersion(resource: Record<string, unknown>): string | undefined {
  const { resourceType } = resource;
  return ONLY_IN_OTHERS.find(({ types, isOther }) => types.includes(String(resourceType)) && isOther(resource))
    ?.version;
}

/** Returns the version in a media type, if it is not R4: "5.0" of `application/fhir+json; fhirVersion=5.0`. */
export function otherVersionIn(contentType: string | undefined): string | undefined {
  const version = /;\s*fhirVersion\s*=\s*"?([\w.]+)/i.exec(contentType ?? "")?.[1];
  return version === undefined || R4_VERSIONS.test(version) ? undefined : version;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
