import { alertOf, type Category, type Finding, highestOf, type Language, MIND } from "../alerts.ts";
import { preparedDataFile } from "../data-file.ts";
import { simplified } from "../language.ts";
import { type FoundPhrase, indexOf, Phrases } from "../words/phrases.ts";
import { transliterated } from "../words/russian.ts";
import { isAscii, unicode } from "../words/unicode.ts";
import { LONG_WORDS } from "../words/windows.ts";
import { type Sentence, withoutMarks, withoutRepeats, withoutRepetitions } from "../words/words.ts";
import { type GroupRule, rulesMetBy } from "./group-rules.ts";
import { quotesOf } from "./quotes.ts";
import { Reach } from "./reach.ts";

/** The format of `data/languages/<code>.json`, except its texts, which belong to `fixed-texts.ts`. */
export interface LanguageFile {
  /** `substring` for languages that are matched by characters rather than words. */
  matching?: "words" | "substring";
  /**
   * Name → words or parts of sentences. In a phrase, `{name}` matches any of them, `(a|b|)` matches a, b or nothing, and
   * `$` at its end the end of a clause.
   */
  classes?: Record<string, string[]>;
  /**
   * Verbs that "I" follows where a sentence begins with another word: a phrase that begins with one, or with `i` and one,
   * is also found so.
   */
  inversion?: { i: string; verbs: string[] };
  /** Category → phrases, each enough for an alert. */
  certain: Record<string, string[]>;
  /**
   * Category → lists of groups of phrases; an alert needs one of each group, in one sentence or two consecutive ones.
   */
  together: Record<string, string[][][]>;
  /** The same for what is only likely: it names an illness or a risk rather than tells that it happens now. */
  likely: Record<string, string[][][]>;
  /** Words at which a clause begins, and with it the reach of a negator ends; characters without words. */
  conjunctions: string[];
  negators: string[];
  /** What is usually denied, and nothing behind it: "no fever". */
  denied?: string[];
  /** Denials that begin with what they deny, which deny the phrases that they overlap. */
  denials?: string[];
  /**
   * What is no phrase, compared with its marks: phrases are compared without, as many people write, and "bé đau" (the
   * child aches) is not "bể đầu" (a cracked head). It counts for phrases that are no longer. In such a language, negators
   * are compared with their marks, too: "họng" (the throat) is not "hông" (not).
   */
  spelled?: string[];
  /** Phrases that show that a clause is not about a current danger. In another clause of the sentence, one is only likely. */
  exclusions: string[];
  /** The same for the past: signs of the body are over, and a wish to die may have lasted since then, so that it is likely. */
  past: string[];
  /** Phrases that make it only likely that all tablets were taken at once: "prescribed", "this morning", "as usual". */
  doubts?: string[];
  /** Phrases that make every sign in their sentence likely: "if somebody", "now I'm fine". */
  supposed?: string[];
  /** Words that fill a sentence as it is spoken and come between the words of a phrase. */
  hesitations?: string[];
  /** Words for now, at which an exclusion and the past end, in either direction. */
  breaks: string[];
}

/** What the rules of a language find. */
export type FoundInLanguage = Pick<Finding, "alert" | "certainty" | "evidence">;

/** A rule, and how certain what it finds is in a short text. */
interface LanguageRule extends GroupRule {
  certainty: "certain" | "likely";
}

/** In a text of more words, or characters, nothing is certain: letters tell much that is over or about others. */
const MOST_CERTAIN = [LONG_WORDS, 2 * LONG_WORDS] as const;

const NEGATOR = "*negator";
const DENIED = "*denied";
const DENIAL = "*denial";
const EXCLUSION = "*exclusion";
const PAST = "*past";
const DOUBT = "*doubt";
const SUPPOSED = "*supposed";
const BREAK = "*break";

/** How many words, or characters, a denial reaches: further away, people without commas say something else. */
const REACH = 2;

/** The same for a single word that may stand behind an auxiliary: "no se está atragantando". */
const WORD_REACH = 3;

/** How many words, or characters, away an exclusion counts: further away, there is another subject. */
const EXCLUSION_REACH = { words: 15, characters: 30 };

