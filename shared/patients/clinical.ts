import type { ClinicalEntry, ClinicalKind } from "./clinical-entry.ts";
import type { CreatePatientRequest } from "./patient-requests.ts";
import { statementIn } from "./statement.ts";

/** The specified fields that are rendered from a record's clinical list, if it has one. */
export interface RenderedFields {
  conditions: string[];
  allergies: string | undefined;
  medications: NonNullable<CreatePatientRequest["medications"]>;
}

/** LOINC's code of the pregnancy status. */
export const PREGNANCY_STATUS = "82810-3";

/** How long a pregnancy holds, from when it was told: 42 weeks and a few days. */
const PREGNANCY_DAYS = 300;

/** Words for a pregnancy and what only exists in one, and their codes in SNOMED CT and ICD-10 (O00–O9A, Z33–Z36, Z3A). */
const OF_PREGNANCY = /pregnan|gravid|gestation|eclampsi|schwanger|embaraz|enceinte|grossesse/i;
const PREGNANCY_CODE = /^(77386006|O\d.*|Z3[3-6A].*)$/;

/** Whether an entry is a pregnancy status, or a condition that only exists in a pregnancy. */
export function isOfPregnancy({ kind, text, code }: ClinicalEntry): boolean {
  const isCondition = kind === "condition" && (OF_PREGNANCY.test(text) || PREGNANCY_CODE.test(code?.code ?? ""));
  return isCondition || code?.code === PREGNANCY_STATUS;
}

/** How a medicine, or what an allergy is to, is called if only its code is known; the code follows in parentheses. */
export const UNNAMED_MEDICINE = "unnamed medicine";
export const UNNAMED_ALLERGY = "unnamed allergy";

const DAY = 24 * 60 * 60 * 1000;
/** Kidney function is measured at least once a year (KDIGO 2024, 2.1); an older value says how it was then. */
const MEASURED_AGAIN = 365 * DAY;

/**
 * The statuses of what is not current (HL7, value sets condition-clinical, allergyintolerance-clinical and
 * medication-statement-status). Any other status, and none, counts as current: a caution too many is the lesser harm.
 */
const NOT_CURRENT = new Set([
  "inactive",
  "remission",
  "resolved",
  "completed",
  "stopped",
  "on-hold",
  "not-taken",
  "intended",
]);

/** Whether an entry holds now; otherwise it is history. */
function isCurrent(entry: ClinicalEntry, now = Date.now()): boolean {
  const { status, start, end } = entry;
  const isOver = NOT_CURRENT.has(status ?? "") || (end !== undefined && hasPassed(end, now));
  return !isOver && !(start !== undefined && isOfPregnancy(entry) && now - Date.parse(start) >= PREGNANCY_DAYS * DAY);
}

/** Whether a date in FHIR's form has passed: a year, a month or a day with its end. */
export function hasPassed(date: string, now = Date.now()): boolean {
  const [year = 0, month = 12, day] = date.slice(0, 10).split("-").map(Number);
  const end = day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1);
  return (date.includes("T") ? Date.parse(date) : end) <= now;
}

/** Returns an entry's text with what limits it: "Asthma (unconfirmed)", "Appendicitis (resolved, until 2022-11-03)". */
export function describe(entry: ClinicalEntry): string {
  const { kind, text, status = "", verification = "confirmed", start, end, quantity } = entry;
  if (quantity && start !== undefined && Date.now() - Date.parse(start) > MEASURED_AGAIN) {
    return text.replace(/(, reduced kidney function)?$/, ` in ${start.slice(0, 4)}$1`);
  }
  const isPastPregnancy = kind === "condition" && !end && isOfPregnancy(entry) && !isCurrent(entry);
  const limits = [
    NOT_CURRENT.has(status) && status,
    status === "unknown" && "status unknown",
    verification !== "confirmed" && "unconfirmed",
    (kind === "observation" || isPastPregnancy) && start?.slice(0, 10),
    !isCurrent(entry) && end && `until ${end.slice(0, 10)}`,
  ].filter(Boolean);
  return limits.length > 0 ? `${text} (${limits.join(", ")})` : text;
}

/** Observations are shown among the conditions. */
function isOf(kind: ClinicalKind, entry: ClinicalEntry): boolean {
  return entry.kind === kind || (kind === "condition" && entry.kind === "observation");
}

/** Returns the entries of a kind that hold now. */
function currentOf(clinical: readonly ClinicalEntry[], kind: ClinicalKind): ClinicalEntry[] {
  return clinical.filter((entry) => isOf(kind, entry) && isCurrent(entry));
}

/** Returns the entries of a kind that are history. */
export function historyOf(clinical: readonly ClinicalEntry[], kind: ClinicalKind): ClinicalEntry[] {
  return clinical.filter((entry) => isOf(kind, entry) && !isCurrent(entry));
}

/**
 * Returns the entries of a kind that are shown: those that hold now, without a statement that others contradict.
 * Whatever a list names is known, and what is not known is not said to be none.
 */
export function shownOf(clinical: readonly ClinicalEntry[], kind: ClinicalKind): ClinicalEntry[] {
  const current = currentOf(clinical, kind);
  const isNamed = current.some((entry) => entry.kind === kind && entry.statement === undefined);
  const isOpen = current.some(({ statement }) => statement === "not-known");
  return current.filter(
    ({ statement }) => !(isNamed && statement === "not-known") && !((isNamed || isOpen) && statement === "none-known"),
  );
}

