import { alertOf, type Category, highestOf } from "./alert.ts";
import { preparedDataFile } from "./data-file.ts";
import { type GroupRule, rulesMetBy } from "./group-rules.ts";
import { type Found, indexOf, Phrases } from "./phrases.ts";
import { quotesOf } from "./quotes.ts";
import type { Finding, Language } from "./screening.ts";
import { isAscii, unicode } from "./unicode.ts";
import { type Sentence, withoutMarks, withoutRepetitions } from "./words.ts";

/** The format of `data/languages/<code>.json`, except its texts, which belong to `fixed-texts.ts`. */
export interface LanguageFile {
  /** `substring` for languages that are matched by characters rather than words. */
  matching?: "words" | "substring";
  /**
   * Name → words or parts of sentences. In a phrase, `{name}` matches any of them, and `(a|b|)` matches a, b or
   * nothing.
   */
  classes?: Record<string, string[]>;
  /** Category → phrases, each enough for an alert. */
  certain: Record<string, string[]>;
  /**
   * Category → lists of groups of phrases; an alert needs one of each group, in one sentence or two consecutive ones.
   */
  together: Record<string, string[][][]>;
  /**
   * The same for a suspicion, found in any word order and form: each group is a list of parts of words, separated by
   * `|`. `_` is the beginning or end of a word, and may be left out.
   */
  suspected: Record<string, string[][]>;
  /** Words at which a clause begins, and with it the reach of a negator ends; characters without words. */
  conjunctions: string[];
  negators: string[];
  /** Phrases that show that a sentence is not about a current danger. */
  exclusions: string[];
}

/** What the rules of a language find. */
export type FoundInLanguage = Pick<Finding, "alert" | "certainty" | "evidence">;

const NEGATOR = "*negator";
const EXCLUSION = "*exclusion";

/** How many words a denial reaches, and how many words or characters what only raises a suspicion. */
const REACH = 3;
const WEAK_REACH = 4;

type LanguageRules = ReturnType<typeof readRules>;
const loaded = new Map<Language, LanguageRules>();

/**
 * Returns the highest certain alert among the rules of a language that a text matches, otherwise the highest suspicion.
 * Reads the language's file on first use.
 *
 * @param isLikely whether to look for a suspicion, which makes sense in the language that the text is probably in
 */
export function findInLanguage(text: string, language: Language, isLikely = true): FoundInLanguage | undefined {
  const own = rulesOf(language);
  const sentences = normalized(text, language, CLAUSE_END)
    .split(END)
    .map((sentence) => readSentence(sentence.split(COMMA).map(own.split), own))
    .filter(({ words }) => words.length > 0);
  const phrases = sentences.map(({ present }) => present);
  const certain = highestOf(rulesMetBy(phrases, own.rules));
  if (certain) {
    const evidence = sentences.flatMap(({ words, present }) =>
      present.filter(({ name }) => certain.groups.includes(name)).map((phrase) => ({ sentence: words, phrase })),
    );
    const pieces = own.isByCharacter ? /\S/gu : /\S+/g;
    const read = (piece: string) => normalized(piece, language).split(END).flatMap(own.split);
    return { alert: certain.alert, certainty: "certain", evidence: quotesOf(text, evidence, pieces, read) };
  }
  const parts = isLikely ? sentences.map((sentence) => partsIn(sentence, own)) : [];
  const suspected = highestOf(rulesMetBy(parts, own.suspicions));
  return suspected && { alert: suspected.alert, certainty: "suspected", evidence: [] };
}

/** Whether the next word, or character, after a part of a clause is denied by it. */
export function deniesIn(before: string, language: Language): boolean {
  const own = rulesOf(language);
  const words = own.split(normalized(before, language, CLAUSE_END));
  return readSentence([words], own).denies(words.length);
}

/** Finds the phrases in a sentence, and what denies them. */
function readSentence(clauses: Sentence[], { phrases, conjunctions, isByCharacter }: LanguageRules) {
  const words = clauses.flat();
  const found = phrases.in(words);
  const startsClause = clauses.flatMap((clause) => clause.map((word, index) => index === 0 || conjunctions.has(word)));
  /** The places of words that a denial may reach, and how far they are behind it. */
  const behindDenial = new Map<number, number>();
  for (const { name, end } of found) {
    for (let place = end; name === NEGATOR && place < end + WEAK_REACH && !startsClause[place]; place++) {
      behindDenial.set(place, Math.min(place - end, behindDenial.get(place) ?? WEAK_REACH));
    }
  }
  const denies = (place: number, reach = isByCharacter ? WEAK_REACH : REACH) =>
    (behindDenial.get(place) ?? WEAK_REACH) < reach;
  const isExcluded = found.some(({ name }) => name === EXCLUSION);
  return {
    words,
    /** Whether a denial reaches a place. */
    denies,
    /** Whether the sentence speaks of something else, so that no phrase counts. */
    isExcluded,
    /** The phrases that are present and not denied. */
    present: isExcluded ? [] : found.filter(({ name, start }) => name !== NEGATOR && !denies(start)),
  };
}

/** The same for the parts of words. */
function partsIn(
  { words, denies, isExcluded }: ReturnType<typeof readSentence>,
  { parts, isByCharacter }: LanguageRules,
): Found[] {
  const characters = isByCharacter ? words : [...` ${words.join(" ")} `];
  const wordAt = isByCharacter ? undefined : wordsByCharacter(characters);
  return isExcluded ? [] : parts.in(characters).filter(({ start }) => !denies(wordAt?.[start] ?? start, WEAK_REACH));
}

/** The position of the word at each character. A space before a word belongs to it. */
function wordsByCharacter(characters: string[]): number[] {
  let word = -1;
  return characters.map((character) => {
    word += character === " " ? 1 : 0;
    return word;
  });
}