/** The names of groups of phrases about the mind, which begin with their category. */
const OF_MIND = new RegExp(`^(?:likely )?(?:${MIND.join("|")})\\b`);

/** The names of the certain phrases about what was taken; a number of tablets is another rule's. */
const TAKEN = /^(?:poisoning|suicide-attempt) \d+$/;

type LanguageRules = ReturnType<typeof readRules>;
const loaded = new Map<Language, LanguageRules>();

/**
 * Returns the highest certain alert among the rules of a language that a text matches, otherwise the highest likely one.
 * Reads the language's file on first use.
 */
export function findInLanguage(text: string, language: Language): FoundInLanguage | undefined {
  const own = rulesOf(language);
  const found = findIn(text, text, own, language);
  const fluent = fluentIn(text, language);
  return found?.certainty === "certain" || fluent === text ? found : (findIn(fluent, text, own, language) ?? found);
}

/** Leaves out of a text in a language what fills it as it is spoken, pauses, and words that are said twice. */
export function fluentIn(text: string, language: Language): string {
  const { hesitations, isByCharacter } = rulesOf(language);
  const connected = text.replaceAll(PAUSE, " ");
  const fluent = hesitations ? connected.replaceAll(hesitations, " ") : connected;
  return isByCharacter ? fluent : withoutRepeats(fluent.split(" ").filter((word) => word !== "")).join(" ");
}

const PAUSE = /(?<=\p{L})(?:…|\.{2,}) */gu;

/** @param written the text as it is quoted */
function findIn(text: string, written: string, own: LanguageRules, language: Language): FoundInLanguage | undefined {
  const clausesIn = (letters: string) => letters.split(END).map((sentence) => sentence.split(COMMA).map(own.split));
  const spelled = own.spelled ? clausesIn(withMarks(text)) : [];
  const sentences = clausesIn(normalized(text, language, CLAUSE_END))
    .map((clauses, index) => readSentence(clauses, own, REACH, spelled[index]?.flat()))
    .filter(({ words }) => words.length > 0);
  const met = rulesMetBy(
    sentences.map(({ present }) => present),
    own.rules,
  );
  const isLong = sentences.reduce((sum, { words }) => sum + words.length, 0) > MOST_CERTAIN[own.isByCharacter ? 1 : 0];
  const metForSure = rulesMetBy(
    sentences.map(({ sure }) => sure),
    own.rules,
  );
  const certain = isLong ? undefined : highestOf(metForSure.filter((rule) => rule.certainty === "certain"));
  const found = certain ?? highestOf(met);
  if (!found) {
    return undefined;
  }
  const evidence = sentences.flatMap(({ words, present }) =>
    present.filter(({ name }) => found.groups.includes(name)).map((phrase) => ({ sentence: words, phrase })),
  );
  const pieces = own.isByCharacter ? /\S/gu : /\S+/g;
  const read = (piece: string) => normalized(piece, language).split(END).flatMap(own.split);
  const certainty = certain ? "certain" : "likely";
  return { alert: found.alert, certainty, evidence: quotesOf(written, evidence, pieces, read) };
}

/** Whether the next word, or character, after a part of a clause is denied by it. */
export function deniesIn(before: string, language: Language): boolean {
  const own = rulesOf(language);
  const words = own.split(normalized(before, language, CLAUSE_END));
  return readSentence([words], own, WORD_REACH).denied.has(words.length);
}

/**
 * Finds the phrases in a sentence, and what denies them.
 *
 * @param written its words with their marks, if they matter
 */
