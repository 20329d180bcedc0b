import { alertOf, type Category, type SafetyAlert } from "./alert.ts";
import { readDataFile } from "./data-file.ts";
import { withoutSofteners } from "./features.ts";
import { type Found, indexOf, type PhraseIndex, Phrases } from "./phrases.ts";
import type { Sentence } from "./words.ts";

/** The format of `data/rules.json`, which explains its parts. */
interface RuleFile {
  /** Classes of words that the phrases of groups refer to by name. */
  classes: Record<string, string[]>;
  groups: Record<string, string[]>;
  /** Category → rules; a rule is groups joined by " + ". */
  rules: Record<string, string[]>;
  /** Category → complete sentences, apart from `fillers`. */
  sentences: Record<string, string[]>;
  fillers: string[];
  /** Words that deny what follows within {@link REACH} words, and words that deny only the next word. */
  negators: string[];
  deniers: string[];
  /** Words that end a denial. */
  reliefs: string[];
  /** Phrases that show that a message is not about a current danger. */
  exclusions: Record<string, string[]>;
  continuations: string[];
  endings: string[];
  /** Of {@link indexRules}; only beside a bundle (`infra/bundling/safety-data.ts`). */
  index?: PhraseIndex;
}

const file: RuleFile = JSON.parse(readDataFile("rules.json").toString());

/** A rule and its alert. */
export interface Rule {
  alert: SafetyAlert;
  /** The names of phrase groups, joined by " + ", or the name of a category's sentences. */
  name: string;
}

const rules = Object.entries(file.rules).flatMap(([category, lines]) =>
  lines.map((name) => ({ alert: alertOf(category as Category), name, groups: name.split(" + ") })),
);
const fillers = new Set(file.fillers);
/** Longer sentences are not compared with `sentences`. */
const MOST_SENTENCE_WORDS = 12;
const sentenceRules = new Map(
  Object.entries(file.sentences).flatMap(([category, texts]) => {
    const rule: Rule = { alert: alertOf(category as Category), name: `sentence ${category}` };
    return texts.map((text) => [withoutFillers(text.split(" ")), rule] as const);
  }),
);
const phrases = new Phrases(file.index ?? indexRules(file), file.classes);
const turns = new Phrases(indexOf({ continuation: file.continuations, ending: file.endings }));

/** Indexes the phrases of groups, and what denies them. */
export function indexRules({ groups, negators, deniers, reliefs, exclusions }: RuleFile): PhraseIndex {
  return indexOf({
    ...groups,
    "*negator": negators,
    "*denier": deniers,
    "*relief": reliefs,
    "*exclusion": Object.values(exclusions).flat(),
  });
}

/**
 * The amount that a rule adds to the classifier's score: rules match words, and the classifier judges their context.
 */
export const RULE_BONUS = 1;

/** The range of a denial in words. */
const REACH = 6;

/** A message with more words is understood without earlier messages. */
const CONTINUATION_WORDS = 40;

/**
 * Returns the rules that a message matches, in one sentence or two consecutive ones. A sentence about the past, fiction
 * and the like matches none; it does not affect the matches of other sentences.
 */
export function rulesMet(sentences: Sentence[]): Rule[] {
  const present = sentences.map((sentence) => readingOf(sentence).groups);
  const met = new Set<Rule>();
  for (const [index, names] of present.entries()) {
    const whole = sentenceRules.get(withoutFillers(sentences[index] ?? []));
    if (whole) {
      met.add(whole);
    }
    const both = new Set([...(present[index - 1] ?? []), ...names]);
    if (both.size > 0) {
      for (const rule of rules) {
        if (rule.groups.every((name) => both.has(name))) {
          met.add(rule);
        }
      }
    }
  }
  return [...met];
}

/** All rules in `data/rules.json`. */
export function allRules(): Rule[] {
  return [...rules, ...new Set(sentenceRules.values())];
}

/** Whether a sentence denies something or places it in the past, in fiction and the like. */
export function givesContext(sentence: Sentence): boolean {
  return readingOf(sentence).givesContext;
}

/** Whether a message continues what was said before, rather than starting or ending a topic. */
export function isContinuation(sentences: Sentence[]): boolean {
  const words = sentences.reduce((sum, sentence) => sum + sentence.length, 0);
  const found = new Set(sentences.flatMap((sentence) => turns.in(sentence)).map(({ name }) => name));
  return words <= CONTINUATION_WORDS && found.has("continuation") && !found.has("ending");
}

function withoutFillers(sentence: Sentence): string {
  return sentence.length > MOST_SENTENCE_WORDS
    ? " "
    : withoutSofteners(sentence)
        .filter((word) => !fillers.has(word))
        .join(" ");
}

/** The result of matching phrases in a sentence. */
interface Reading {
  /** The groups that are present and not denied; none in a sentence about the past, fiction and the like. */
  groups: string[];
  givesContext: boolean;
}

/** A cache, because each sentence is read several times, alone and joined with others. */
const readings = new WeakMap<Sentence, Reading>();

function readingOf(sentence: Sentence): Reading {
  const known = readings.get(sentence);
  if (known) {
    return known;
  }
  const found = phrases.in(sentence);
  const denying = found.filter(({ name }) => name.startsWith("*")).toSorted((first, second) => first.end - second.end);
  const isExcluded = denying.some(({ name }) => name === "*exclusion");
  const reading = {
    groups: isExcluded ? [] : groupsNotDenied(found, denying),
    givesContext: denying.some(({ name }) => name !== "*relief"),
  };
  readings.set(sentence, reading);
  return reading;
}

/**
 * Whether a phrase is denied: by a negator shortly before it, with nothing between that ends the denial, or by a denier
 * directly before it.
 */
function groupsNotDenied(found: Found[], denying: Found[]): string[] {
  const names: string[] = [];
  let [next, last, denied]: [number, Found | undefined, number] = [0, undefined, Number.NEGATIVE_INFINITY];
  for (const { name, start } of found) {
    for (; (denying[next]?.end ?? Number.POSITIVE_INFINITY) <= start; next++) {
      const before = denying[next] as Found;
      if (before.name === "*denier") {
        denied = before.end;
      } else {
        last = before;
      }
    }
    const isNegated = last?.name === "*negator" && start - last.end < REACH;
    if (!name.startsWith("*") && !isNegated && start - denied > 1) {
      names.push(name);
    }
  }
  return names;
}
