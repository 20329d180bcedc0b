import { UNNAMED_ALLERGY, UNNAMED_MEDICINE } from "../patients/clinical.ts";
import type { ClinicalEntry, ClinicalKind, Coding } from "../patients/clinical-entry.ts";
import { STATEMENT_TEXT, type Statement, statementIn } from "../patients/statement.ts";
import type { CodeableConcept } from "./datatypes.ts";

export const SNOMED = "http://snomed.info/sct";
export const LOINC = "http://loinc.org";

const IPS_ABSENT = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips";
const DATA_ABSENT = "http://terminology.hl7.org/CodeSystem/data-absent-reason";
const NULL_FLAVOR = "http://terminology.hl7.org/CodeSystem/v3-NullFlavor";

/**
 * The codes of statements: of the International Patient Summary (HL7, "Absent and Unknown Data - IPS") and their
 * equivalents in SNOMED CT ("Absence of Information Mappings - IPS to SNOMED CT"), with those of the same hierarchy
 * there.
 */
const STATEMENT_CODES = new Map<string, ReadonlyMap<string, Statement>>([
  [
    IPS_ABSENT,
    new Map([
      ["no-allergy-info", "not-known"],
      ["no-known-allergies", "none-known"],
      ["no-known-medication-allergies", "none-of-these"],
      ["no-known-environmental-allergies", "none-of-these"],
      ["no-known-food-allergies", "none-of-these"],
      ["no-medication-info", "not-known"],
      ["no-known-medications", "none-known"],
      ["no-problem-info", "not-known"],
      ["no-known-problems", "none-known"],
    ]),
  ],
  [
    SNOMED,
    new Map([
      ["716186003", "none-known"], // no known allergy
      ["160244002", "none-known"], // no known allergies
      ["409137002", "none-of-these"], // no known drug allergy
      ["429625007", "none-of-these"], // no known food allergy
      ["428607008", "none-of-these"], // no known environmental allergy
      ["428197003", "none-of-these"], // no known insect allergy
      ["716220001", "none-of-these"], // no known animal allergy
      ["1003774007", "none-of-these"], // no known latex allergy
      ["787481004", "none-known"], // no known medications
      ["182849000", "none-known"], // no drug therapy prescribed
      ["160245001", "none-known"], // no current problems or disability
      ["261665006", "not-known"], // unknown
      ["182904002", "not-known"], // drug treatment unknown
      ["396782006", "not-known"], // past medical history unknown
      ["1631000175102", "not-known"], // patient not asked
    ]),
  ],
]);

/** What a concept means, as an entry has it. */
export type Meaning = Pick<ClinicalEntry, "text" | "statement" | "code">;

/**
 * Returns what a concept means: its text before a display. One that is only a code is unnamed. It is never translated,
 * and no code is invented.
 *
 * @returns undefined if it says nothing
 */
export function meaningOf(kind: ClinicalKind, concept: CodeableConcept = {}): Meaning | undefined {
  const code = codeOf(concept);
  const own = nameOf(concept) ?? unnamedOf(kind, concept);
  const statement = (code && STATEMENT_CODES.get(code.system)?.get(code.code)) ?? (own && statementIn(kind, own));
  if (statement === undefined && own === undefined) {
    return isAbsent(concept) ? { text: STATEMENT_TEXT[kind]["not-known"], statement: "not-known" } : undefined;
  }
  const text = statement === "not-known" ? STATEMENT_TEXT[kind]["not-known"] : (own ?? "");
  return { text, ...(statement && { statement }), ...(code && { code }) };
}

/** Returns the words of a concept: its text, or else a display. A code in their place is no name. */
export function nameOf(concept: CodeableConcept = {}): string | undefined {
  const { text, coding = [] } = concept;
  const codes = new Set(codesOf(concept).filter((code) => /\d/.test(code)));
  const displays = byChoice(coding).map(({ display }) => display);
  return [text, ...displays].find((name) => name !== undefined && !codes.has(name));
}