function readSentence(
  clauses: Sentence[],
  { phrases, spelled, conjunctions, isByCharacter }: LanguageRules,
  denialReach = REACH,
  written: Sentence = [],
) {
  const words = clauses.flat();
  const startsClause = clauses.flatMap((clause) => clause.map((word, index) => index === 0 || conjunctions.has(word)));
  const marked = (written.length === words.length && spelled?.in(written)) || undefined;
  const found = phrases.in(words, startsClause).filter(({ name }) => !marked || name !== NEGATOR);
  const objects = new Map(found.filter(({ name }) => name === DENIED).map(({ start, end }) => [start, end]));
  const isSaid = ({ name, start }: FoundPhrase) =>
    name === NEGATOR && !found.some((it) => it.name === DENIED && it.end === start);
  const denied = new Set<number>();
  for (const { end } of [...found, ...(marked ?? [])].filter(isSaid)) {
    let last = end + denialReach;
    for (let place = end; place < last && !startsClause[place]; place++) {
      denied.add(place);
      last = objects.get(place) ?? last;
    }
  }
  const named = (...names: string[]) => found.filter(({ name }) => names.includes(name));
  const reach = isByCharacter ? EXCLUSION_REACH.characters : EXCLUSION_REACH.words;
  const others = new Reach(named(EXCLUSION, PAST, DOUBT, SUPPOSED), named(BREAK), reach);
  const overlapping = new Reach(named(DENIAL), [], 0);
  const misread = new Reach(marked?.filter(({ name }) => name === DENIAL) ?? [], [], 0);
  let clause = 0;
  const clauseAt = startsClause.map((starts) => (starts ? ++clause : clause));
  const isExcluded = (phrase: FoundPhrase) =>
    overlapping.to(phrase).some((denial) => meansElse(denial, phrase)) ||
    misread.to(phrase).some(({ start, end }) => start <= phrase.start && end >= phrase.end) ||
    others
      .to(phrase)
      .some(
        ({ name, start }) =>
          clauseAt[start] === clauseAt[phrase.start] &&
          (name === EXCLUSION || (name === PAST && !OF_MIND.test(phrase.name))),
      );
  const present = found.filter((phrase) => phrase.name !== NEGATOR && !denied.has(phrase.start) && !isExcluded(phrase));
  return {
    words,
    /** The places that a denial reaches. */
    denied,
    /** The phrases that are present, not denied, and not in a clause about something else. */
    present,
    /** Those of them that nothing in the sentence makes doubtful. */
    sure: present.filter((phrase) => others.to(phrase).every(({ name }) => name === DOUBT && !TAKEN.test(phrase.name))),
  };
}

/**
 * Whether what means something else as a whole denies a phrase that it overlaps: not if only its last word belongs to the
 * phrase, which goes on. "I can't talk to my" does not deny "my father is not responding".
 */
function meansElse(whole: FoundPhrase, phrase: FoundPhrase): boolean {
  return phrase.start !== whole.end - 1 || phrase.end <= whole.end;
}

function rulesOf(language: Language): LanguageRules {
  const own = language === "zh-Hant" ? "zh" : language; // whose characters are read as simplified ones
  const rules = loaded.get(own) ?? readRules(own);
  loaded.set(own, rules);
  return rules;
}

function readRules(language: Language) {
  const prepared = preparedDataFile(`languages/${language}.json`, (file: LanguageFile) =>
    prepareLanguage(file, language),
  );
  const isByCharacter = prepared.phrases.separator === "";
  return {
    ...prepared,
    phrases: new Phrases(prepared.phrases),
    spelled: prepared.spelled && new Phrases(prepared.spelled),
    conjunctions: new Set(prepared.conjunctions),
    hesitations: hesitationsIn(prepared.hesitations),
    isByCharacter,
    split: isByCharacter ? charactersOf : ownWordsOf,
  };
}

/**
 * Prepares the file of a language: phrases are normalized, expanded and indexed.
 *
 * @returns the index of groups of phrases, and of what denies them, and the rules
 */
