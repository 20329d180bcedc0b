import { type CautionTables, cautionTables, conditionId, drugsOf } from "./caution-tables.ts";
import { type Mention, mentionedDrugs } from "./mentions.ts";
import { type Recorded, readRecord } from "./recorded.ts";

/** The reason why a mentioned drug may be contraindicated for this patient. */
export type Caution =
  /** Without a group, it is the drug that the record names. */
  | { kind: "allergy"; allergy: string; drug: string; group: string | undefined }
  | { kind: "interaction"; medication: string; drug: string; effect: string }
  | { kind: "condition"; condition: string; drug: string; effect: string };

/** Capped, so that each one is read. */
const MOST_CAUTIONS = 3;

/**
 * Finds drugs in a message or its answer that the patient's record contraindicates: a drug from a group that the
 * patient is allergic to, one that is dangerous together with a medicine the patient takes, or one that is dangerous
 * with a condition or at an age.
 *
 * @param record the patient's facts, as the model receives them: `allergies`, `medications`, `conditions`, `notes`,
 *   `age`
 */
export function findCautions(record: Record<string, unknown>, message: string, answer: string): Caution[] {
  if (!READ.some((field) => field in record)) {
    return [];
  }
  const tables = cautionTables();
  const mentions = mentionedDrugs(tables.finder, message, answer);
  if (mentions.length === 0) {
    return [];
  }
  const recorded = readRecord(tables, record);
  const cautions = new Map<string, Caution>();
  for (const caution of [
    ...allergyCautions(tables, recorded, mentions),
    ...interactionCautions(tables, recorded, mentions),
    ...conditionCautions(tables, recorded, mentions),
  ]) {
    const reason = `${caution.kind} ${caution.drug} ${because(caution)}`;
    cautions.set(reason, cautions.get(reason) ?? caution);
  }
  return [...cautions.values()].slice(0, MOST_CAUTIONS);
}

/** The fact in the record that a caution rests on. */
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

function allergyCautions({ allergies }: CautionTables, recorded: Recorded, mentions: Mention[]): Caution[] {
  return allergies.flatMap((row): Caution[] => {
    const allergy = recorded.allergies.find(({ ids }) => row.allergy(ids));
    const candidates = allergy === undefined ? [] : mentions.filter(({ ids }) => row.drugs(ids));
    const drug = candidates.find(({ name }) => name !== allergy?.name) ?? candidates[0];
    if (allergy === undefined || drug === undefined) {
      return [];
    }
    const isSame = drug.name.toLowerCase() === allergy.name.toLowerCase();
    return [{ kind: "allergy", allergy: allergy.name, drug: drug.name, group: isSame ? undefined : row.group }];
  });
}

function interactionCautions({ interactions }: CautionTables, recorded: Recorded, mentions: Mention[]): Caution[] {
  return interactions.flatMap((row): Caution[] => {
    const counts = ({ isTopical }: Mention) => row.topical || !isTopical;
    for (const [taken, other] of [
      [row.first, row.second],
      [row.second, row.first],
    ] as const) {
      const medication = recorded.medications.find((drug) => taken(drug.ids) && counts(drug));
      // The record lists both, so the prescriber knows.
      const isKnown = row.sameDrug ? hasName(recorded.medications) : hasDrugs(recorded.medications);
      const drug = medication && mentions.find((drug) => other(drug.ids) && counts(drug) && !isKnown(drug));
      if (medication && drug) {
        return [{ kind: "interaction", medication: medication.name, drug: drug.name, effect: row.effect }];
      }
    }
    return [];
  });
}

function conditionCautions({ conditions }: CautionTables, recorded: Recorded, mentions: Mention[]): Caution[] {
  const isKnown = hasDrugs(recorded.medications);
  return conditions.flatMap((row): Caution[] => {
    const condition = row.ages
      ? isWithin(recorded.age, row.ages) && (recorded.age < 1 ? "age under 1" : `age ${Math.floor(recorded.age)}`)
      : row.conditions.find((name) => recorded.conditions.has(conditionId(name)));
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
  return ({ ids }) => drugsOf(ids).every((id) => taken.has(id));
}
