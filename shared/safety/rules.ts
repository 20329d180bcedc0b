import { alertOf, type Category, higher, type SafetyAlert } from "./alert.ts";
import { readDataFile } from "./data-file.ts";
import { type Found, Phrases } from "./phrases.ts";
import type { Sentence } from "./words.ts";

/** The form of `data/rules.json`, which says what its parts mean. */
interface RuleFile {
  groups: Record<string, string[]>;
  /** Category → rules; a rule is groups joined by " + ". */
  rules: Record<string, string[]>;
  negators: string[];
  /** Words behind which a denial no longer holds. */
  reliefs: string[];
  /** What makes a message speak of something else than a danger now. */
  exclusions: Record<string, string[]>;
  continuations: string[];
  endings: string[];
}

const file: RuleFile = JSON.parse(readDataFile("rules.json").toString());

const rules = Object.entries(file.rules).flatMap(([category, lines]) =>
  lines.map((line) => ({ category: category as Category, groups: line.split(" + ") })),
);
const groups = new Phrases(file.groups);
const denials = new Phrases({ negator: file.negators, relief: file.reliefs });
const exclusions = new Phrases(file.exclusions);
const turns = new Phrases({ continuation: file.continuations, ending: file.endings });

/** How many words a denial reaches. */
const REACH = 6;

/** A message of more words says what it means by itself. */
const CONTINUATION_WORDS = 40;

/**
 * The highest alert among the rules that a message meets, in one sentence or two that follow each other. A sentence about
 * the past, fiction and the like meets none; what other sentences say takes nothing away.
 */
export function alertByRules(sentences: Sentence[]): SafetyAlert | undefined {
  const present = sentences.map((sentence) => (exclusions.in(sentence).length > 0 ? [] : presentGroups(sentence)));
  let alert: SafetyAlert | undefined;
  for (const [index, names] of present.entries()) {
    alert = higher(alert, alertOfGroups(new Set([...(present[index - 1] ?? []), ...names])));
  }
  return alert;
}

/** Whether a message goes on with what was said before it, rather than to begin or to end something. */
export function isContinuation(sentences: Sentence[]): boolean {
  const words = sentences.reduce((sum, sentence) => sum + sentence.length, 0);
  const found = new Set(sentences.flatMap((sentence) => turns.in(sentence)).map(({ name }) => name));
  return words <= CONTINUATION_WORDS && found.has("continuation") && !found.has("ending");
}

function presentGroups(sentence: Sentence): string[] {
  const denying = denials.in(sentence);
  const present = groups.in(sentence).filter((phrase) => !isDenied(phrase, denying));
  return present.map(({ name }) => name);
}

function alertOfGroups(present: Set<string>): SafetyAlert | undefined {
  let alert: SafetyAlert | undefined;
  for (const { category, groups: needed } of rules) {
    if (needed.every((name) => present.has(name))) {
      alert = higher(alert, alertOf(category));
    }
  }
  return alert;
}

/** A phrase is denied by a negator shortly before it, with nothing between that ends the denial. */
function isDenied(phrase: Found, denying: Found[]): boolean {
  const before = denying.findLast(({ end }) => end <= phrase.start);
  return before?.name === "negator" && phrase.start - before.end < REACH;
}
