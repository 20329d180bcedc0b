import { PREGNANCY_STATUS } from "../patients/clinical.ts";
import type { ClinicalEntry } from "../patients/clinical-entry.ts";
import { codeOf, codesOf, LOINC, meaningOf, nameOf, SNOMED } from "./concept.ts";
import type { Located } from "./read-bundle.ts";
import type { CodeableConcept, Dosage, Resource } from "./resources.ts";

/** An entry that a resource becomes, or the reason why it is left out, as the end of a sentence about it. */
export type Reading = { entry: ClinicalEntry } | { ignored: string };

const NAMES_NOTHING = { ignored: "names nothing: it has neither a text nor a code" };

/** The verification statuses of what is not true, and the reason for leaving it out. */
const NOT_TRUE: Record<string, string> = { "entered-in-error": "was entered in error", refuted: "was refuted" };

const CRITICALITIES = ["low", "high", "unable-to-assess"];

export function allergyEntry({ resource }: Located<"AllergyIntolerance">): Reading {
  const { clinicalStatus, criticality, code, reaction = [], onsetDateTime, onsetPeriod } = resource;
  const verification = statusOf(resource.verificationStatus, "verification");
  const substance = reaction.map(({ substance }) => meaningOf("allergy", substance)).find(Boolean);
  const own = meaningOf("allergy", code);
  // An allergy without a name is to what it reacted to.
  const meaning = own?.statement === "not-known" || !own ? (substance ?? own) : own;
  const untrue = NOT_TRUE[verification ?? ""];
  if (untrue || !meaning) {
    return untrue ? { ignored: untrue } : NAMES_NOTHING;
  }
  const reactions = reaction.flatMap(({ manifestation = [] }) => manifestation.flatMap((sign) => nameOf(sign) ?? []));
  return {
    entry: present({
      kind: "allergy",
      ...meaning,
      status: statusOf(clinicalStatus, "clinical"),
      verification,
      criticality: CRITICALITIES.find((each) => each === criticality),
      reactions: reactions.length > 0 ? [...new Set(reactions)] : undefined,
      start: onsetDateTime ?? onsetPeriod?.start,
    }),
  };
}

export function conditionEntry({ resource }: Located<"Condition">): Reading {
  const { code, onsetDateTime, onsetPeriod, abatementDateTime, abatementPeriod } = resource;
  const verification = statusOf(resource.verificationStatus, "verification");
  const meaning = meaningOf("condition", code);
  const untrue = NOT_TRUE[verification ?? ""];
  if (untrue || !meaning) {
    return untrue ? { ignored: untrue } : NAMES_NOTHING;
  }
  // What has abated is not active (FHIR's rule con-4).
  const isAbated = Object.keys(resource).some((element) => element.startsWith("abatement"));
  return {
    entry: present({
      kind: "condition",
      ...meaning,
      status: statusOf(resource.clinicalStatus, "clinical") ?? (isAbated ? "inactive" : undefined),
      verification,
      start: onsetDateTime ?? onsetPeriod?.start,
      end: abatementDateTime ?? abatementPeriod?.end ?? abatementPeriod?.start,
    }),
  };
}

/** The statuses of requests, as those of statements about taking the medicine. */
const REQUEST_STATUS: Record<string, string> = { cancelled: "not-taken", draft: "intended" };

/** The statuses of statements about taking a medicine (HL7, value set medication-statement-status); see NOT_TRUE. */
const TAKING = ["active", "completed", "intended", "stopped", "on-hold", "unknown", "not-taken"];

/** The intents of requests that are none yet. */
const NOT_ORDERED = ["proposal", "plan", "option"];

/** @param medicine what the resource is about, with the reason if that is not known */
export function medicationEntry(
  located: Located<"MedicationStatement"> | Located<"MedicationRequest">,
  medicine: Medicine,
): Reading {
  const { status } = located.resource;
  const untrue = NOT_TRUE[status ?? ""];
  if (untrue) {
    return { ignored: untrue };
  }
  if (located.type === "MedicationRequest" && located.resource.doNotPerform) {
    return { ignored: "asks not to give the medicine" };
  }
  if ("ignored" in medicine) {
    return medicine;
  }
  return {
    entry: present({
      kind: "medication",
      ...medicine.meaning,
      ...(located.type === "MedicationStatement" ? taken(located.resource) : ordered(located.resource)),
    }),
  };
}

