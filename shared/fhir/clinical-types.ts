import type { ClinicalKind } from "../patients/clinical-entry.ts";

/** The resource types of each kind of entry. */
export const TYPES_OF = {
  allergy: ["AllergyIntolerance"],
  condition: ["Condition"],
  medication: ["MedicationStatement", "MedicationRequest"],
  observation: ["Observation"],
} as const satisfies Record<ClinicalKind, readonly string[]>;

export type ClinicalType = (typeof TYPES_OF)[ClinicalKind][number];

/** The types of resources for which a bundle can speak. */
export const CLINICAL_TYPES: readonly ClinicalType[] = Object.values(TYPES_OF).flat();
