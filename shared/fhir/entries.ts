import { hasPassed, isOfPregnancy } from "../patients/clinical.ts";
import type { ClinicalEntry } from "../patients/clinical-entry.ts";
import { meaningOf, nameOf } from "./concept.ts";
import type { Dosage } from "./datatypes.ts";
import { takingOf } from "./dosage.ts";
import type { Located } from "./located.ts";
import type { MedicationUse, Medicine } from "./medicine.ts";
import { NAMES_NOTHING, type Name } from "./report.ts";
import { isEmpty } from "./shape.ts";
import { type StatusKind, statusOf } from "./statuses.ts";

/** An entry that a resource becomes, or the reason why it is left out, as the end of a sentence about it. */
export type ReadEntry = { entry: ClinicalEntry } | { ignored: string };

/** The verification statuses of what is not true, and the reason for leaving it out. */
export const NOT_TRUE = new Map([
  ["entered-in-error", "was entered in error"],
  ["refuted", "was refuted"],
]);

const CRITICALITIES = ["low", "high", "unable-to-assess"];

export function allergyEntry(located: Located<"AllergyIntolerance">): ReadEntry {
  const { resource, path, name } = located;
  const { criticality, code, reaction = [], onsetDateTime, onsetPeriod } = resource;
  const verification = statusIn(located, "verification");
  const substances = reaction.map((each) => meaningOf("allergy", each?.substance));
  const own = meaningOf("allergy", code);
  // An allergy without a name is to what it reacted to.
  const isOwn = own !== undefined && own.statement !== "not-known";
  const meaning = isOwn ? own : (substances.find(Boolean) ?? own);
  const untrue = NOT_TRUE.get(verification ?? "");
  if (untrue || !meaning) {
    return untrue ? { ignored: untrue } : { ignored: NAMES_NOTHING };
  }
  for (const [index, substance] of substances.entries()) {
    if (substance && substance.text !== meaning.text) {
      name(`${path}.reaction[${index}].substance`, "is a second name beside the allergy's own");
    }
  }
  const known = CRITICALITIES.find((each) => each === criticality);
  if (criticality !== undefined && known === undefined) {
    name(`${path}.criticality`, NO_CODE);
  }
  const reactions = reactionsOf(located);
  return {
    entry: present({
      kind: "allergy",
      ...meaning,
      status: statusIn(located, "clinical"),
      verification,
      criticality: known,
      reactions: reactions.length > 0 ? [...new Set(reactions)] : undefined,
      start: firstOf({ onsetDateTime, onsetPeriod: onsetPeriod?.start }, path, name),
    }),
  };
}

function reactionsOf({ resource: { reaction = [] }, path, name }: Located<"AllergyIntolerance">): string[] {
  return reaction.flatMap((each, index) =>
    (each?.manifestation ?? []).flatMap((sign, place) => {
      const words = nameOf(sign);
      if (words === undefined && !isEmpty(sign)) {
        name(`${path}.reaction[${index}].manifestation[${place}]`, "is a code without a name");
      }
      return words ?? [];
    }),
  );
}

export function conditionEntry(located: Located<"Condition">): ReadEntry {
  const { resource, path, name } = located;
  const { code, onsetDateTime, onsetPeriod, recordedDate } = resource;
  const verification = statusIn(located, "verification");
  const meaning = meaningOf("condition", code);
  const untrue = NOT_TRUE.get(verification ?? "");
  if (untrue || !meaning) {
    return untrue ? { ignored: untrue } : { ignored: NAMES_NOTHING };
  }
  const onset = firstOf({ onsetDateTime, onsetPeriod: onsetPeriod?.start }, path, name);
  const { isAbated, end } = abatementOf(located);
  const status = statusIn(located, "clinical");
  const entry = present({
    kind: "condition",
    ...meaning,
    status: isAbated && !ENDED.has(status ?? "") ? "inactive" : status,
    verification,
    start: onset,
    end,
  });
  // A pregnancy is over some day, also if nobody wrote down when it began.
  return { entry: isOfPregnancy(entry) ? present({ ...entry, start: onset ?? recordedDate }) : entry };
}

const ENDED = new Set(["inactive", "remission", "resolved"]);

