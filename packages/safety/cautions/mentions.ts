import { patternsIn } from "../data-file.ts";
import { drugsOf } from "./caution-tables.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import type { FoundName, NameFinder } from "./drug-names.ts";

/** A drug that someone takes or talks about. */
export interface Mention {
  name: string;
  ids: Set<string>;
  /** Whether it acts only where it is applied: a cream, drops for the eye. */
  isTopical: boolean;
}

/** Whether words match one of the patterns that `data/caution-patterns.json` explains. */
export const says = patternsIn("caution-patterns.json", withoutAccents);

/** Writes a pattern's letters as `plainWords` leaves them. */
function withoutAccents(source: string): string {
  return source
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFC");
}

/** How many words after a name may say what form it has: "diclofenac 1 % gel". */
const FORM_WITHIN = 4;

/** Returns the names in a clause that matter to the caller. */
export type Search = (clause: Clause) => FoundName[];

/** What a message or its answer speaks of. */
export interface Spoken extends Mention {
  /** Whether the message names it, rather than only the answer. */
  isAsked: boolean;
}

/** Finds the drugs that a message or its answer is about, as {@link spokenOf}. */
export function mentionedDrugs(finder: NameFinder, message: string, answer: string): Spoken[] {
  return spokenOf((clause) => drugsIn(finder, clause), message, answer);
}

/**
 * Finds what a message or its answer is about. A drug that the writer says not to take is none of it, nor one that a
 * relative takes, if it does not matter for the patient. An answer's advice against a drug is still about it.
 */
export function spokenOf(search: Search, message: string, answer: string): Spoken[] {
  const clauses = clausesOf(message);
  const isAboutRelative = !clauses.some(({ text }) => says("matters", text));
  const isQuestion = message.includes("?") || clauses.some(({ text }) => says("asks", text));
  return distinct([
    ...clauses.flatMap((clause, index) =>
      search(clause)
        .filter(
          (found) =>
            !isNotTaken(clause, found, clauses[index + 1]) &&
            !(says("never-taken", textBefore(clause, found)) && !isQuestion) &&
            !(isAboutRelative && isOthers(clause, found)),
        )
        .map((found) => ({ ...mentionOf(clause, found), isAsked: true })),
    ),
    ...clausesOf(answer).flatMap((clause) =>
      search(clause).map((found) => ({ ...mentionOf(clause, found), isAsked: false })),
    ),
  ]);
}

/** Returns each mention once: a text of any length has only so many names. */
export function distinct<Named extends Mention>(mentions: readonly Named[]): Named[] {
  const seen = new Set<string>();
  return mentions.filter(({ name, ids, isTopical }) => {
    const key = [name, isTopical, ...ids].join("|");
    return !seen.has(key) && seen.add(key);
  });
}

/** The drugs in a clause. */
export function drugsIn(finder: NameFinder, clause: Clause): FoundName[] {
  return finder.find(clause.words).filter(({ ids }) => drugsOf(ids).length > 0);
}

/** A drug with the form that the words around it give it. */
function mentionOf({ words }: Clause, { name, ids, start, end }: FoundName): Mention {
  const around = words.slice(Math.max(0, start - 2), end + FORM_WITHIN).join(" ");
  return { name, ids, isTopical: says("topical", around) };
}

/**
 * Whether a clause says that a drug in it is not taken.
 *
 * @param next the clause behind it, which may tell it, too: "I was on aspirin, but not any more"
 */
export function isNotTaken(clause: Clause, found: FoundName, next?: Clause): boolean {
  const before = textBefore(clause, found);
  const after = textAfter(clause, found);
  return (
    says("no-longer-taken", before) ||
    (says("not-taken", before) && !says("asks", before)) ||
    says("ended", after) ||
    (next?.startsSentence === false && says("ended", after.trimEnd() + next.text))
  );
}

/** Whether a clause says what it says of a name about somebody else: a relative's allergy, condition or drug. */
export function isOthers(clause: Clause, found: FoundName): boolean {
  const before = textBefore(clause, found);
  return (
    says("family", clause.text) ||
    says("others-before", before) ||
    says("others-in-word", before) ||
    says("others-after", textAfter(clause, found))
  );
}

/** The words of a clause before a name, with a space at both ends. */
export function textBefore({ words }: Clause, { start, offset }: FoundName): string {
  return ` ${words.slice(0, start).join(" ")} ${offset > 0 ? words[start]?.slice(0, offset) : ""}`;
}

/** The words of a clause after a name, with a space at both ends. */
export function textAfter({ words }: Clause, { end }: FoundName): string {
  return ` ${words.slice(end).join(" ")} `;
}
