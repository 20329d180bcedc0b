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
const BETWEEN =
  "(?: (?:my|the|any|that|this|a|an|daily|regular|low|dose|baby|more|de|du|des|la|le|les|el|los|las|o|os|mais))*(?: \\w+ (?:or|and|nor))? $";
const NOT =
  "(?:dont|do not|doesnt|does not|never|no longer|not|wont|will not|refuse to)(?: (?:currently|usually|ever|really|even|actually|going to|be))*";
const TAKE = "(?:take|takes|taking|use|uses|using|on|drink|drinks|drinking)";
const TAKES_NONE = [
  `${NOT} ${TAKE}`,
  "i (?:avoid|stay away from)",
  "(?:no|nao|nunca|jamas|jamais) (?:tom[oae]|us[oa])",
  "(?:prends?|prenait) (?:plus|pas|jamais)",
  "(?:nehme?|nimmt) (?:kein\\w*|nie|nicht)",
].join("|");
const STOPPED = [
  "(?:stopped|quit|gave up|discontinued|finished|switched(?: me)? from|used to)(?: (?:take|taking|using|drinking|be on))?",
  "(?:came|went|got|taken|took me|am|im|is|was|been) off(?: of)?|no longer|instead of|threw (?:out|away)|threw",
  "(?:formerly|previously)(?: on| took| taking)?|(?:past|previous|former) use of",
  "(?:deje|dejo|parei|parou|deixei|deixou) de (?:tomar|usar)|(?:jai|a|ai) arrete(?: de prendre)?",
].join("|");

/** What was not taken so far, which someone may be about to take. */
const NEVER_TAKEN = new RegExp(`\\b(?:never|not|havent|hasnt) (?:ever )?(?:taken|had|tried|took|used)${BETWEEN}`);

/** A drug that is not taken: "I don't take aspirin", "I stopped aspirin", "aspirin was stopped". */
const NOT_TAKEN = new RegExp(`\\b(?:${TAKES_NONE})${BETWEEN}`);
const NO_LONGER_TAKEN = new RegExp(`\\b(?:${STOPPED})${BETWEEN}`);

/** A year that was over when this was written. */
const PAST_YEAR = "(?:19\\d\\d|20[01]\\d|202[0-5])";
const LAST = `(?:last (?:year|month|week|spring|summer|fall|autumn|winter)|recently|(?:\\w+ ){1,2}ago|(?:\\w+ ){0,2}${PAST_YEAR})`;

/** Behind a drug, up to the end of the sentence: how it ended, or that it is not taken. */
const ENDED = new RegExp(
  [
    "^ (?:(?!never|not)\\w+ )?(?:(?:was|were|has been|is|got) (?:stopped|discontinued|on hold)|stopped|discontinued)\\b",
    ` (?:until|till|hasta|ate|bis|jusquen?|jusqua) ${LAST} `,
    `^ (?:\\w+ ){0,3}${PAST_YEAR} (?:to |until |through )?${PAST_YEAR} `,
    " (?:stopped|discontinued|withdrawn|abgesetzt|suspendid[oa]|arretee?)(?: in| en| em)?(?: \\d{4})? $",
    "^ (?:\\w+ ){0,2}(?:years|months) ago $|(?:^| )not any ?more $",
    "^ (?:so|and) (?:i )?(?:dont|never|wont|avoid|do not)(?: take| use| touch)?(?: it| them)? $",
    " (?:so|and) (?:i )?(?:avoid|(?:dont|never|wont) (?:take|use)) (?:it|them) $",
    " (?:asi que no lo tomo|donc je nen prends (?:pas|plus)|also nehme ich (?:es|sie) nicht|entao nao tomo) $",
    "^ (?:nehme ich|nimmt (?:er|sie)) (?:nicht|nie) ",
  ].join("|"),
);

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
const ASKS = /\b(?:can|cant|could|should|shouldnt|may|must|why|whether|if|puedo|posso|peux|darf|kann|ob|si|se)\b/;

/**
 * Finds the drugs that a message or its answer is about. A drug that the writer says not to take is none of them, nor
 * one that a relative takes, if it does not matter for the patient. An answer's advice against a drug is still about
 * it.
 */
export function mentionedDrugs(finder: NameFinder, message: string, answer: string): Mention[] {
  const clauses = clausesOf(message);
  const isAboutRelative = !clauses.some(({ text }) => MATTERS.test(text));
  const isQuestion = message.includes("?") || clauses.some(({ text }) => ASKS.test(text));
  return [
    ...clauses.flatMap((clause, index) =>
      drugsIn(finder, clause)
        .filter(
          (found) =>
            !isNotTaken(clause, found, clauses[index + 1]) &&
            !(NEVER_TAKEN.test(textBefore(clause, found)) && !isQuestion) &&
            !(isAboutRelative && isTakenByRelative(clause, found)),
        )
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

/**
 * Whether a clause says that a drug in it is not taken.
 *
 * @param next the clause behind it, which may tell it, too: "I was on aspirin, but not any more"
 */
export function isNotTaken(clause: Clause, found: Found, next?: Clause): boolean {
  const before = textBefore(clause, found);
  const after = textAfter(clause, found);
  return (
    NO_LONGER_TAKEN.test(before) ||
    (NOT_TAKEN.test(before) && !ASKS.test(before)) ||
    ENDED.test(after) ||
    (next?.startsSentence === false && ENDED.test(after.trimEnd() + next.text))
  );
}

/** Whether words behind a drug, with a space at both ends, say that it is not taken any more. */
export function hasEnded(words: string): boolean {
  return ENDED.test(words);
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
