import * as z from "zod/mini";
import { invalidField, ServiceError } from "../errors.ts";
import { MAX_DETAILS } from "../http/parse-request.ts";
import type { ClinicalEntry, ClinicalKind } from "../patients/clinical-entry.ts";
import { STATEMENT_TEXT } from "../patients/statement.ts";
import { codesOf, emptyReason } from "./concept.ts";
import {
  allergyEntry,
  conditionEntry,
  type Measure,
  type Medicine,
  measureOf,
  medicationEntry,
  medicineOf,
  observationEntry,
  type Reading,
} from "./entries.ts";
import { type Ignored, type Person, personIn } from "./person.ts";
import { type AnyLocated, type Located, readBundle } from "./read-bundle.ts";
import { resolver } from "./references.ts";
import { containedMedication, type ReadType, type Reference } from "./resources.ts";
import { otherVersionIn } from "./version.ts";

/** What a Bundle, or a Patient, says, and what of it is not taken over. */
export interface ImportedRecord {
  /** Undefined without a Patient. */
  person: Person | undefined;
  clinical: ClinicalEntry[];
  ignored: Ignored[];
  /** How many resources there are of the types that are not read. */
  others: Record<string, number>;
}

/** A request's body and its media type, which may name a version of FHIR. */
export interface FhirInput {
  body: Record<string, unknown>;
  type: string | undefined;
}

type MedicationUse = Located<"MedicationStatement"> | Located<"MedicationRequest">;

/**
 * Reads the record of one patient. The same input gives the same result, so a repeated request gets the same report.
 *
 * @param failure the `error` of a 400
 * @throws ServiceError `invalid` as in {@link readBundle}, if it is about several patients, and if it is not R4
 */
export function importRecord({ body, type }: FhirInput, failure: string): ImportedRecord {
  const version = otherVersionIn(type);
  if (version !== undefined) {
    throw invalidField("Content-Type", `is of FHIR ${version}; only R4 is supported`, failure);
  }
  const contents = readBundle(body, failure);
  const { read, others } = separated(contents.resources, contents.others);
  const { current, outdated } = latestVersions(read);
  const patient = patientOf(current, failure);
  const isAbout = belonging(current, patient);
  const own = current.filter(isAbout);
  const medicines = medicineFinder(ofType(own, "Medication"));
  const readings = [...own.flatMap((located) => readingsOf(located, medicines.find)), ...observationsIn(own)];
  const person = patient && personIn(patient);
  return {
    person: person?.person,
    clinical: readings.flatMap(({ reading }) => ("entry" in reading ? reading.entry : [])),
    ignored: [
      ...outdated.map((located) => ignoredAs(located, "has a later version in the same Bundle")),
      ...current
        .filter((located) => !isAbout(located))
        .map((located) => ignoredAs(located, "is, or is about, another patient")),
      ...readings.flatMap(({ located, reading }) => ("ignored" in reading ? ignoredAs(located, reading.ignored) : [])),
      ...medicines.unused().map((located) => ignoredAs(located, "is in no statement or request about the patient")),
      ...(person?.ignored ?? []),
    ],
    others,
  };
}

function ignoredAs({ type, path }: AnyLocated, reason: string): Ignored {
  return { type, path, reason };
}

function ofType<Type extends ReadType>(resources: readonly AnyLocated[], type: Type): Located<Type>[] {
  return resources.filter((located) => located.type === type) as unknown as Located<Type>[];
}

