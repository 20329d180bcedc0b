import { alertOf, type Category, highestOf, type SafetyAlert } from "../alerts.ts";
import { preparedDataFile } from "../data-file.ts";
import { withoutSofteners } from "../words/features.ts";
import { type FoundPhrase, indexOf, Phrases } from "../words/phrases.ts";
import type { Sentence } from "../words/words.ts";
import { type GroupRule, rulesMetBy } from "./group-rules.ts";
import type { QuotedPhrase } from "./quotes.ts";
import { Reach } from "./reach.ts";

/** The format of `data/rules.json`, which explains its parts. */
interface RuleFile {
  /** Classes of words, separated by spaces, that phrases refer to by name. */
  classes: Record<string, string>;
  groups: Record<string, string[]>;
  /** Category → rules; a rule is groups joined by " + ". */
  rules: Record<string, string[]>;
  /** Those of the rules that are not certain, however precise they are on the labeled messages: on letters they are not. */
  unsure: string[];
  /** Category → rules that make an alert likely, whatever the classifier says. They count for nothing else. */
  likely: Record<string, string[]>;
  /** Category → groups of which one is evidence for the category, though it may not be an alarm by itself. */
  evidence: Record<Category, string[]>;
  /** Group → group: a phrase of the first is no evidence in a message that has one of the second. */
  evidenceUnless: Record<string, string>;
  /** A message of nothing but such sentences tells of something minor, whatever rules it meets. */
  minor: string[];
  /** Category → complete sentences, apart from `fillers`. */
  sentences: Record<string, string[]>;
  /** Category → names of dangers, which are complete sentences apart from `fillers` and `frames`. */
  names: Record<string, string[]>;
  /** What stands before and behind a name, and what begins a question that goes on to the end. */
  frames: { openings: string[]; closings: string[]; questions: string[] };
  fillers: string[];
  /** Words that deny what follows within {@link REACH} words, and words that deny only the next word. */
  negators: string[];
  deniers: string[];
  /** Words that end a denial. */
  reliefs: string[];
  /** What means something else as a whole: a phrase that overlaps with one counts for nothing. */
  denials: string[];
  /** What says that tablets were taken as prescribed, or as every day, in a sentence of {@link ALL_TAKEN}. */
  doubts: string[];
  /** What takes that back. */
  worries: string[];
  /** Words at which an exclusion ends, in either direction. */
  breaks: string[];
  /** Phrases that show that a message is not about a current danger. */
  exclusions: Record<string, string[]>;
  /** What says that something goes on, in a message of any topic and in one that says little else. */
  continuations: string[];
  connectives: string[];
  endings: string[];
}

/** The kind of exclusions that mean something else, and their range: "laughing so hard that I can't breathe". */
const IDIOM = "idiom";
const IDIOM_REACH = 4;

const file = preparedDataFile("rules.json", prepareRules);

/** The names of dangers, such as "trouble breathing". */
export const dangerNames = Object.values(file.names).flat();

/** A rule of groups of phrases, or of a category's sentences, whose only group it is itself. */
export interface Rule extends GroupRule {
  /** The names of the groups, joined by " + ". */
  name: string;
  /** Whether it is never certain. */
  isUnsure?: boolean;
}

/** Before the category in the name of a rule of complete sentences. */
const WHOLE = "sentence ";

const rules = rulesIn(file.rules);
const evidence = new Map(Object.entries(file.evidence).map(([category, groups]) => [category, new Set(groups)]));
const fillers = new Set(file.fillers);
const wholeSentences = Object.keys({ ...file.sentences, ...file.names }).map((category): Rule => {
  const name = WHOLE + category;
  return { alert: alertOf(category as Category), name, groups: [name] };
});
/** Before the category in the name of a rule of a name that is only the end of a sentence. */
const CLAUSE = "clause ";
const likelyRules = [
  ...rulesIn(file.likely),
  ...Object.keys(file.names).map((category): Rule => {
    const name = CLAUSE + category;
    return { alert: alertOf(category as Category), name, groups: [name] };
  }),
];
const sentenceRules = rulesOfWhole(file.sentences);
const nameRules = rulesOfWhole(file.names);
const frames = new Phrases(file.frames);
const phrases = new Phrases(file.phrases);
const turns = new Phrases(file.turns);

