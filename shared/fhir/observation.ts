import { PREGNANCY_STATUS } from "../patients/clinical.ts";
import { codeOf, codesOf, LOINC, nameOf, SNOMED } from "./concept.ts";
import type { CodeableConcept } from "./datatypes.ts";
import { firstOf, NOT_TRUE, present, type ReadEntry } from "./entries.ts";
import type { Located } from "./located.ts";

/** LOINC's codes of an estimated glomerular filtration rate per 1.73 m², by the formula. */
const EGFR = new Set([
  "33914-3", // MDRD
  "48642-3", // MDRD, non-Black
  "48643-1", // MDRD, Black
  "50044-7", // MDRD, female
  "62238-1", // CKD-EPI
  "69405-9", // without a formula
  "77147-7", // MDRD
  "88293-6", // CKD-EPI, Black
  "88294-4", // CKD-EPI, non-Black
  "94677-2", // CKD-EPI, creatinine and cystatin C
  "98979-8", // CKD-EPI 2021
  "98980-6", // CKD-EPI 2021, creatinine and cystatin C
  "102097-3", // without a formula, creatinine, cystatin C or both
]);

/** The observations that are read. */
export type Measure = "pregnancy" | "eGFR";

/** Returns which of the observations that are read this is, if it is one of them. */
export function measureOf(code: CodeableConcept | undefined): Measure | undefined {
  const codes = codesOf(code);
  return codes.includes(PREGNANCY_STATUS) ? "pregnancy" : codes.some((each) => EGFR.has(each)) ? "eGFR" : undefined;
}

/** The answers to the pregnancy status (LOINC, answer list LL4129-4, and SNOMED CT). */
const PREGNANCY = new Map([
  ["LA15173-0", "Pregnant"],
  ["LA26683-5", "Not pregnant"],
  ["77386006", "Pregnant"],
  ["60001007", "Not pregnant"],
  ["102874004", "Possibly pregnant"],
  ["146799005", "Possibly pregnant"],
  ["152231000119106", "Possibly pregnant"],
]);

const SAYS_NOTHING = "has no value that says anything";

export function observationEntry(located: Located<"Observation">, measure: Measure): ReadEntry {
  const { resource, path, name } = located;
  const { code, effectiveDateTime, effectivePeriod, effectiveInstant, issued, status = "" } = resource;
  const untrue = status === "cancelled" ? "was cancelled" : NOT_TRUE.get(status);
  if (untrue) {
    return { ignored: untrue };
  }
  const value = measure === "pregnancy" ? pregnancyOf(located) : eGfrOf(located);
  if (!value) {
    return { ignored: SAYS_NOTHING };
  }
  const start = firstOf({ effectiveDateTime, effectivePeriod: effectivePeriod?.start, effectiveInstant }, path, name);
  return {
    entry: present({ kind: "observation", ...value, code: measuredCode(code, measure), start: start ?? issued }),
  };
}

/** The code that says what was measured, of those that the observation has. */
function measuredCode({ coding = [] }: CodeableConcept = {}, measure: Measure) {
  return codeOf({
    coding: coding
      .filter((each) => each !== undefined)
      .filter(({ code = "" }) => (measure === "eGFR" ? EGFR.has(code) : code === PREGNANCY_STATUS))
      .map((each) => ({ system: LOINC, ...each })),
  });
}

function pregnancyOf({ resource, path, name }: Located<"Observation">) {
  const { valueCodeableConcept, valueString, valueBoolean, valueQuantity } = resource;
  const code = codeOf(valueCodeableConcept);
  const known = code && (code.system === SNOMED || code.system === LOINC) ? PREGNANCY.get(code.code) : undefined;
  const words = valueCodeableConcept && (nameOf(valueCodeableConcept) ?? code?.code);
  const spoken = valueBoolean === undefined ? undefined : valueBoolean ? "yes" : "no";
  const said = firstOf({ valueBoolean: spoken, valueCodeableConcept: words, valueString, valueQuantity }, path, name);
  const text = known ?? (typeof said === "string" ? inWords(said) : undefined);
  return (
    text && {
      text,
      answer: { text: typeof said === "string" && said !== code?.code ? said : text, ...(code && { code }) },
    }
  );
}

function inWords(said: string): string | undefined {
  const word = said.trim().toLowerCase();
  if (/^(yes|pregnant|positive|true)$/.test(word)) {
    return "Pregnant";
  }
  return /^(no|not pregnant|negative|false)$/.test(word) ? "Not pregnant" : undefined;
}

const COMPARATORS = ["<", "<=", ">=", ">"];

/** The rate below which the kidneys work less (KDIGO 2024, CKD stage 3). */
const REDUCED = 60;

function eGfrOf({ resource, path, name }: Located<"Observation">) {
  const { valueQuantity = {}, valueString, valueCodeableConcept, valueBoolean } = resource;
  const { value, unit, code } = valueQuantity;
  const comparator = COMPARATORS.find((each) => each === valueQuantity.comparator) ?? "";
  if (value === undefined || (valueQuantity.comparator !== undefined && comparator === "")) {
    return undefined;
  }
  firstOf({ valueQuantity, valueString, valueCodeableConcept, valueBoolean }, path, name);
  const isReduced = comparator.startsWith("<") && value <= REDUCED;
  const shown = /1\.73/.test(unit ?? code ?? "1.73") ? "mL/min/1.73 m²" : (unit ?? code);
  const text = `eGFR ${comparator}${value} ${shown}${isReduced ? ", reduced kidney function" : ""}`;
  const ownUnit = unit ?? code;
  return { text, quantity: { value, ...(ownUnit && { unit: ownUnit }), ...(comparator && { comparator }) } };
}