/** Counts the observations that are not read, and the Composition, of which only what it says about others is. */
function separated(resources: readonly AnyLocated[], others: Record<string, number>) {
  const counts = new Map(Object.entries(others));
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

/** Separates the versions of a resource: a history has several, the newest first, and a search may find one twice. */
function latestVersions(resources: readonly AnyLocated[]): { current: AnyLocated[]; outdated: AnyLocated[] } {
  const newest = new Map<string, AnyLocated>();
  for (const located of resources) {
    const { type, path, id, fullUrl } = located;
    const identity = fullUrl ?? (id === undefined ? path : `${type}/${id}`);
    const known = newest.get(identity);
    if (known === undefined || known.lastUpdated < located.lastUpdated) {
      newest.set(identity, located);
    }
  }
  const current = new Set(newest.values());
  return {
    current: resources.filter((each) => current.has(each)),
    outdated: resources.filter((each) => !current.has(each)),
  };
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
    throw new ServiceError("invalid", failure, {
      details: patients.slice(0, MAX_DETAILS).map(({ path }) => ({ path, message })),
    });
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
  return (located) => {
    const subject = subjectOf(located);
    if (located.type === "Patient") {
      return located === patient;
    }
    if (subject?.reference) {
      return patient && !isNameless ? resolve(subject) !== undefined : subject.reference === first;
    }
    const { value, system } = subject?.identifier ?? {};
    const identifiers = patient?.resource.identifier ?? [];
    const isOwn = identifiers.some((identifier) => identifier.value === value && identifier.system === system);
    return value === undefined || identifiers.length === 0 || isOwn;
  };
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
function readingsOf(
  located: AnyLocated,
  medicineFor: (use: MedicationUse) => Medicine,
): { located: AnyLocated; reading: Reading }[] {
  switch (located.type) {
    case "AllergyIntolerance":
      return [{ located, reading: allergyEntry(located) }];
    case "Condition":
      return [{ located, reading: conditionEntry(located) }];
    case "MedicationStatement":
    case "MedicationRequest":
      return [{ located, reading: medicationEntry(located, medicineFor(located)) }];
    case "Composition":
      return emptySections(located).map((entry) => ({ located, reading: { entry } }));
    default:
      return [];
  }
}

/** Returns what finds the medicine of a statement or a request: in it, or beside it in the Bundle. */
function medicineFinder(medicines: readonly Located<"Medication">[]) {
  const resolve = resolver(medicines);
  const used = new Set<Located<"Medication">>();
  const find = ({ resource }: MedicationUse): Medicine => {
    const { medicationCodeableConcept, medicationReference, contained = [] } = resource;
    if (!medicationReference) {
      return medicineOf({ code: medicationCodeableConcept });
    }
    const { reference = "", display } = medicationReference;
    const inside = contained.find(({ resourceType, id }) => resourceType === "Medication" && reference === `#${id}`);
    const beside = resolve(medicationReference);
    if (beside) {
      used.add(beside);
    }
    const medicine = medicineOf((inside && z.safeParse(containedMedication, inside).data) ?? beside?.resource ?? {});
    if ("meaning" in medicine || inside || beside) {
      return medicine;
    }
    return display
      ? medicineOf({ code: { text: display } })
      : { ignored: "refers to a Medication that is not in the Bundle" };
  };
  return { find, unused: () => medicines.filter((medicine) => !used.has(medicine)) };
}

/** LOINC's codes of the sections of a summary (HL7, International Patient Summary). */
const SECTIONS: Record<string, ClinicalKind> = {
  "48765-2": "allergy",
  "11450-4": "condition",
  "10160-0": "medication",
};

/** What a summary says about sections without entries. */
function emptySections({ resource: { section = [] } }: Located<"Composition">): ClinicalEntry[] {
  return section.flatMap(({ code, emptyReason: reason }) => {
    const kind = codesOf(code)
      .map((each) => SECTIONS[each])
      .find(Boolean);
    const statement = reason && emptyReason(reason);
    return kind && statement ? [{ kind, text: STATEMENT_TEXT[kind][statement], statement }] : [];
  });
}

/** Reads the observations, of each measure only the newest that says something. */
function observationsIn(resources: readonly AnyLocated[]): { located: AnyLocated; reading: Reading }[] {
  const newest = new Map<Measure, { reading: Reading; time: number }>();
  const all = ofType(resources, "Observation").flatMap((located) => {
    const measure = measureOf(located.resource.code);
    return measure === undefined ? [] : [{ located, measure, reading: observationEntry(located, measure) }];
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