/** Returns when a condition has abated, and whether it has: such a one is not active (FHIR's rule con-4). */
function abatementOf({ resource, path, name }: Located<"Condition">): { isAbated: boolean; end: string | undefined } {
  const { abatementDateTime, abatementPeriod, abatementAge, abatementRange, abatementString } = resource;
  const undated = { abatementAge, abatementRange, abatementString };
  for (const [element, value] of Object.entries(undated)) {
    if (value !== undefined) {
      name(`${path}.${element}`, "says that it is over, which is taken over, but not when");
    }
  }
  const period = abatementPeriod?.end ?? abatementPeriod?.start;
  if (abatementPeriod?.end !== undefined && abatementPeriod.start !== undefined) {
    name(`${path}.abatementPeriod.start`, "is when it began to end: a record has when it ended");
  }
  const end = firstOf({ abatementDateTime, abatementPeriod: period }, path, name);
  const isUndated = Object.values(undated).some((value) => value !== undefined);
  return { isAbated: isUndated || (end !== undefined && hasPassed(end)), end };
}

/** The statuses of requests, as those of statements about taking the medicine. */
const REQUEST_STATUS = new Map([
  ["cancelled", "not-taken"],
  ["draft", "intended"],
]);

/** The statuses of statements about taking a medicine (HL7, value set medication-statement-status); see NOT_TRUE. */
const TAKING = ["active", "completed", "intended", "stopped", "on-hold", "unknown", "not-taken"];

/** The intents of requests that are none yet. */
const NOT_ORDERED = ["proposal", "plan", "option"];

const NO_CODE = "is a code that FHIR does not have";

/** @param medicine what the resource is about, with the reason if that is not known */
export function medicationEntry(located: MedicationUse, medicine: Medicine): ReadEntry {
  const { status } = located.resource;
  const untrue = NOT_TRUE.get(status ?? "");
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
      ...(located.type === "MedicationStatement" ? taken(located) : ordered(located)),
    }),
  };
}

/** A status that FHIR does not have says nothing. */
function takingStatus(status: string | undefined, path: string, name: Name): string {
  const known = REQUEST_STATUS.get(status ?? "") ?? status ?? "";
  if (TAKING.includes(known)) {
    return known;
  }
  if (status !== undefined) {
    name(`${path}.status`, NO_CODE);
  }
  return "unknown";
}

function taken({ resource, path, name }: Located<"MedicationStatement">): Partial<ClinicalEntry> {
  const { status, effectiveDateTime, effectivePeriod, dosage = [] } = resource;
  return {
    status: takingStatus(status, path, name),
    start: firstOf({ effectiveDateTime, effectivePeriod: effectivePeriod?.start }, path, name),
    end: effectivePeriod?.end ?? endOf(dosage),
    ...takingOf(dosage, `${path}.dosage`, name),
  };
}

function ordered({ resource, path, name }: Located<"MedicationRequest">): Partial<ClinicalEntry> {
  const { status, intent = "", authoredOn, dosageInstruction = [] } = resource;
  const isPlanned = status === "active" && NOT_ORDERED.includes(intent);
  return {
    status: isPlanned ? "intended" : takingStatus(status, path, name),
    start: authoredOn,
    end: endOf(dosageInstruction),
    ...takingOf(dosageInstruction, `${path}.dosageInstruction`, name),
  };
}

/** Returns when the last of several instructions ends, if all have an end. */
function endOf(dosages: readonly (Dosage | undefined)[]): string | undefined {
  const ends = dosages.map((dosage) => dosage?.timing?.repeat?.boundsPeriod?.end);
  return ends.every((end) => end !== undefined)
    ? ends.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1)
    : undefined;
}

function statusIn(
  { resource, path, name }: Located<"AllergyIntolerance"> | Located<"Condition">,
  kind: StatusKind,
): string | undefined {
  const element = `${kind}Status` as const;
  const concept = resource[element];
  const status = statusOf(concept, kind);
  if (status === undefined && !isEmpty(concept)) {
    name(`${path}.${element}`, "is not a status that FHIR has");
  }
  return status;
}

/** Returns the first of several forms of an element that there is; FHIR allows only one. Others are named. */
export function firstOf<Value>(forms: Record<string, Value | undefined>, path: string, name: Name): Value | undefined {
  const [first, ...others] = Object.entries(forms).filter(([, value]) => value !== undefined);
  for (const [element] of others) {
    name(`${path}.${element}`, "is a second value beside another one");
  }
  return first?.[1];
}

/** Leaves out what is undefined, so that equal entries have equal fields. */
export function present(entry: { [Name in keyof ClinicalEntry]: ClinicalEntry[Name] | undefined }): ClinicalEntry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as unknown as ClinicalEntry;
}
