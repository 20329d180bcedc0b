import type { ClinicalEntry, ClinicalKind } from "./clinical-entry.ts";

/** What an entry says that is not itself a condition, an allergy or a medicine. */
export type Statement = NonNullable<ClinicalEntry["statement"]>;

/** What texts name the things of a kind, in statements about all of them. */
const NAMES: Record<ClinicalKind, string> = {
  allergy: "allerg(?:y|ies)(?: or intolerances?)?",
  condition: "(?:(?:health )?problems?|conditions?|diseases?|diagnos[ie]s)(?: or disabilit(?:y|ies))?",
  medication: "(?:medications?|medicines?|drugs?|drug therapy)",
  observation: "(?!)",
};

/** Texts that record systems use for the absence of entries, in full: a word more may change the meaning. */
function patternsOf(kind: ClinicalKind): [Statement, string][] {
  const names = NAMES[kind];
  return [
    ["none-known", `no (?:known |current |active |regular )*${names}|none(?: known)?|nil(?: known)?|nka`],
    ["none-of-these", kind === "allergy" ? `no known (?:[a-z]+ ){1,3}${names}|nkda|nkfa` : "(?!)"],
    ["not-known", `(?:${names} )?(?:not known|unknown|not asked)`],
    ["not-known", `no information(?: available)?(?: (?:about|on) (?:current )?${names})?`],
  ];
}

/** The text of a statement that came without one that says the same. */
export const STATEMENT_TEXT: Record<ClinicalKind, Record<Exclude<Statement, "none-of-these">, string>> = {
  allergy: { "none-known": "No known allergies", "not-known": "Allergies not known" },
  condition: { "none-known": "No known problems", "not-known": "Problems not known" },
  medication: { "none-known": "No known medications", "not-known": "Medications not known" },
  observation: { "none-known": "", "not-known": "" },
};

/** Returns what a text says about all things of a kind; undefined if it names one of them. */
export function statementIn(kind: ClinicalKind, text: string): Statement | undefined {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return patternsOf(kind).find(([, pattern]) => new RegExp(`^(?:${pattern})$`).test(plain))?.[0];
}
