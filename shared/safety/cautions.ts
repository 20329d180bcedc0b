import { readDataFile } from "./data-file.ts";
import { DrugNames, plainWords } from "./drug-names.ts";

/** The reason why a mentioned drug may be contraindicated for this patient. */
export type Caution =
  | { kind: "allergy"; allergy: string; drug: string; group: string }
  | { kind: "interaction"; medication: string; drug: string; effect: string };

/** The format of `data/drugs.json`. Each row names its source. */
interface DrugTable {
  /** Drugs that someone allergic to one of them should not take without asking. */
  allergyGroups: { group: string; allergyTerms: string[]; drugs: string[] }[];
  /** Pairs that are dangerous together, whichever of the two is in the record. */
  interactions: { first: string[]; second: string[]; effect: string }[];
}

/** Capped, so that each one is read. */
const MOST_CAUTIONS = 3;

/**
 * Matches an entry that states the absence of an allergy: by its first word, or by a negation and a word for what is
 * absent. Separate expressions without `.*`, because a combined one takes quadratic time on "no known known known …".
 */
const NONE = /^(?:nka|nkda|nil|none|denies|tolerates)\b/;
const NEGATION = /^(?:no|not|without)\b/;
const NEGATED = /\b(?:known|allerg\w*|reactions?|intoleran\w*)\b/;
const EXCEPTION = /\b(?:but|except|besides|other than|apart from)\b/;

interface Tables {
  groups: { group: string; terms: DrugNames; drugs: DrugNames }[];
  pairs: { first: DrugNames; second: DrugNames; effect: string }[];
}

let tables: Tables | undefined;

/**
 * Finds drugs in a message or its answer that the patient's record contraindicates: a drug from a group that the
 * patient is allergic to, or one that is dangerous together with a medicine the patient takes.
 *
 * @param record the patient's facts, as the model receives them: `allergies` (text or list), `medications` (list of `{name}`)
 */
export function findCautions(record: Record<string, unknown>, message: string, answer: string): Caution[] {
  const allergies = joined(
    entriesOf(record.allergies)
      .map(plainWords)
      .filter((entry) => !deniesAllergy(entry)),
  );
  const medications = joined(medicationNames(record.medications).map(plainWords));
  if (allergies === "" && medications === "") {
    return [];
  }
  tables ??= readTables();
  const spoken = joined([message, answer].map(plainWords));
  const cautions = [...allergyCautions(tables, allergies, spoken), ...interactionCautions(tables, medications, spoken)];
  return cautions.slice(0, MOST_CAUTIONS);
}

function allergyCautions({ groups }: Tables, allergies: string, spoken: string): Caution[] {
  return groups.flatMap(({ group, terms, drugs }): Caution[] => {
    const [allergy] = terms.in(allergies);
    const candidates = allergy === undefined ? [] : drugs.in(spoken);
    const drug = candidates.find((name) => name !== allergy) ?? candidates[0];
    return allergy === undefined || drug === undefined ? [] : [{ kind: "allergy", allergy, drug, group }];
  });
}

function interactionCautions({ pairs }: Tables, medications: string, spoken: string): Caution[] {
  return pairs.flatMap(({ first, second, effect }): Caution[] => {
    for (const [taken, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const [medication] = taken.in(medications);
      const known = other.in(medications); // the record lists both, so the prescriber knows
      const drug = medication === undefined ? undefined : other.in(spoken).find((name) => !known.includes(name));
      if (medication !== undefined && drug !== undefined) {
        return [{ kind: "interaction", medication, drug, effect }];
      }
    }
    return [];
  });
}

/**
 * Joins texts into one, because searching many short texts for all names takes far longer than one long text. The word
 * between them prevents a name from matching across two texts.
 */
function joined(texts: string[]): string {
  return texts.filter((text) => text !== "").join(" entry ");
}

function deniesAllergy(entry: string): boolean {
  return (NONE.test(entry) || (NEGATION.test(entry) && NEGATED.test(entry))) && !EXCEPTION.test(entry);
}

/**
 * Returns allergies as a list of texts. The field may be a text with commas, or a list of texts or of objects in any
 * format. Iterative, because objects may be nested deeper than the stack allows.
 */
function entriesOf(allergies: unknown): string[] {
  const entries: string[] = [];
  const pending = [allergies];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      for (const entry of value.split(/[,;.\n]/)) {
        entries.push(entry); // spreading 128,000 entries would overflow the stack
      }
    } else if (typeof value === "object" && value !== null) {
      for (const child of Object.values(value).reverse()) {
        pending.push(child);
      }
    }
  }
  return entries;
}

function medicationNames(value: unknown): string[] {
  const names = Array.isArray(value) ? value.map((medication: { name?: unknown } | undefined) => medication?.name) : [];
  return names.filter((name) => typeof name === "string");
}

function readTables(): Tables {
  const { allergyGroups, interactions } = JSON.parse(readDataFile("drugs.json").toString()) as DrugTable;
  return {
    groups: allergyGroups.map(({ group, allergyTerms, drugs }) => ({
      group,
      terms: new DrugNames([...allergyTerms, ...drugs]),
      drugs: new DrugNames(drugs),
    })),
    pairs: interactions.map(({ first, second, effect }) => ({
      first: new DrugNames(first),
      second: new DrugNames(second),
      effect,
    })),
  };
}