function rulesOf(language: Language): LanguageRules {
  const rules = loaded.get(language) ?? readRules(language);
  loaded.set(language, rules);
  return rules;
}

function readRules(language: Language) {
  const prepared = preparedDataFile(`languages/${language.toLowerCase()}.json`, (file: LanguageFile) =>
    prepareLanguage(file, language),
  );
  const isByCharacter = prepared.phrases.separator === "";
  return {
    ...prepared,
    phrases: new Phrases(prepared.phrases),
    parts: new Phrases(prepared.parts),
    conjunctions: new Set(prepared.conjunctions),
    isByCharacter,
    split: isByCharacter ? charactersOf : ownWordsOf,
  };
}

/**
 * Prepares the file of a language: phrases are normalized, expanded and indexed.
 *
 * @returns the index of groups of phrases, `*negator` and `*exclusion`, and their rules; that of the parts of words, by
 *   characters, and theirs
 */
export function prepareLanguage(file: LanguageFile, language: Language) {
  const separator = file.matching === "substring" ? "" : " ";
  const spaces = separator === "" ? BETWEEN_CHARACTERS : /\s+/g;
  // Normalized as one text, and before expansion, when there are far fewer.
  const plain = (phrases: string[]) => normalized(phrases.join("\n"), language).split("\n");
  const classes = Object.fromEntries(
    Object.entries(file.classes ?? {}).map(([name, words]) => [plain([name])[0], plain(words)]),
  );
  const prepared = (phrases: string[]) => [
    ...new Set(
      plain(phrases)
        .flatMap((phrase) => (/[({]/.test(phrase) ? expanded(phrase, classes) : [phrase]))
        .map((phrase) => phrase.trim().replaceAll(spaces, separator))
        .filter((phrase) => phrase !== ""),
    ),
  ];
  const groups: Record<string, string[]> = {
    [NEGATOR]: prepared(file.negators),
    [EXCLUSION]: prepared(file.exclusions),
  };
  const rules: GroupRule[] = [];
  for (const [category, phrases] of Object.entries(file.certain)) {
    groups[category] = prepared(phrases);
    rules.push({ alert: alertOf(category as Category), groups: [category] });
  }
  for (const [category, lists] of Object.entries(file.together)) {
    for (const [index, list] of lists.entries()) {
      const names = list.map((phrases, place) => {
        const name = `${category} ${index} ${place}`;
        groups[name] = prepared(phrases);
        return name;
      });
      rules.push({ alert: alertOf(category as Category), groups: names });
    }
  }
  // In the order of the categories, since the first of equal alerts counts: a numb arm is a stroke, but not with chest
  // pain.
  const order = Object.keys(file.certain);
  rules.sort((one, other) => order.indexOf(one.alert.category) - order.indexOf(other.alert.category));
  const { parts, suspicions } = prepareSuspicions(file.suspected, plain);
  return { phrases: indexOf(groups, separator), rules, parts, suspicions, conjunctions: plain(file.conjunctions) };
}

function prepareSuspicions(suspected: LanguageFile["suspected"], plain: (phrases: string[]) => string[]) {
  const names = new Map<string, string>(); // list of parts → name, since rules share lists
  const suspicions = Object.entries(suspected).flatMap(([category, lists]) =>
    lists.map((list) => ({
      alert: alertOf(category as Category),
      groups: list.map((parts) => {
        const name = names.get(parts) ?? String(names.size);
        names.set(parts, name);
        return name;
      }),
    })),
  );
  const groups = [...names].map(([parts, name]) => [name, plain(parts.replaceAll("_", " ").split("|"))]);
  return { parts: indexOf(Object.fromEntries(groups), ""), suspicions };
}

function expanded(phrase: string, classes: Record<string, string[]>): string[] {
  const [, before, name, list, after] = /^(.*?)(?:\{(\w+)\}|\(([^()]*)\))(.*)$/.exec(phrase) ?? [];
  const words = name === undefined ? list?.split("|") : classes[name];
  return words ? words.flatMap((word) => expanded(`${before}${word}${after}`, classes)) : [phrase];
}

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
  const plain = withoutMarks(text)
    .replaceAll(/(\d),(?=\d)/g, "$1.")
    .normalize("NFC");
  const letters =
    language === "ar" ? plainArabic(plain, and) : language === "ru" ? russianInLatinLetters(plain) : plain;
  return withoutRepetitions(letters);
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

/** The transliteration of each letter from а to я, without the differences between the usual systems. */
const RUSSIAN = "a b v g d e zh z i i k l m n o p r s t u f h ts ch sh sh  i  e iu ia".split(" ");

function russianInLatinLetters(text: string): string {
  return text
    .replaceAll(/[а-я]/g, (letter) => RUSSIAN[letter.charCodeAt(0) - "а".charCodeAt(0)] ?? "")
    .replaceAll(/shch|sch/g, "sh")
    .replaceAll("kh", "h")
    .replaceAll(/y([eo])/g, "e")
    .replaceAll(/[yj]/g, "i");
}

const WORD = unicode("[\\p{L}\\p{M}][\\d\\p{L}\\p{M}]*|\\d+(?:\\.\\d+)?(?:[\\p{L}\\p{M}][\\d\\p{L}\\p{M}]*)?", "g");

function ownWordsOf(sentence: string): Sentence {
  return sentence.match(isAscii(sentence) ? /[a-z][\da-z]*|\d+(?:\.\d+)?(?:[a-z][\da-z]*)?/g : WORD()) ?? [];
}

const BETWEEN_CHARACTERS = /[\s,，、~]+/g;

function charactersOf(sentence: string): Sentence {
  return [...sentence.replaceAll(BETWEEN_CHARACTERS, "")];
}
