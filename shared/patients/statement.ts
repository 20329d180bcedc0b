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
const STATEMENTS = new Map(
  Object.entries(NAMES).map(([kind, names]) => [
    kind,
    {
      "none-known": new RegExp(
        `^(?:no (?:known |current |active |regular )*${names}|none(?: known)?|nil(?: known)?|nka)$`,
      ),
      "none-of-these": new RegExp(kind === "allergy" ? `^(?:no known (?:[a-z]+ ){1,3}${names}|nkda|nkfa)$` : "(?!)"),
      "not-known": new RegExp(
        `^(?:(?:${names} )?(?:not known|unknown|not asked)|no information(?: available)?(?: (?:about|on) (?:current )?${names})?)$`,
      ),
    } satisfies Record<Statement, RegExp>,
  ]),
);

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
  return Object.entries(STATEMENTS.get(kind) ?? {}).find(([, pattern]) => pattern.test(plain))?.[0] as
    | Statement
    | undefined;
}
