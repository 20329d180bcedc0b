import { drugsOf } from "./caution-tables.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import type { Found, NameFinder } from "./drug-names.ts";

/** A drug that someone takes or talks about. */
export interface Mention {
  name: string;
  ids: Set<string>;
  /** Whether it acts only where it is applied: a cream, drops for the eye. */
  isTopical: boolean;
}

const TOPICAL =
  /\b(?:creams?|ointments?|gels?|emulgels?|lotions?|shampoos?|foams?|topical|topically|(?:eye|ear|nose|nasal) (?:drops?|sprays?|ointment)|eyedrops?|mouthwash|crema|pomada|colirio|creme|pommade|collyre|salbe|augentropfen)\b/;

/** How many words after a name may say what form it has: "diclofenac 1 % gel". */
const FORM_WITHIN = 4;

/** What stands between a verb and a drug. */
const BETWEEN = "(?: (?:my|the|any|that|this|a|an|daily|regular|low|dose|baby|more))*(?: \\w+ (?:or|and|nor))? $";
const NOT =
  "(?:dont|do not|doesnt|does not|never|no longer|not|wont|will not)(?: (?:currently|usually|ever|really|even|actually|going to|be))*";
const TAKE = "(?:take|takes|taking|use|uses|using|on|drink|drinks|drinking)";
const STOPPED =
  "(?:stopped|quit|gave up|discontinued|finished|switched(?: me)? from|used to)(?: (?:take|taking|using|drinking|be on))?|(?:came|went|got|taken|took me|am|im|is|was|been) off(?: of)?|no longer|instead of";

/** A drug that is not taken: "I don't take aspirin", "I stopped aspirin", "aspirin was stopped". */
const NOT_TAKEN = new RegExp(`\\b${NOT} ${TAKE}${BETWEEN}`);
const NO_LONGER_TAKEN = new RegExp(`\\b(?:${STOPPED})${BETWEEN}`);
const ENDED = /^ (?:\w+ )?(?:(?:was|were|has been|is|got) (?:stopped|discontinued|on hold)|stopped|discontinued)\b/;

/** Someone else than the patient. */
export const RELATIVE =
  "(?:mother|father|mom|mum|dad|brother|sister|sibling|son|daughter|child|kid|wife|husband|spouse|partner|parent|grand\\w+|uncle|aunt|cousin|girlfriend|boyfriend|friend|dog|cat|madre|padre|esposa|mae|pai|mere|pere|mutter|vater)s?";

/** A drug that a relative takes; "lives with her husband takes aspirin" may mean the patient. */
const RELATIVE_TAKES = new RegExp(
  `(?<!\\b(?:with|by|from)(?: (?:his|her|my|the))?) ${RELATIVE} (?:(?:who|also|already|still|has|been|is|was) )*(?:${TAKE}|prescribed)${BETWEEN}`,
);

/**
 * What makes a relative's drug matter for the patient: someone else whom the message speaks of, since a parent may
 * write for a child, or a question whether the drug is safe, since the relative may be the patient.
 */
const MATTERS =
  /\b(?:i|me|we|us|he|him|she|her|they|them|son|daughter|child|kid|baby|can|could|should|ok|okay|safe|dangerous|harmful)\b/;

/** Someone who asks about not taking a drug asks about the drug. */
const ASKS = /\b(?:can|cant|could|should|shouldnt|may|must|why|whether|if)\b/;

/**
 * Finds the drugs that a message or its answer is about. A drug that the writer says not to take is none of them, nor
 * one that a relative takes, if it does not matter for the patient. An answer's advice against a drug is still about
 * it.
 */
export function mentionedDrugs(finder: NameFinder, message: string, answer: string): Mention[] {
  const clauses = clausesOf(message);
  const isAboutRelative = !clauses.some(({ text }) => MATTERS.test(text));
  return [
    ...clauses.flatMap((clause) =>
      drugsIn(finder, clause)
        .filter((found) => !isNotTaken(clause, found) && !(isAboutRelative && isTakenByRelative(clause, found)))
        .map((found) => mentionOf(clause, found)),
    ),
    ...clausesOf(answer).flatMap((clause) => drugsIn(finder, clause).map((found) => mentionOf(clause, found))),
  ];
}

/** The drugs in a clause. */
export function drugsIn(finder: NameFinder, clause: Clause): Found[] {
  return finder.find(clause.words).filter(({ ids }) => drugsOf(ids).length > 0);
}

/** A drug with the form that the words around it give it. */
function mentionOf({ words }: Clause, { name, ids, start, end }: Found): Mention {
  const around = words.slice(Math.max(0, start - 2), end + FORM_WITHIN).join(" ");
  return { name, ids, isTopical: isTopicalForm(around) };
}

/** Whether words name a form that acts only where it is applied. */
export function isTopicalForm(words: string): boolean {
  return TOPICAL.test(words);
}

/** Whether a clause says that a drug in it is not taken. */
export function isNotTaken(clause: Clause, found: Found): boolean {
  const before = textBefore(clause, found);
  return (
    NO_LONGER_TAKEN.test(before) ||
    (NOT_TAKEN.test(before) && !ASKS.test(before)) ||
    ENDED.test(textAfter(clause, found))
  );
}

/** Whether a clause says that a relative takes a drug. */
export function isTakenByRelative(clause: Clause, found: Found): boolean {
  return RELATIVE_TAKES.test(textBefore(clause, found));
}

/** The words of a clause before a name, with a space at both ends. */
export function textBefore({ words }: Clause, { start, offset }: Found): string {
  return ` ${words.slice(0, start).join(" ")} ${offset > 0 ? words[start]?.slice(0, offset) : ""}`;
}

/** The words of a clause after a name, with a space at both ends. */
export function textAfter({ words }: Clause, { end }: Found): string {
  return ` ${words.slice(end).join(" ")} `;
}
