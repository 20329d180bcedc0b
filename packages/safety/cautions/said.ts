import { plainLetters } from "../words/words.ts";
import { allergensIn } from "./allergens.ts";
import { type CautionTables, drugsOf } from "./caution-tables.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import type { FoundName } from "./drug-names.ts";
import { isOthers, says, spokenOf, textAfter, textBefore } from "./mentions.ts";
import { type Reader, type Recorded, readClauses } from "./recorded.ts";

/** What the user says to be allergic to, in all messages, whether or not a table has it. */
export function allergensSaid(messages: readonly string[]): string[] {
  return messages
    .filter((message) => NAMES_ALLERGY.test(plainLetters(message)))
    .flatMap(clausesOf)
    .filter(isOwnAllergy)
    .flatMap(namedIn);
}

/**
 * Reads what the user says about allergies, about what they take and what they have: "I'm allergic to penicillin", "I
 * take warfarin", "ibuprofen with warfarin". A question whether it is so, and what is said of somebody else, do not
 * count; unless the message asks for that person.
 *
 * @param messages the user's, by clauses, the new one at the end
 * @param message the new one, in which two drugs also count that are named together
 */
export function readSaid(tables: CautionTables, messages: readonly Clause[][], message: string): Recorded {
  const said: Recorded = { allergies: [], medications: [], conditions: new Set(), age: undefined };
  for (const each of messages) {
    readClauses(tables, each, said, SPEAKER);
  }
  const clauses = messages.at(-1) ?? [];
  if (isForOther(clauses)) {
    readOfOther(tables, clauses, said);
  }
  if (isTogether(clauses)) {
    said.medications.push(
      ...spokenOf((clause) => tables.finder.find(clause.words).filter(isDrug), message, "").filter(({ name, ids }) =>
        clauses.every((clause) => isForOther(clauses) || !isTakenByOther(tables, clause, { name, ids })),
      ),
    );
  }
  return { ...said, age: undefined };
}

/** Only what the speaker says of themselves counts. */
const SPEAKER: Reader = {
  allergy: (clause, found) => isStatedAllergy(clause, found) && !says("wonders", textBefore(clause, found)),
  medication: (clause, found) =>
    says("takes-self", textBefore(clause, found)) || says("takes-self-behind", textAfter(clause, found)),
  condition: (clause, found) =>
    says("has-self", textBefore(clause, found)) || says("has-self-behind", textAfter(clause, found)),
};

/** Whether a clause states an allergy to a name in it, rather than ask about it: "allergic to sulfa can i take Bactrim". */
export function isStatedAllergy(clause: Clause, found: FoundName): boolean {
  const before = textBefore(clause, found);
  return (
    says("allergy", clause.text) &&
    (says("allergy-of", before) || says("allergy-behind", textAfter(clause, found)) || isUnspaced(clause, found))
  );
}

/** In a script without spaces, the words of a clause are not told apart, so that the first name is meant. */
function isUnspaced({ words }: Clause, { start, offset }: FoundName): boolean {
  const word = words[start] ?? "";
  return /\p{Script=Han}/u.test(word) && !/[吃服用]/.test(word.slice(0, offset));
}

function isOwnAllergy({ text }: Clause): boolean {
  return says("allergy", text) && !says("wonders", text);
}

/** The letters that {@link ALLERGIC_TO} requires: few messages need to be read word by word. */
const NAMES_ALLERGY = /all?erg/;

/** What a sentence says that somebody is allergic to. */
const ALLERGIC_TO =
  / (?:allergic|allergy|allergies) to (.*)$| (?:have|got) an? (.*) allergy | alergi\w* (?:a|al|ao|aos) (.*)$| allergi\w* (?:gegen|auf|a|au|aux) (.*)$/;

/** Returns what a clause names that is not in any table, in the languages whose sentences have these forms. */
function namedIn({ text }: Clause): string[] {
  const name = ALLERGIC_TO.exec(text)
    ?.slice(1)
    .find((each) => each !== undefined);
  return name === undefined || says("denied", text) || says("others-before", text) ? [] : allergensIn(name);
}

/** Whether a message asks what somebody else may take, and not what the writer may. */
function isForOther(clauses: Clause[]): boolean {
  const asks = (name: string) => clauses.some(({ text }) => says(name, text));
  return asks("asks-for-other") && !asks("asks-for-self");
}

/** Adds the allergies of the person whom a message asks for. */
function readOfOther({ finder }: CautionTables, clauses: Clause[], { allergies }: Recorded): void {
  for (const clause of clauses.filter(isOwnAllergy)) {
    for (const found of finder.find(clause.words)) {
      if (isDrug(found) && isOthers(clause, found) && !says("denied", textBefore(clause, found))) {
        allergies.push({ name: found.name, ids: found.ids, isTopical: false });
      }
    }
  }
}

/** Whether the drugs of a message are taken together, rather than compared. */
function isTogether(clauses: Clause[]): boolean {
  const has = (name: string) => clauses.some(({ text }) => says(name, text));
  return has("joins") && !has("compares");
}

function isTakenByOther({ finder }: CautionTables, clause: Clause, { name }: Pick<FoundName, "name" | "ids">): boolean {
  return finder.find(clause.words).some((found) => found.name === name && isOthers(clause, found));
}

function isDrug({ ids }: FoundName): boolean {
  return drugsOf(ids).length > 0;
}
