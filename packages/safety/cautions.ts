import { allergensIn, PhraseFinder, phraseId } from "./cautions/allergens.ts";
import { withAskedDrugs } from "./cautions/asked-drugs.ts";
import { type CautionTables, cautionTables, conditionId, drugsOf, substancesOf } from "./cautions/caution-tables.ts";
import { clausesOf } from "./cautions/clauses.ts";
import { type Mention, mentionedDrugs, type Search, spokenOf } from "./cautions/mentions.ts";
import { type Recorded, readRecord, textsOf } from "./cautions/recorded.ts";
import { allergensSaid, isStatedAllergy, readSaid } from "./cautions/said.ts";

/** The reason why a mentioned drug may be contraindicated for this patient. */
export type Caution = {
  /** The reason is not in the record: somebody has said it in the conversation. */
  said?: true;
} & (
  | {
      kind: "allergy";
      allergy: string;
      drug: string;
      /** Undefined if it is the drug that the record names. */
      group: string | undefined;
      /** What no table has: a substance that may be no drug. */
      isUnlisted?: true;
    }
  | { kind: "interaction"; medication: string; drug: string; effect: string }
  | { kind: "condition"; condition: string; drug: string; effect: string }
);

/** What came before in a conversation. */
export interface Before {
  /** The user's messages, with the new one at the end. */
  messages: readonly string[];
  /** The cautions in each answer, the last at the end. */
  cautions: readonly (readonly { drug: string; because: string }[])[];
}

/** What a record or a conversation says, with what its texts about allergies name, whether or not a table has it. */
interface CautionFacts extends Recorded {
  allergens: string[];
}

/** Capped, so that each one is read. */
const MOST_CAUTIONS = 3;

/**
 * Finds drugs in a message or its answer that are contraindicated by the patient's record or by what the user has said:
 * what the patient is allergic to, by its name or its group; a drug that is dangerous together with a medicine the
 * patient takes; or one that is dangerous with a condition or at an age. A caution of an earlier answer is repeated only if
 * the message names the drug.
 *
 * @param record the patient's facts, as the model receives them: `allergies`, `medications`, `conditions`, `notes`,
 *   `age`
 * @param message the user's new message, which may go on asking about the drugs in the cautions of the last answer
 */
export function findCautions(
  record: Record<string, unknown>,
  message: string,
  answer: string,
  before: Before = { messages: [message], cautions: [] },
): Caution[] {
  const { messages } = before;
  const question = withAskedDrugs(message, lastCautioned(before));
  const tables = cautionTables();
  const allergens = textsOf(record.allergies).flatMap(allergensIn);
  const alsoSaid = allergensSaid(messages);
  const search = searchFor(tables, [...allergens, ...alsoSaid]);
  const spoken = spokenOf(search, question, answer);
  if (spoken.length === 0) {
    return [];
  }
  const said = { ...readSaid(tables, messages.map(clausesOf), messages.at(-1) ?? ""), allergens: alsoSaid };
  const recorded = READ.some((field) => field in record) ? readRecord(tables, record) : NOTHING;
  // What a statement names is not asked about by it: "I'm allergic to penicillin."
  const asked = spokenOf(
    (clause) => search(clause).filter((found) => !isStatedAllergy(clause, found)),
    question,
    answer,
  );
  const all = [
    ...cautionsFor(tables, { ...recorded, allergens }, { spoken, asked }, recorded.medications),
    ...cautionsFor(tables, said, { spoken: asked, asked }, recorded.medications).map((caution) => ({
      ...caution,
      said: true as const,
    })),
  ];
  const known = new Set(before.cautions.flat().map(reasonOf));
  const inMessage = new Set(spoken.filter(({ isAsked }) => isAsked).map(({ name }) => name));
  const cautions = new Map<string, Caution>();
  for (const caution of all) {
    const reason = reasonOf({ drug: caution.drug, because: because(caution) });
    if (!cautions.has(reason) && (inMessage.has(caution.drug) || !known.has(reason))) {
      cautions.set(reason, caution);
    }
  }
  return [...cautions.values()].slice(0, MOST_CAUTIONS);
}

const NOTHING: Recorded = { allergies: [], medications: [], conditions: new Set(), age: undefined };

function reasonOf({ drug, because: fact }: { drug: string; because: string }): string {
  return `${drug}\n${fact}`.toLowerCase();
}

/** Searches for everything that tables know, and for what an allergy names without them. */
function searchFor({ finder }: CautionTables, allergens: readonly string[]): Search {
  const isNamed = (words: string[]) => finder.find(words).some(({ ids }) => substancesOf(ids).length > 0);
  const phrases = new PhraseFinder(allergens.filter((phrase) => !isNamed(phrase.split(" "))));
  return ({ words }) => {
    const known = finder.find(words).filter(({ ids }) => substancesOf(ids).length > 0);
    const isKnown = (start: number) => known.some((found) => found.start <= start && start < found.end);
    return [...known, ...phrases.find(words).filter(({ start }) => !isKnown(start))];
  };
}

/**
 * @param names `asked` without those that a statement about an allergy names
 * @param known the medicines in the record: about what it lists together, the prescriber knows
 */
