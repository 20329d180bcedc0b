import type { Facts } from "../prompt.ts";
import { readDataFile } from "./data-file.ts";
import { DrugNames, plainWords } from "./drug-names.ts";

/** Why a drug that was spoken of may not be for this patient. */
export type Caution =
  | { kind: "allergy"; allergy: string; drug: string; group: string }
  | { kind: "interaction"; medication: string; drug: string; effect: string };

/** The form of `data/drugs.json`; its rows say where they come from. */
interface DrugTable {
  /** Drugs that someone who is allergic to one of them should not take unasked. */
  allergyGroups: { group: string; allergyTerms: string[]; drugs: string[] }[];
  /** Pairs that are dangerous together, whichever of the two the record lists. */
  interactions: { first: string[]; second: string[]; effect: string }[];
}

/** More than these would hide each other. */
const MOST_CAUTIONS = 3;

/** How an entry of a list of allergies says that there is none. */
const NO_ALLERGY = /^(?:no|none|not|nil|nka|nkda|denies|without|tolerates|unknown)\b/;

interface Tables {
  groups: { group: string; terms: DrugNames; drugs: DrugNames }[];
  pairs: { first: DrugNames; second: DrugNames; effect: string }[];
}

let tables: Tables | undefined;

/**
 * Finds what the patient's record says against the drugs that a message or its answer names: a drug of a group that the
 * patient is allergic to, or one that is dangerous together with a medicine the patient takes.
 *
 * @param facts the record's, as the model gets them: `allergies` (text or list), `medications` (list of `{name}`)
 */
export function findCautions(facts: Facts, message: string, answer: string): Caution[] {
  const allergies = entriesOf(facts.allergies).filter((entry) => !NO_ALLERGY.test(plainWords(entry)));
  const medications = entriesOf(facts.medications).join(" ; ");
  if (allergies.length === 0 && medications === "") {
    return [];
  }
  tables ??= readTables();
  const spokenOf = `${message} ; ${answer}`;
  return [
    ...allergyCautions(tables, allergies.join(" ; "), spokenOf),
    ...interactionCautions(tables, medications, spokenOf),
  ].slice(0, MOST_CAUTIONS);
}

function allergyCautions({ groups }: Tables, allergies: string, spokenOf: string): Caution[] {
  return groups.flatMap(({ group, terms, drugs }): Caution[] => {
    const [allergy] = terms.in(allergies);
    const [drug] = allergy === undefined ? [] : drugs.in(spokenOf);
    return allergy === undefined || drug === undefined ? [] : [{ kind: "allergy", allergy, drug, group }];
  });
}

function interactionCautions({ pairs }: Tables, medications: string, spokenOf: string): Caution[] {
  return pairs.flatMap(({ first, second, effect }): Caution[] => {
    for (const [taken, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const [medication] = taken.in(medications);
      const known = other.in(medications); // whoever prescribed both knows of both
      const drug = medication === undefined ? undefined : other.in(spokenOf).find((name) => !known.includes(name));
      if (medication !== undefined && drug !== undefined) {
        return [{ kind: "interaction", medication, drug, effect }];
      }
    }
    return [];
  });
}

/** A record's field as a list of texts: it may be a text with commas, a list of texts, or of objects with a name. */
function entriesOf(value: unknown): string[] {
  if (typeof value === "string") {
    return value.split(/[,;\n]/);
  }
  if (Array.isArray(value)) {
    return value.flatMap(entriesOf);
  }
  const name = (value as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? [name] : [];
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