export function prepareLanguage(file: LanguageFile, language: Language) {
  const separator = file.matching === "substring" ? "" : " ";
  const spaces = separator === "" ? BETWEEN_CHARACTERS() : /\s+/g;
  // Normalized as one text, and before expansion, when there are far fewer.
  const plain = (phrases: string[]) => normalized(phrases.join("\n"), language).split("\n");
  const classes = Object.fromEntries(
    Object.entries(file.classes ?? {}).map(([name, words]) => [plain([name])[0], plain(words)]),
  );
  const inversion = file.inversion && { i: file.inversion.i, verbs: new Set(plain(file.inversion.verbs)) };
  const choices = new Choices(classes, separator === "" ? Number.POSITIVE_INFINITY : inversion ? 2 : 1);
  const prepared = (phrases: string[]) => [
    ...new Set(
      plain(phrases)
        .flatMap((phrase) => choices.expanded(phrase))
        .map((phrase) => phrase.trim().replaceAll(spaces, separator))
        .flatMap((phrase) => (inversion ? [phrase, ...inverted(phrase, inversion)] : [phrase]))
        .filter((phrase) => phrase !== ""),
    ),
  ];
  // Without a prototype: categories are named by a file.
  const groups: Record<string, string[]> = Object.assign(Object.create(null), {
    [NEGATOR]: prepared(file.negators),
    [DENIED]: prepared(file.denied ?? []),
    [DENIAL]: prepared(file.denials ?? []),
    [EXCLUSION]: prepared(file.exclusions),
    [PAST]: prepared(file.past),
    [DOUBT]: prepared(file.doubts ?? []),
    [SUPPOSED]: prepared(file.supposed ?? []),
    [BREAK]: prepared(file.breaks),
  });
  const rules: LanguageRule[] = [];
  const add = (category: string, name: string, list: string[][], certainty: LanguageRule["certainty"]) => {
    const names = list.map((phrases, place) => {
      groups[`${name} ${place}`] = prepared(phrases);
      return `${name} ${place}`;
    });
    rules.push({ alert: alertOf(category as Category), groups: names, certainty });
  };
  for (const [category, phrases] of Object.entries(file.certain)) {
    add(category, category, [phrases], "certain");
  }
  for (const [category, lists] of Object.entries(file.together)) {
    for (const [index, list] of lists.entries()) {
      add(category, `${category} ${index}`, list, "certain");
    }
  }
  for (const [category, lists] of Object.entries(file.likely)) {
    for (const [index, list] of lists.entries()) {
      add(category, `likely ${category} ${index}`, list, "likely");
    }
  }
  // In the order of the categories, since the first of equal alerts counts: a numb arm is a stroke, but not with chest
  // pain.
  const order = Object.keys(file.certain);
  rules.sort((one, other) => order.indexOf(one.alert.category) - order.indexOf(other.alert.category));
  const spelled = file.spelled?.flatMap((phrase) => new Choices({}).expanded(withMarks(phrase)));
  return {
    phrases: indexOf(groups, separator, choices.classes),
    spelled: spelled && indexOf({ [DENIAL]: spelled, [NEGATOR]: file.negators.map(withMarks) }),
    rules,
    conjunctions: plain(file.conjunctions),
    hesitations: file.hesitations,
  };
}

/** Matches each with the comma that may follow it. */
function hesitationsIn(listed: string[] | undefined): RegExp | undefined {
  return listed && new RegExp(`(?<!\\p{L})(?:${listed.join("|")})(?!\\p{L}),?`, "giu");
}

/** "Jetzt will ich sterben", of "ich will sterben"; "jetzt bekomme ich keine Luft", of "bekomme keine Luft". */
function inverted(phrase: string, { i, verbs }: { i: string; verbs: Set<string> }): string[] {
  const words = phrase.split(" ");
  const [verb = "", ...rest] = words[0] === i ? words.slice(1) : words;
  return verbs.has(verb) ? [[verb, i, ...rest].join(" ")] : [];
}

/**
 * The choices in phrases, `{name}` and `(a|b|)`: between single words, they become classes of the index, because a phrase
 * with four of them would otherwise be thousands.
 */
class Choices {
  /** Those of the index: name → words. */
  readonly classes: Record<string, string[]> = {};
  private readonly names = new Map<string, string>();
  private readonly named: Record<string, string[]>;
  private readonly written: number;

  /**
   * @param named what `{name}` stands for
   * @param written how many words at the beginning of a phrase are never classes, because phrases are looked up by them
   */
  constructor(named: Record<string, string[]>, written: number = Number.POSITIVE_INFINITY) {
    this.named = named;
    this.written = written;
  }