/** What a statement or request is about. */
export type Medicine = { meaning: Pick<ClinicalEntry, "text" | "statement" | "code"> } | { ignored: string };

/** A status that FHIR does not have says nothing. */
function takingStatus(status: string): string {
  return TAKING.includes(status) ? status : "unknown";
}

function taken({
  status = "",
  effectiveDateTime,
  effectivePeriod = {},
  dosage,
}: Resource<"MedicationStatement">): Partial<ClinicalEntry> {
  const { start, end } = effectivePeriod;
  return { status: takingStatus(status), start: effectiveDateTime ?? start, end, ...dosageOf(dosage) };
}

function ordered({ status = "", intent = "", authoredOn, dosageInstruction }: Resource<"MedicationRequest">) {
  const isPlanned = status === "active" && NOT_ORDERED.includes(intent);
  return {
    status: isPlanned ? "intended" : takingStatus(REQUEST_STATUS[status] ?? status),
    start: authoredOn,
    ...dosageOf(dosageInstruction),
  };
}

/** Returns what a Medication is: its name, with the ingredients that the name does not contain. */
export function medicineOf({ status, code, ingredient = [] }: Resource<"Medication">): Medicine {
  if (status === "entered-in-error") {
    return { ignored: "refers to a Medication that was entered in error" };
  }
  const meaning = meaningOf("medication", code);
  const ingredients = [...new Set(ingredient.flatMap(({ itemCodeableConcept }) => nameOf(itemCodeableConcept) ?? []))];
  if (!meaning || meaning.statement === "not-known") {
    const own = meaning ? { meaning } : NAMES_NOTHING;
    return ingredients.length > 0 ? { meaning: { text: ingredients.join(" / ") } } : own;
  }
  const added = ingredients.filter((name) => !meaning.text.toLowerCase().includes(name.toLowerCase()));
  return { meaning: added.length > 0 ? { ...meaning, text: `${meaning.text} (${added.join(" / ")})` } : meaning };
}

/** Dosage as text if there is one; otherwise the amount, and how often. */
function dosageOf(dosage: Dosage[] = []): Pick<ClinicalEntry, "dosage" | "frequency"> {
  const joined = (parts: (string | undefined)[]) => [...new Set(parts.filter(Boolean))].join("; ") || undefined;
  return {
    dosage: joined(
      dosage.map(
        ({ text, patientInstruction, doseAndRate = [] }) => text || patientInstruction || amountOf(doseAndRate),
      ),
    ),
    frequency: joined(dosage.map((each) => frequencyOf(each))),
  };
}

function amountOf(doseAndRate: NonNullable<Dosage["doseAndRate"]>): string | undefined {
  const { value, unit, code } =
    doseAndRate.find(({ doseQuantity }) => doseQuantity?.value !== undefined)?.doseQuantity ?? {};
  return value === undefined ? undefined : [value, unit || code].filter(Boolean).join(" ");
}

/** UCUM's units of time. */
const UNITS: Record<string, string> = {
  s: "second",
  min: "minute",
  h: "hour",
  d: "day",
  wk: "week",
  mo: "month",
  a: "year",
};