/** Sentence → the name of the rule of its category. */
function rulesOfWhole(listed: Record<string, string[]>): Map<string, string> {
  return new Map(
    Object.entries(listed).flatMap(([category, sentences]) =>
      sentences.map((sentence) => [sentence, WHOLE + category]),
    ),
  );
}

/** Indexes the phrases of a rule file, and removes the fillers from its sentences. */
export function prepareRules(file: RuleFile) {
  const {
    groups,
    classes,
    minor,
    negators,
    deniers,
    reliefs,
    denials,
    doubts,
    worries,
    breaks,
    exclusions,
    ...others
  } = file;
  const { continuations, connectives, endings, ...rest } = others;
  const ignored = new Set(file.fillers);
  const wordsOf = Object.fromEntries(Object.entries(classes).map(([name, words]) => [name, words.split(" ")]));
  const complete = (listed: Record<string, string[]>) =>
    Object.fromEntries(
      Object.entries(listed).map(([category, sentences]) => [
        category,
        sentences.map((sentence) => withoutFillers(sentence.split(" "), ignored).join(" ")),
      ]),
    );
  return {
    ...rest,
    /** Of groups, and of what denies them. */
    phrases: indexOf(
      {
        ...groups,
        "*negator": negators,
        "*denier": deniers,
        "*relief": reliefs,
        "*denial": denials,
        "*doubt": doubts,
        "*worry": worries,
        "*break": breaks,
        "*minor": minor,
        "*exclusion": Object.entries(exclusions).flatMap(([kind, found]) => (kind === IDIOM ? [] : found)),
        "*idiom": exclusions[IDIOM] ?? [],
      },
      " ",
      wordsOf,
    ),
    /** Of continuations and endings. */
    turns: indexOf({ continuation: continuations, connective: connectives, ending: endings }),
    sentences: complete(file.sentences),
    names: complete(file.names),
    frames: indexOf(
      { opening: file.frames.openings, closing: file.frames.closings, question: file.frames.questions },
      " ",
      wordsOf,
    ),
  };
}

function rulesIn(listed: Record<string, string[]>): Rule[] {
  return Object.entries(listed).flatMap(([category, lines]) =>
    lines.map((name) => ({
      alert: alertOf(category as Category),
      name,
      groups: name.split(" + "),
      isUnsure: file.unsure.includes(name),
    })),
  );
}

/** Longer sentences are not compared with `sentences`. */
const MOST_SENTENCE_WORDS = 18;

/**
 * The amount that a rule adds to the classifier's score: rules match words, and the classifier judges their context.
 */
const RULE_BONUS = 1;

/** The range of a denial in words. */
const REACH = 6;

/** The range of an exclusion in words: further away in a sentence without punctuation, there is another subject. */
const EXCLUSION_REACH = 15;

/** A message with more words is understood without earlier messages. */
const CONTINUATION_WORDS = 40;

/**
 * The same for words that also begin another topic: "help" continues, "should I eat more fruit for breakfast" does not.
 */
const CONNECTIVE_WORDS = 4;

/** The group of phrases for all tablets that somebody has taken: an overdose, or the dose of the day. */
const ALL_TAKEN = "all-taken";

/**
 * A sentence about the dose of the day, or of what means something else as a whole, has at most so many other words, such
 * as "my mom": more may tell why.
 */
const MOST_OTHER_WORDS = 3;

const DENYING = new Set(["*negator", "*denier", "*relief", "*exclusion", "*idiom"]);

/** A sentence as the rules read it. */
export interface ReadSentence {
  words: Sentence;
  /** The groups that are present and not denied. */
  present: string[];
  /**
   * The phrases that are present, without those near words about the past, fiction and the like; and the sentence
   * itself if it is one of the rules'.
   */
  signs: FoundPhrase[];
  /**
   * Whether all that the sentence tells or asks is minor, or it tells next to nothing but that tablets were taken as
   * every day, or what means something else as a whole.
   */
  isMinor: boolean;
  /** Whether the sentence denies something or places it in the past, in fiction and the like. */
  givesContext: boolean;
}

