import { invalidField } from "../errors.ts";
import type { ClinicalEntry, ClinicalKind } from "../patients/clinical-entry.ts";
import { STATEMENT_TEXT } from "../patients/statement.ts";
import { codesOf, emptyReason } from "./concept.ts";
import type { Reference } from "./datatypes.ts";
import { allergyEntry, conditionEntry, medicationEntry, type ReadEntry } from "./entries.ts";
import type { AnyLocated, Located } from "./located.ts";
import { Medicines } from "./medicine.ts";
import { type Measure, measureOf, observationEntry } from "./observation.ts";
import { type Person, personIn } from "./person.ts";
import { readBundle, refuse } from "./read-bundle.ts";
import { resolver } from "./references.ts";
import { capped, type Ignored, IS_EMPTY, NAMES_NOTHING } from "./report.ts";
import type { ReadType } from "./resources.ts";
import { otherVersionIn } from "./version.ts";
import { latestVersions } from "./versions.ts";

/** What a Bundle, or a Patient, says, and what of it is not taken over. */
export interface ImportedRecord {
  /** Undefined without a Patient. */
  person: Person | undefined;
  clinical: ClinicalEntry[];
  ignored: Ignored[];
  /** How much else is not taken over, if that is too much to name. */
  moreIgnored?: number;
  /** How many resources there are of the types that are not read. */
  others: Record<string, number>;
}

/** A request's body and its media type, which may name a version of FHIR. */
export interface FhirInput {
  body: Record<string, unknown>;
  type: string | undefined;
}

interface Read {
  located: AnyLocated;
  reading: ReadEntry;
}

/**
 * Reads the record of one patient. The same input gives the same result, so a repeated request gets the same report.
 *
 * @param failure the `error` of a 400
 * @throws ServiceError `invalid` as in {@link readBundle}, if it is about several patients, if it has an allergy to
 *   something that cannot be read, and if it is not R4
 */
export function importRecord({ body, type }: FhirInput, failure: string): ImportedRecord {
  const version = otherVersionIn(type);
  if (version !== undefined) {
    throw invalidField("Content-Type", `is of FHIR ${version}; only R4 is supported`, failure);
  }
  const contents = readBundle(body, failure);
  const { read, others } = separated(contents.resources, contents.others);
  const { current, outdated } = latestVersions(read, contents.deletions);
  const patient = patientOf(current, failure);
  const isAbout = belonging(current, patient);
  const own = current.filter(isAbout);
  const medicines = new Medicines(ofType(own, "Medication"));
  const readings = withoutRepetitions([
    ...own.flatMap((located) => readingsOf(located, medicines)),
    ...observationsIn(own),
  ]);
  refuseUnreadableAllergies(readings, failure);
  const person = patient && personIn(patient);
  const left = readings.flatMap(({ located, reading }) => ("ignored" in reading ? [{ located, ...reading }] : []));
  const isLeft = new Set<AnyLocated>([...left.map(({ located }) => located), ...medicines.unused]);
  const { ignored, moreIgnored = 0 } = capped([
    ...contents.ignored,
    ...outdated.map(({ located, reason }) => ignoredAs(located, reason)),
    ...current
      .filter((located) => !isAbout(located))
      .map((located) => ignoredAs(located, "is, or is about, another patient")),
    ...left.map(({ located, ignored }) => ignoredAs(located, ignored)),
    ...[...medicines.unused].map((located) => ignoredAs(located, "is in no statement or request about the patient")),
    ...own
      .filter((located) => !isLeft.has(located) && located.type !== "Composition")
      .flatMap(({ ignored }) => ignored),
  ]);
  const more = moreIgnored + contents.unnamed;
  return {
    person,
    clinical: readings.flatMap(({ reading }) => ("entry" in reading ? reading.entry : [])),
    ignored,
    ...(more > 0 && { moreIgnored: more }),
    others,
  };
}

/** Leaves out a medicine that says the same as one before it, as an order that was sent twice. Dates tell two apart. */
function withoutRepetitions(readings: readonly Read[]): Read[] {
  const first = new Map<string, AnyLocated>();
  return readings.flatMap(({ located, reading }) => {
    const isMedicine = "entry" in reading && reading.entry.kind === "medication" && located.type !== "Composition";
    const key = isMedicine ? JSON.stringify(reading.entry) : undefined;
    const before = key === undefined ? undefined : first.get(key);
    if (key !== undefined && before === undefined) {
      first.set(key, located);
    }
    return { located, reading: before ? { ignored: `says the same as ${before.path}` } : reading };
  });
}

/** Silence about an allergy is dangerous, so one to something that cannot be read is not left out. */
function refuseUnreadableAllergies(readings: readonly Read[], failure: string): void {
  const faults = readings.flatMap(({ located, reading }) => {
    const isNameless = "ignored" in reading && reading.ignored === NAMES_NOTHING;
    return isNameless && located.type === "AllergyIntolerance" ? namingFaults(located) : [];
  });
  refuse(faults, failure);
}

/** What is wrong with what would name an allergy. An empty text is as good as none. */
function namingFaults({ path, ignored }: Located<"AllergyIntolerance">) {
  return ignored
    .map((each) => ({ element: each.path.slice(path.length), path: each.path, message: each.reason }))
    .filter(({ element }) => /^\.code\b|^\.reaction(\[\d+\](\.substance\b.*)?)?$/.test(element))
    .filter(({ message }) => message !== IS_EMPTY)
    .map(({ path, message }) => ({ path, message }));
}

function ignoredAs({ type, path }: AnyLocated, reason: string): Ignored {
  return { type, path, reason };
}