/** Returns how often a dose is taken, unless the dosage's text says it. */
function frequencyOf({ text, patientInstruction, timing = {}, asNeededBoolean }: Dosage): string | undefined {
  const { frequency = 1, period, periodUnit = "" } = timing.repeat ?? {};
  const name = nameOf(timing.code);
  const unit = UNITS[periodUnit];
  if (name !== undefined || text || patientInstruction || period === undefined || !unit) {
    return name ?? (asNeededBoolean && !text ? "as needed" : undefined);
  }
  const times = frequency === 1 ? "once" : `${frequency} times`;
  return `${times} every ${period === 1 ? unit : `${period} ${unit}s`}${asNeededBoolean ? " as needed" : ""}`;
}

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
const PREGNANCY: Record<string, string> = {
  "LA15173-0": "Pregnant",
  "LA26683-5": "Not pregnant",
  "77386006": "Pregnant",
  "60001007": "Not pregnant",
  "102874004": "Possibly pregnant",
  "146799005": "Possibly pregnant",
  "152231000119106": "Possibly pregnant",
};

const SAYS_NOTHING = "has no value that says anything";

export function observationEntry({ resource }: Located<"Observation">, measure: Measure): Reading {
  const { code, effectiveDateTime, effectivePeriod, effectiveInstant, issued } = resource;
  const untrue = { ...NOT_TRUE, cancelled: "was cancelled" }[resource.status ?? ""];
  if (untrue) {
    return { ignored: untrue };
  }
  const value = measure === "pregnancy" ? pregnancyOf(resource) : eGfrOf(resource);
  if (!value) {
    return { ignored: SAYS_NOTHING };
  }
  const start = effectiveDateTime ?? effectivePeriod?.start ?? effectiveInstant ?? issued;
  return { entry: present({ kind: "observation", ...value, code: measuredCode(code, measure), start }) };
}

/** The code that says what was measured, of those that the observation has. */
function measuredCode({ coding = [] }: CodeableConcept = {}, measure: Measure) {
  return codeOf({
    coding: coding
      .filter(({ code = "" }) => (measure === "eGFR" ? EGFR.has(code) : code === PREGNANCY_STATUS))
      .map((each) => ({ system: LOINC, ...each })),
  });
}

function pregnancyOf({ valueCodeableConcept, valueString, valueBoolean }: Resource<"Observation">) {
  const code = codeOf(valueCodeableConcept);
  const known = code && (code.system === SNOMED || code.system === LOINC) ? PREGNANCY[code.code] : undefined;
  const said = valueBoolean === undefined ? (nameOf(valueCodeableConcept) ?? valueString) : valueBoolean ? "yes" : "no";
  const text = known ?? (said === undefined ? undefined : inWords(said));
  return text && { text, answer: { text: said ?? text, ...(code && { code }) } };
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

function eGfrOf({ valueQuantity = {} }: Resource<"Observation">) {
  const { value, unit, code } = valueQuantity;
  const comparator = COMPARATORS.find((each) => each === valueQuantity.comparator) ?? "";
  if (value === undefined) {
    return undefined;
  }
  const isReduced = comparator.startsWith("<") && value <= REDUCED;
  const shown = /1\.73/.test(unit || code || "1.73") ? "mL/min/1.73 m²" : unit || code;
  const text = `eGFR ${comparator}${value} ${shown}${isReduced ? ", reduced kidney function" : ""}`;
  const ownUnit = unit || code;
  return { text, quantity: { value, ...(ownUnit && { unit: ownUnit }), ...(comparator && { comparator }) } };
}

/** The codes of statuses (HL7, value sets of clinical and verification statuses; presumed is R5's). */
const STATUSES = {
  clinical: ["active", "recurrence", "relapse", "inactive", "remission", "resolved"],
  verification: ["unconfirmed", "presumed", "provisional", "differential", "confirmed", "refuted", "entered-in-error"],
};

/** Returns a status, from a code of any system or from the text; undefined if it is none that FHIR has. */
function statusOf(concept: CodeableConcept | undefined, of: keyof typeof STATUSES): string | undefined {
  const word = concept?.text?.trim().toLowerCase().replaceAll(" ", "-") ?? "";
  return [...codesOf(concept), word].find((code) => STATUSES[of].includes(code));
}

/** Leaves out what is undefined, so that equal entries have equal fields. */
function present(entry: { [Name in keyof ClinicalEntry]: ClinicalEntry[Name] | undefined }): ClinicalEntry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as unknown as ClinicalEntry;
}