function cautionsFor(
  tables: CautionTables,
  facts: CautionFacts,
  { spoken, asked }: { spoken: Mention[]; asked: Mention[] },
  known: Mention[],
): Caution[] {
  const listed = groupCautions(tables, facts, asked);
  return [
    ...listed,
    ...equalNames(facts, asked, new Set(listed.map(({ drug }) => drug))),
    ...interactionCautions(tables, facts, spoken, known),
    ...conditionCautions(tables, facts, spoken, known),
  ];
}

/** Whether a message or its answer names a drug, of which the record might say something. */
export function namesDrug(message: string, answer: string, before: Before): boolean {
  const question = withAskedDrugs(message, lastCautioned(before));
  return mentionedDrugs(cautionTables().finder, question, answer).length > 0;
}

/** The drugs in the cautions of the last answer. */
function lastCautioned({ cautions }: Before): string[] {
  return cautions.at(-1)?.map(({ drug }) => drug) ?? [];
}

/** The fact in the record, or in what was said, that a caution rests on. */
export function because(caution: Caution): string {
  switch (caution.kind) {
    case "allergy":
      return caution.allergy;
    case "interaction":
      return caution.medication;
    case "condition":
      return caution.condition;
  }
}

const READ = ["allergies", "medications", "conditions", "notes", "category_note", "age"];

function groupCautions({ allergies }: CautionTables, facts: CautionFacts, mentions: Mention[]): Caution[] {
  return allergies.flatMap((row): Caution[] => {
    const allergy = facts.allergies.find(({ ids }) => row.allergy(ids));
    const candidates = allergy === undefined ? [] : mentions.filter(({ ids }) => row.drugs(ids));
    const drug = candidates.find(({ name }) => name !== allergy?.name) ?? candidates[0];
    if (allergy === undefined || drug === undefined) {
      return [];
    }
    const isSame = drug.name.toLowerCase() === allergy.name.toLowerCase();
    return [{ kind: "allergy", allergy: allergy.name, drug: drug.name, group: isSame ? undefined : row.group }];
  });
}

/** An allergy to exactly what is spoken of needs no table. */
function equalNames({ allergies, allergens }: CautionFacts, mentions: Mention[], listed: Set<string>): Caution[] {
  const phrases = new Set(allergens.map(phraseId));
  return mentions
    .filter(({ name }) => !listed.has(name))
    .flatMap(({ name: drug, ids }): Caution[] => {
      const allergy = allergies.find((each) => substancesOf(each.ids).some((id) => ids.has(id)));
      if (allergy) {
        return [{ kind: "allergy", allergy: allergy.name, drug, group: undefined }];
      }
      const isPhrase = [...ids].some((id) => phrases.has(id));
      return isPhrase ? [{ kind: "allergy", allergy: drug, drug, group: undefined, isUnlisted: true }] : [];
    });
}

function interactionCautions(
  { interactions }: CautionTables,
  { medications }: Recorded,
  mentions: Mention[],
  known: Mention[],
): Caution[] {
  return interactions.flatMap((row): Caution[] => {
    const counts = ({ isTopical }: Mention) => row.topical || !isTopical;
    const has = row.sameDrug ? hasName : hasDrugs;
    for (const [taken, other] of [
      [row.first, row.second],
      [row.second, row.first],
    ] as const) {
      const medication = medications.find((drug) => taken(drug.ids) && counts(drug));
      // The record lists both, so the prescriber knows. What is not in the record may be named together with it.
      const isKnown = medication && has(known.includes(medication) || has(known)(medication) ? known : [medication]);
      const drug = mentions.find((each) => other(each.ids) && counts(each) && !isKnown?.(each));
      if (medication && drug) {
        return [{ kind: "interaction", medication: medication.name, drug: drug.name, effect: row.effect }];
      }
    }
    return [];
  });
}

function conditionCautions(
  { conditions }: CautionTables,
  facts: Recorded,
  mentions: Mention[],
  known: Mention[],
): Caution[] {
  const isKnown = hasDrugs(known);
  return conditions.flatMap((row): Caution[] => {
    const condition = row.ages
      ? isWithin(facts.age, row.ages) && (facts.age < 1 ? "age under 1" : `age ${Math.floor(facts.age)}`)
      : row.conditions.find((name) => facts.conditions.has(conditionId(name)));
    const drug =
      condition &&
      mentions.find(
        (drug) => row.drugs(drug.ids) && (row.topical || !drug.isTopical) && (row.evenIfTaken || !isKnown(drug)),
      );
    return condition && drug ? [{ kind: "condition", condition, drug: drug.name, effect: row.effect }] : [];
  });
}

function isWithin(age: number | undefined, { from, below }: { from: number; below: number }): age is number {
  return age !== undefined && age >= from && age < below;
}

function hasName(medications: Mention[]): (drug: Mention) => boolean {
  return ({ name }) => medications.some((medication) => medication.name === name);
}

/** Whether all drugs in a product are among the medications, whatever their names. */
function hasDrugs(medications: Mention[]): (drug: Mention) => boolean {
  const taken = new Set(medications.flatMap(({ ids }) => drugsOf(ids)));
  return ({ ids }) => substancesOf(ids).length > 0 && drugsOf(ids).every((id) => taken.has(id));
}
