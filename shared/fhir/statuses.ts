import { codesOf, SNOMED } from "./concept.ts";
import type { CodeableConcept } from "./datatypes.ts";

/** The codes of statuses (HL7, value sets of clinical and verification statuses; presumed is R5's). */
const STATUSES = {
  clinical: ["active", "recurrence", "relapse", "inactive", "remission", "resolved"],
  verification: ["unconfirmed", "presumed", "provisional", "differential", "confirmed", "refuted", "entered-in-error"],
};

/** What a status says about. */
export type StatusKind = keyof typeof STATUSES;

/**
 * Clinical statuses in SNOMED CT (HL7, "C-CDA on FHIR", concept map CF-ProblemStatus), and the verification statuses
 * that problems have there.
 */
const SNOMED_STATUSES = new Map([
  ["55561003", "active"],
  ["246455001", "recurrence"],
  ["263855007", "relapse"],
  ["73425007", "inactive"],
  ["277022003", "remission"],
  ["413322009", "resolved"],
  ["410605003", "confirmed"],
  ["415684004", "unconfirmed"],
  ["410516002", "refuted"],
]);

/** What people write for a status. */
const WORDS = new Map([
  ["current", "active"],
  ["ongoing", "active"],
  ["recurrent", "recurrence"],
  ["relapsed", "relapse"],
  ["not active", "inactive"],
  ["no longer active", "inactive"],
  ["past", "inactive"],
  ["historical", "inactive"],
  ["history", "inactive"],
  ["in remission", "remission"],
  ["ended", "resolved"],
  ["cured", "resolved"],
  ["healed", "resolved"],
  ["no longer present", "resolved"],
  ["suspected", "unconfirmed"],
  ["ruled out", "refuted"],
  ["confirmed present", "confirmed"],
  ["known absent", "refuted"],
]);

/** Words beside a status that do not change it: "Problem resolved (finding)". */
const BESIDE = /\b(problem|condition|disorder|disease|allergy|status|phase|clinical|finding|qualifier value)\b/g;

/**
 * Returns a status, from a code of FHIR or SNOMED CT, or else from words.
 *
 * @returns undefined if it is none that FHIR has
 */
export function statusOf(concept: CodeableConcept | undefined, kind: StatusKind): string | undefined {
  const { text, coding = [] } = concept ?? {};
  const known = STATUSES[kind];
  const ofSnomed = coding.map((each) => (each?.system === SNOMED ? SNOMED_STATUSES.get(each.code ?? "") : undefined));
  const words = [text, ...coding.map((each) => each?.display)].flatMap((each) => (each ? inWords(each) : []));
  return [...codesOf(concept), ...ofSnomed, ...words].find((each) => each !== undefined && known.includes(each));
}

function inWords(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z ]+/g, " ")
    .replaceAll(BESIDE, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return [plain.replaceAll(" ", "-"), WORDS.get(plain) ?? ""];
}