/** Finds the phrases in a sentence, and what denies them. */
export function readSentence(words: Sentence): ReadSentence {
  const found = phrases.in(words);
  const denying = denyingIn(found);
  const denied = placesDenied(denying);
  const named = (wanted: string) => found.filter(({ name }) => name === wanted);
  const [taken, doubts, denials] = [named(ALL_TAKEN), named("*doubt"), named("*denial")];
  const tellsDose = taken.length > 0 && doubts.length > 0 && hasLittleElse(words, [...taken, ...doubts]);
  const isDailyDose = tellsDose && named("*worry").length === 0;
  const isRead = ({ name }: FoundPhrase) => !name.startsWith("*") && !(isDailyDose && name === ALL_TAKEN);
  const notDenied = found.filter((phrase) => isRead(phrase) && !denied.has(phrase.start));
  const overlapping = new Reach(denials, [], 0);
  const exclusions = new Reach(named("*exclusion"), named("*break"), EXCLUSION_REACH);
  const idioms = new Reach(named("*idiom"), named("*break"), IDIOM_REACH);
  const isWhole = ({ name, start, end }: FoundPhrase) => name === "*minor" && start === 0 && end === words.length;
  const givesContext = denying.some(({ name }) => name !== "*relief");
  const whole = words.length > MOST_SENTENCE_WORDS ? undefined : ruleOfWhole(withoutFillers(words, fillers));
  const last = whole ? undefined : nameInLastClause(words);
  const signs = [
    ...(whole ? [{ name: whole, start: 0, end: words.length }] : []),
    ...[...(last && !denied.has(last.start) ? [last] : []), ...notDenied].filter((phrase) =>
      [exclusions, idioms, overlapping].every((reach) => reach.to(phrase).length === 0),
    ),
  ];
  const isElse = denials.length > 0 && hasLittleElse(words, denials) && rulesMetBy([signs], rules).length === 0;
  return {
    words,
    present: notDenied.map(({ name }) => name),
    signs,
    givesContext,
    isMinor: isDailyDose || isElse || found.some(isWhole),
  };
}

/** Whether a sentence consists of phrases and next to nothing else. */
function hasLittleElse(words: Sentence, found: FoundPhrase[]): boolean {
  const rest = words.filter((_, place) => !found.some(({ start, end }) => place >= start && place < end));
  return rest.length <= MOST_OTHER_WORDS;
}

/** Whether the next word after these is denied by them. */
export function denies(before: Sentence): boolean {
  return placesDenied(denyingIn(phrases.in(before))).has(before.length);
}

/**
 * Returns the rules that a message matches, in one sentence or two consecutive ones. What is near words about the past,
 * fiction and the like in its sentence matches none; such words do not affect the matches of other sentences.
 */
export function rulesMet(sentences: ReadSentence[]): Rule[] {
  return rulesMetBy(
    sentences.map(({ signs }) => signs),
    [...wholeSentences, ...rules],
  );
}

/** Returns the highest alert that is likely by a rule, as {@link rulesMet} reads a message. */
export function likelyAlert(sentences: ReadSentence[]): SafetyAlert | undefined {
  return highestOf(
    rulesMetBy(
      sentences.map(({ signs }) => signs),
      likelyRules,
    ),
  )?.alert;
}

/**
 * Returns the phrases of a message that are evidence: for a category, or because one of some rules has them. Those of
 * suicide and self-harm are the same. A sentence that is one of a rule's is evidence as a whole.
 */
export function evidenceIn(sentences: ReadSentence[], wanted: Category | Rule[]): QuotedPhrase[] {
  const isEvidence = ({ name }: FoundPhrase) =>
    typeof wanted === "string" ? evidence.get(wanted)?.has(name) : wanted.some(({ groups }) => groups.includes(name));
  const isRefuted = ({ name }: FoundPhrase) =>
    sentences.some(({ present }) => present.includes(file.evidenceUnless[name] ?? ""));
  return sentences.flatMap(({ words, signs }) => {
    const found = signs.filter((phrase) => isEvidence(phrase) && !isRefuted(phrase));
    const whole = found.find(({ name }) => name.startsWith(WHOLE));
    return (whole ? [whole] : found).map((phrase) => ({ sentence: words, phrase }));
  });
}

/** Returns what the rules add to the classifier's score, which may be negative. */
export function bonusFor(sentences: ReadSentence[], met: Rule[]): number {
  return areMinor(sentences) ? -RULE_BONUS : met.length > 0 ? RULE_BONUS : 0;
}