/** Renders the specified fields from a clinical list. */
export function rendered(clinical: readonly ClinicalEntry[]): RenderedFields {
  const allergies = [...new Set(shownOf(clinical, "allergy").map(describe))];
  return {
    conditions: [...new Set(shownOf(clinical, "condition").map(describe))],
    allergies: allergies.length > 0 ? allergies.join(SEPARATOR) : undefined,
    medications: unique(shownOf(clinical, "medication").map(asMedication)),
  };
}

/** One order may be there several times, with other dates. */
function unique(medications: RenderedFields["medications"]): RenderedFields["medications"] {
  return [...new Map(medications.map((medication) => [JSON.stringify(medication), medication])).values()];
}

function asMedication(entry: ClinicalEntry): RenderedFields["medications"][number] {
  const { dosage, frequency } = entry;
  return {
    name: describe(entry),
    ...(dosage !== undefined && { dosage }),
    ...(frequency !== undefined && { frequency }),
  };
}

/** Between allergies (specification, Patient record). */
const SEPARATOR = ", ";

/**
 * Returns a clinical list in which a caller has replaced specified fields. An entry that a new value still shows keeps
 * all it has; other texts become entries of their own; an entry that is no longer shown is removed. What a field does
 * not show, the history, stays.
 *
 * @param edits the new values; null removes what the field shows
 */
export function edited(
  clinical: readonly ClinicalEntry[],
  edits: { [Field in keyof RenderedFields]?: RenderedFields[Field] | null | undefined },
): ClinicalEntry[] {
  const { conditions, allergies, medications } = edits;
  let list = [...clinical];
  if (conditions !== undefined) {
    list = replaced(list, "condition", describe, conditions ?? [], (text) => entryOf("condition", text));
  }
  if (allergies !== undefined) {
    const shown = shownOf(list, "allergy").map(describe);
    const values = allergies === null ? [] : partsOf(allergies, shown);
    list = replaced(list, "allergy", describe, values, (text) => entryOf("allergy", text));
  }
  if (medications !== undefined) {
    const values = (medications ?? []).map((medication) => JSON.stringify(asFields(medication)));
    list = replaced(
      list,
      "medication",
      (entry) => JSON.stringify(asMedication(entry)),
      values,
      (value) => {
        const { name = "", ...rest } = JSON.parse(value);
        return { ...entryOf("medication", name), ...rest };
      },
    );
  }
  return list;
}

/** Returns a record's clinical list; for a record without one, what its specified fields say. */
export function clinicalOf(
  record: Partial<RenderedFields> & { clinical?: ClinicalEntry[] | undefined },
): ClinicalEntry[] {
  const { clinical, conditions, allergies, medications } = record;
  return clinical ?? edited([], { conditions: conditions?.map(nameOfCondition), allergies, medications });
}

/** A condition may be an object with name and symptoms that was serialized to a string (specification, Resources). */
function nameOfCondition(condition: string): string {
  try {
    const { name, symptoms } = JSON.parse(condition);
    return [name, symptoms && `(${symptoms})`].filter(Boolean).join(" ") || condition;
  } catch {
    return condition;
  }
}

/** An entry that only has a text. */
function entryOf(kind: ClinicalKind, text: string): ClinicalEntry {
  const statement = statementIn(kind, text);
  return { kind, text, ...(statement && { statement }) };
}

/** The fields of a medication in the order in which they are rendered. */
function asFields({ name, dosage, frequency }: RenderedFields["medications"][number]) {
  return { name, dosage, frequency };
}

function replaced(
  list: readonly ClinicalEntry[],
  kind: ClinicalKind,
  show: (entry: ClinicalEntry) => string,
  values: readonly string[],
  create: (value: string) => ClinicalEntry,
): ClinicalEntry[] {
  const current = new Set(currentOf(list, kind));
  const wanted = new Set(values);
  const kept = new Set([...current].filter((entry) => wanted.has(show(entry))));
  const shown = new Set([...kept].map(show));
  const added = values.filter((value) => value.trim() !== "" && !shown.has(value)).map(create);
  return [...list.filter((entry) => !current.has(entry) || kept.has(entry)), ...added];
}

/**
 * Splits a text of allergies into the ones that it was rendered from, which may contain commas themselves, and the
 * texts between them.
 */
function partsOf(allergies: string, shown: readonly string[]): string[] {
  const longestFirst = [...new Set(shown)].sort((a, b) => b.length - a.length);
  const byBeginning = Map.groupBy(longestFirst, beginningOf);
  const parts: string[] = [];
  let own = "";
  for (let rest = allergies; rest !== ""; ) {
    const beginning = beginningOf(rest);
    const known = byBeginning
      .get(beginning)
      ?.find(
        (text) => rest.startsWith(text) && (rest.length === text.length || rest.startsWith(SEPARATOR, text.length)),
      );
    const length = known?.length ?? beginning.length;
    if (known === undefined) {
      own += (own && SEPARATOR) + rest.slice(0, length);
    } else {
      parts.push(...(own ? [own] : []), known);
      own = "";
    }
    rest = rest.slice(length + SEPARATOR.length);
  }
  return own ? [...parts, own] : parts;
}

/** The part of a text up to the first separator. */
function beginningOf(text: string): string {
  const end = text.indexOf(SEPARATOR);
  return end < 0 ? text : text.slice(0, end);
}
