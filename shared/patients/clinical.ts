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

/** How long a pregnancy status holds: 42 weeks and a few days. */
const PREGNANCY_DAYS = 300;

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
function isCurrent({ status, code, start }: ClinicalEntry, now = Date.now()): boolean {
  if (code?.code === PREGNANCY_STATUS && start !== undefined) {
    return now - Date.parse(start) < PREGNANCY_DAYS * 24 * 60 * 60 * 1000;
  }
  return !NOT_CURRENT.has(status ?? "");
}

/** Returns an entry's text with what limits it: "Asthma (unconfirmed)", "Appendicitis (resolved, until 2022-11-03)". */
export function describe(entry: ClinicalEntry): string {
  const { kind, text, status = "", verification = "confirmed", start, end } = entry;
  const limits = [
    NOT_CURRENT.has(status) && status,
    status === "unknown" && "status unknown",
    verification !== "confirmed" && "unconfirmed",
    kind === "observation" && start?.slice(0, 10),
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
  const allergies = shownOf(clinical, "allergy").map(describe);
  return {
    conditions: [...new Set(shownOf(clinical, "condition").map(describe))],
    allergies: allergies.length > 0 ? allergies.join(SEPARATOR) : undefined,
    medications: shownOf(clinical, "medication").map(asMedication),
  };
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
  const current = currentOf(list, kind);
  const kept = new Set(current.filter((entry) => values.includes(show(entry))));
  const shown = new Set([...kept].map(show));
  const added = values.filter((value) => value.trim() !== "" && !shown.has(value)).map(create);
  return [...list.filter((entry) => !current.includes(entry) || kept.has(entry)), ...added];
}

/**
 * Splits a text of allergies into the ones that it was rendered from, which may contain commas themselves, and the
 * texts between them.
 */
function partsOf(allergies: string, shown: readonly string[]): string[] {
  const longestFirst = shown.toSorted((a, b) => b.length - a.length);
  const parts: string[] = [];
  let own = "";
  for (let rest = allergies; rest !== ""; ) {
    const known = longestFirst.find((text) => rest === text || rest.startsWith(text + SEPARATOR));
    const length = known?.length ?? (rest.indexOf(SEPARATOR) + 1 || rest.length + 1) - 1;
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