/** Whether a message consists of sentences that are minor. */
export function areMinor(sentences: ReadSentence[]): boolean {
  return sentences.length > 0 && sentences.every((sentence) => sentence.isMinor);
}

/** Whether each sentence of a message is one of the rules', or a name of a danger, as a whole. */
export function areWhole(sentences: ReadSentence[]): boolean {
  return sentences.length > 0 && sentences.every(({ signs }) => signs.some(({ name }) => name.startsWith(WHOLE)));
}

/** All rules in `data/rules.json`. */
export function allRules(): Rule[] {
  return [...rules, ...wholeSentences];
}

/** Returns whether a message continues or ends what was said before; undefined if it may start another topic. */
export function roleOf(sentences: ReadSentence[]): "continuation" | "ending" | undefined {
  const count = wordCount(sentences);
  const found = new Set(sentences.flatMap(({ words }) => turns.in(words)).map(({ name }) => name));
  const isContinuation =
    (count <= CONTINUATION_WORDS && found.has("continuation")) ||
    (count <= CONNECTIVE_WORDS && found.has("connective"));
  return found.has("ending") ? "ending" : isContinuation ? "continuation" : undefined;
}

function wordCount(sentences: ReadSentence[]): number {
  return sentences.reduce((sum, { words }) => sum + words.length, 0);
}

function withoutFillers(sentence: Sentence, ignored: Set<string>): Sentence {
  return withoutSofteners(sentence).filter((word) => !ignored.has(word));
}

/** The name of the rule of a sentence, or of the name that is all of it but its frames: "my husband has a seizure since an hour". */
function ruleOfWhole(sentence: Sentence): string | undefined {
  const found = frames.in(sentence);
  let [start, end] = [0, sentence.length];
  let rule = sentenceRules.get(sentence.join(" "));
  for (let isCut = true; isCut && !rule && start < end; ) {
    rule = nameRules.get(sentence.slice(start, end).join(" "));
    const opening = Math.max(...found.filter((it) => it.name === "opening" && it.start === start).map((it) => it.end));
    const isClosing = (it: FoundPhrase) => (it.name === "closing" ? it.end === end : it.name === "question");
    const closing = Math.min(...found.filter(isClosing).map((it) => it.start));
    isCut = opening > start || closing < end;
    start = Math.max(start, opening);
    end = Math.min(end, closing);
  }
  return rule;
}

/** The words before a clause that tells something of its own. */
const BEFORE_CLAUSE = new Set(["and", "but", "because", "so", "now", "that", "saying", "says", "said", "think"]);

/**
 * The name of a danger in a frame that begins with whom it is about, if the last clause consists of it: "I'm at work and my
 * mom has chest pain".
 */
function nameInLastClause(words: Sentence): FoundPhrase | undefined {
  for (let start = words.length - 1; start > 0 && words.length - start <= MOST_SENTENCE_WORDS; start--) {
    const clause = BEFORE_CLAUSE.has(words[start - 1] as string) ? withoutFillers(words.slice(start), fillers) : [];
    const isFramed = frames.in(clause).some((it) => it.name === "opening" && it.start === 0 && it.end > 1);
    const rule = isFramed ? ruleOfWhole(clause) : undefined;
    if (rule) {
      return { name: rule.replace(WHOLE, CLAUSE), start, end: words.length };
    }
  }
  return undefined;
}

/** The phrases that deny something or end a denial, by their ends. */
function denyingIn(found: FoundPhrase[]): FoundPhrase[] {
  return found.filter(({ name }) => DENYING.has(name)).toSorted((first, second) => first.end - second.end);
}

/**
 * The places of the words that are denied: by a negator shortly before them, with nothing between that ends the denial,
 * or by a denier directly before them.
 */
function placesDenied(denying: FoundPhrase[]): Set<number> {
  const places = new Set<number>();
  for (const { name, end } of denying.filter((phrase) => phrase.name !== "*denier")) {
    for (let place = end; place < end + REACH; place++) {
      if (name === "*negator") {
        places.add(place);
      } else {
        places.delete(place);
      }
    }
  }
  for (const { end } of denying.filter(({ name }) => name === "*denier")) {
    places.add(end).add(end + 1);
  }
  return places;
}