  /** Returns the phrases that one stands for, as the index expects them. */
  expanded(phrase: string): string[] {
    const [, before = "", name, list = "", after = ""] = CHOICE.exec(phrase) ?? [];
    const words =
      name === undefined ? list.split("|").flatMap((word) => this.wordsOf(word)) : this.wordsOf(`{${name}}`);
    if (words.length < 2) {
      return before + list + after === "" ? [phrase] : this.expanded(before + words.join("") + after);
    }
    const isWord = /(?:^|\s)$/.test(before) && /^(?:\s|$)/.test(after) && words.every((word) => !/[\s(#$]/.test(word));
    const pieces = isWord && (before.match(/\S+/g)?.length ?? 0) >= this.written ? [this.classOf(words)] : words;
    return pieces.flatMap((piece) => this.expanded(before + piece + after));
  }

  private wordsOf(word: string): string[] {
    return this.named[/^\{(\w+)\}$/.exec(word)?.[1] ?? ""] ?? [word];
  }

  /** `@1`, or `?1` if the word may be missing. */
  private classOf(words: string[]): string {
    const present = words.filter((word) => word !== "");
    const key = present.join("|");
    const name = this.names.get(key) ?? String(this.names.size);
    this.names.set(key, name);
    this.classes[name] = present;
    return (present.length < words.length ? "?" : "@") + name;
  }
}

const CHOICE = /^(.*?)(?:\{(\w+)\}|\(([^()]*)\))(.*)$/s;

/** The end of a sentence, in any of the scripts. */
const END = /[.!?;…。！？؟؛\n\r]+(?=\s|$|[^\d])/;

/** The end of a clause within a sentence. */
const CLAUSE_END = " , ";
const COMMA = /[,，、،:]+/;

/**
 * Normalizes a text to the form in which a language's phrases are compared, without optional spelling differences.
 *
 * @param and what an "and" that is attached to the next word becomes
 */
function normalized(text: string, language: Language, and = ""): string {
  const plain = withoutMarks(language.startsWith("zh") ? simplified(text) : text)
    .replaceAll(/(\d),(?=\d)/g, "$1.")
    .normalize("NFC");
  return withoutRepetitions(lettersOf(plain, language, and));
}

/** Normalizes a text in the same way, but for its marks. */
function withMarks(text: string): string {
  return withoutRepetitions(
    text
      .replaceAll(/['’‘`]/g, "")
      .replaceAll(/(\d),(?=\d)/g, "$1.")
      .toLowerCase()
      .normalize("NFC"),
  );
}

function lettersOf(plain: string, language: Language, and: string): string {
  switch (language) {
    case "ar":
      return plainArabic(plain, and);
    case "ru":
      return transliterated(plain);
    case "de":
      return plain.replaceAll("ß", "ss").replaceAll(/\bnich\b/g, "nicht"); // in capitals, and as it is spoken
    default:
      return plain;
  }
}

const ATTACHED_AND = unicode("(?<!\\p{L})و(?=\\p{L}{3})", "g");

/** Removes vowel marks and separates the "and" that is attached to the next word. */
function plainArabic(text: string, and: string): string {
  return text
    .replaceAll(/[\u064b-\u0652\u0640]/g, "")
    .replaceAll(/[أإآ]/g, "ا")
    .replaceAll("ى", "ي")
    .replaceAll("ة", "ه")
    .replaceAll(ATTACHED_AND(), and);
}

const WORD = unicode("[\\p{L}\\p{M}][\\d\\p{L}\\p{M}]*|\\d+(?:\\.\\d+)?(?:[\\p{L}\\p{M}][\\d\\p{L}\\p{M}]*)?", "g");

function ownWordsOf(sentence: string): Sentence {
  return sentence.match(isAscii(sentence) ? /[a-z][\da-z]*|\d+(?:\.\d+)?(?:[a-z][\da-z]*)?/g : WORD()) ?? [];
}

/** Pictures, too: who ends with one ends a clause no less. */
const BETWEEN_CHARACTERS = unicode("[\\s,，、~\\u200d\\ufe0f\\p{Emoji_Modifier}\\p{Extended_Pictographic}]+", "g");

function charactersOf(sentence: string): Sentence {
  return [...sentence.replaceAll(BETWEEN_CHARACTERS(), "")];
}