/** What people call the code systems that records use. */
const SYSTEM_NAMES = new Map([
  ["http://www.nlm.nih.gov/research/umls/rxnorm", "RxNorm"],
  [SNOMED, "SNOMED CT"],
  [LOINC, "LOINC"],
  ["http://www.whocc.no/atc", "ATC"],
  ["http://fhir.de/CodeSystem/bfarm/atc", "ATC"],
  ["http://fhir.de/CodeSystem/ifa/pzn", "PZN"],
  ["http://hl7.org/fhir/sid/ndc", "NDC"],
  ["http://hl7.org/fhir/sid/icd-9-cm", "ICD-9-CM"],
  ["http://hl7.org/fhir/sid/icd-10", "ICD-10"],
  ["http://hl7.org/fhir/sid/icd-10-cm", "ICD-10-CM"],
  ["http://fhir.de/CodeSystem/bfarm/icd-10-gm", "ICD-10-GM"],
  ["http://id.who.int/icd/release/11/mms", "ICD-11"],
  ["http://fdasis.nlm.nih.gov", "UNII"],
]);

const UNNAMED: Record<ClinicalKind, string> = {
  allergy: UNNAMED_ALLERGY,
  condition: "unnamed condition",
  medication: UNNAMED_MEDICINE,
  observation: "unnamed observation",
};

/** Returns the text for what has only a code: "unnamed medicine (RxNorm 11289)"; undefined without one. */
export function unnamedOf(kind: ClinicalKind, { coding = [] }: CodeableConcept): string | undefined {
  const { system = "", code } = byChoice(coding).find((each) => each.code !== undefined) ?? {};
  return code === undefined
    ? undefined
    : `${UNNAMED[kind]} (${SYSTEM_NAMES.get(system) ?? (system || "code")} ${code})`;
}

/** What FHIR allows as a URI and as a code. */
const URI = /^\S+$/;
const CODE = /^\S+(\s\S+)*$/;

/** Returns the code that is kept: the one that somebody chose, or else the first. */
export function codeOf({ coding = [] }: CodeableConcept = {}): Coding | undefined {
  const chosen = byChoice(coding).find(({ system = "", code = "" }) => URI.test(system) && CODE.test(code));
  const { system, code, display } = chosen ?? {};
  return system && code ? { system, code, ...(display && { display }) } : undefined;
}

/** Returns the codes of a concept, whatever their systems. */
export function codesOf({ coding = [] }: CodeableConcept = {}): string[] {
  return coding.flatMap((each) => each?.code ?? []);
}

type Codings = NonNullable<CodeableConcept["coding"]>;

/**
 * Codes that say what kind of thing a medicine is, not which: KBV's kinds of prescription ("by its ingredient"), and
 * SNOMED CT's "medicinal product", "pharmaceutical product", "drug or medicament" and "substance".
 */
const KIND_SYSTEM = "https://fhir.kbv.de/CodeSystem/KBV_CS_ERP_Medication_Type";
const KINDS = new Set(["763158003", "373873005", "410942007", "105590001"].map((code) => `${SNOMED} ${code}`));

/** The codings that mean something, the chosen one first. */
function byChoice(coding: Codings): NonNullable<Codings[number]>[] {
  const meant = coding
    .filter((each) => each !== undefined)
    .filter(
      ({ system, code }) =>
        system !== DATA_ABSENT && system !== NULL_FLAVOR && system !== KIND_SYSTEM && !KINDS.has(`${system} ${code}`),
    );
  return meant.toSorted((a, b) => Number(b.userSelected ?? false) - Number(a.userSelected ?? false));
}

/** Whether a concept says that its meaning is not known. */
function isAbsent({ coding = [], extension }: CodeableConcept): boolean {
  return extension === true || coding.some((each) => each?.system === DATA_ABSENT || each?.system === NULL_FLAVOR);
}

/** Returns the reason why a section of a summary has no entries, as a statement. */
export function emptyReason(concept: CodeableConcept): Exclude<Statement, "none-of-these"> {
  return codesOf(concept).includes("nilknown") ? "none-known" : "not-known";
}