function ofType<Type extends ReadType>(resources: readonly AnyLocated[], type: Type): Located<Type>[] {
  return resources.filter((located) => located.type === type) as unknown as Located<Type>[];
}

/** Counts the observations that are not read, and the Composition, of which only what it says about others is. */
function separated(resources: readonly AnyLocated[], others: ReadonlyMap<string, number>) {
  const counts = new Map(others);
  const read = resources.filter((located) => {
    const { type } = located;
    const isUnread = located.type === "Observation" && measureOf(located.resource.code) === undefined;
    if (isUnread || type === "Composition") {
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    return !isUnread;
  });
  return { read, others: Object.fromEntries(counts) };
}

/**
 * Returns the patient that a Bundle is about: the only one, or the subject of its Composition.
 *
 * @throws ServiceError `invalid` if there are several
 */
function patientOf(resources: readonly AnyLocated[], failure: string): Located<"Patient"> | undefined {
  const patients = ofType(resources, "Patient");
  const [composition] = ofType(resources, "Composition");
  const patient = patients.length > 1 ? resolver(patients)(composition?.resource.subject) : patients[0];
  if (patients.length > 0 && patient === undefined) {
    const message = "is one of several patients; import one patient at a time";
    refuse(
      patients.map(({ path }) => ({ path, message })),
      failure,
    );
  }
  return patient;
}

/**
 * Returns the test whether a resource belongs to the record. A reference that names nobody, because it is masked or
 * logical, is taken to mean the patient unless it has an identifier that the patient does not have. Without a Patient,
 * all resources have to name the same one.
 */
function belonging(
  resources: readonly AnyLocated[],
  patient: Located<"Patient"> | undefined,
): (located: AnyLocated) => boolean {
  const resolve = resolver(patient ? [patient] : []);
  const first = resources.map((each) => subjectOf(each)?.reference).find(Boolean);
  const isNameless = patient !== undefined && patient.id === undefined && patient.fullUrl === undefined;
  const identifiers = new Set(patient?.resource.identifier?.filter((each) => each !== undefined).map(keyOf));
  // One that cannot be read may be anybody's.
  const isIdentified =
    identifiers.size > 0 || patient?.ignored.some(({ path }) => path.startsWith(`${patient.path}.identifier`));
  return (located) => {
    const subject = subjectOf(located);
    if (located.type === "Patient") {
      return located === patient;
    }
    if (subject?.reference) {
      return patient && !isNameless ? resolve(subject) !== undefined : subject.reference === first;
    }
    const { identifier } = subject ?? {};
    return identifier?.value === undefined || !isIdentified || identifiers.has(keyOf(identifier));
  };
}

function keyOf({ system, value }: NonNullable<Reference["identifier"]>): string {
  return JSON.stringify([system, value]);
}

/** The reference to the patient whom a resource is about; undefined for a type that is about none. */
function subjectOf({ type, resource }: AnyLocated): Reference | undefined {
  switch (type) {
    case "Patient":
    case "Medication":
      return undefined;
    case "AllergyIntolerance":
      return resource.patient;
    default:
      return resource.subject;
  }
}

/** Reads a resource that stands for itself. Most become one entry; a summary may say several things. */
function readingsOf(located: AnyLocated, medicines: Medicines): Read[] {
  if (located.refused !== undefined && located.type !== "Medication") {
    return [{ located, reading: { ignored: located.refused } }];
  }
  switch (located.type) {
    case "AllergyIntolerance":
      return [{ located, reading: allergyEntry(located) }];
    case "Condition":
      return [{ located, reading: conditionEntry(located) }];
    case "MedicationStatement":
    case "MedicationRequest":
      return [{ located, reading: medicationEntry(located, medicines.of(located)) }];
    case "Composition":
      return emptySections(located).map((entry) => ({ located, reading: { entry } }));
    default:
      return [];
  }
}

/** LOINC's codes of the sections of a summary (HL7, International Patient Summary). */
const SECTIONS = new Map<string, ClinicalKind>([
  ["48765-2", "allergy"],
  ["11450-4", "condition"],
  ["10160-0", "medication"],
]);

/** What a summary says about sections without entries. */
function emptySections({ resource: { section = [] } }: Located<"Composition">): ClinicalEntry[] {
  return section.flatMap((each) => {
    const { code, emptyReason: reason } = each ?? {};
    const kind = codesOf(code)
      .map((each) => SECTIONS.get(each))
      .find(Boolean);
    const statement = reason && emptyReason(reason);
    return kind && statement ? [{ kind, text: STATEMENT_TEXT[kind][statement], statement }] : [];
  });
}

/** Reads the observations, of each measure only the newest that says something. */
function observationsIn(resources: readonly AnyLocated[]): Read[] {
  const newest = new Map<Measure, { reading: ReadEntry; time: number }>();
  const all = ofType(resources, "Observation").flatMap((located) => {
    const measure = measureOf(located.resource.code);
    const isRead = measure !== undefined && located.refused === undefined;
    return isRead ? [{ located, measure, reading: observationEntry(located, measure) }] : [];
  });
  for (const { measure, reading } of all) {
    const time = "entry" in reading ? Date.parse(reading.entry.start ?? "") || 0 : Number.NEGATIVE_INFINITY;
    if (time >= (newest.get(measure)?.time ?? Number.NEGATIVE_INFINITY)) {
      newest.set(measure, { reading, time });
    }
  }
  return all.map(({ located, measure, reading }) => {
    const isOlder = "entry" in reading && newest.get(measure)?.reading !== reading;
    return { located, reading: isOlder ? { ignored: "is older than another one" } : reading };
  });
}
