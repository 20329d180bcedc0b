import { alertOf, type Category, DELICATE, higher, MIND, rank, type SafetyAlert } from "./alert.ts";
import { Classifier, type RuleFigures, type WeighedSentence } from "./classifier.ts";
import { firstAidFor } from "./first-aid.ts";
import { highestOf } from "./group-rules.ts";
import { languageOfConversation, recognizeLanguage } from "./language.ts";
import { findInLanguage } from "./language-rules.ts";
import { methodQuestion, type Unframed, unframed } from "./patterns.ts";
import type { Found } from "./phrases.ts";
import { quotesOf } from "./quotes.ts";
import { bonusFor, evidenceIn, type ReadSentence, readSentence, roleOf, rulesMet } from "./rules.ts";
import type { Finding, Screening } from "./screening.ts";
import { meantSentences } from "./typing.ts";
import { LONG_WORDS } from "./windows.ts";
import { boundedText, type Sentence } from "./words.ts";

const shipped = Classifier.shipped();

/** The number of earlier messages read together with this one. */
const JOINED_MESSAGES = 2;

/** The number of earlier messages searched for a certain alert. */
const EARLIER_MESSAGES = 3;

/** Of a longer message, only the beginning and the end are read beside other messages. */
const MOST_CHARACTERS = 2_000;

/**
 * A rule is certain if 97% (rounded) of the labeled messages that match it are alerts, and there are enough of them.
 */
const CERTAIN_PRECISION = 0.965;
const LEAST_ALERTS = 3;

/**
 * The share of a rule's alerts that must have its category for the category to be certain. The others mostly belong to
 * a related category of a higher level, which the classifier then finds: of all named categories, at least 96% are
 * right (test/long/safety-training.whole.ts).
 */
const CATEGORY_PRECISION = 0.915;

/**
 * The classifier has learned English: in a message of another language, what it suspects is a guess. A message with
 * more words may have an English part.
 */
const GUESSED_WORDS = 20;

/** Categories that a phrase in another language does not make certain, since it tells the sign and not its cause. */
const SIGNS_ALONE: readonly Category[] = ["bleeding", "poisoning", "unconscious", "suicide-attempt", "other"];

/** A word, with what makes one word of it: "will not". */
const PIECE = /\S+(?: (?:not|t)(?![\w'’]))?/gi;

/** The margin over the threshold that the wording of a {@link DELICATE} category requires. */
const CLEARLY = 0.5;

/**
 * Looks for signs that someone is in danger before the model is called and independently of its answer. Reviewed rules
 * catch what must never be missed; a small classifier, trained on labeled messages (`tools/safety`), catches what
 * people say in other words. Pure, and linear in the length of the message.
 *
 * @param message the user's new message
 * @param earlier the earlier user messages of the conversation, oldest first; only the last ones are read
 * @returns the language, what was found if anything, and the certain alert of an earlier message
 */
export function screen(message: string, earlier: string[] = []): Screening {
  return screenWith(shipped, message, earlier);
}

/** Like {@link screen}, with another classifier. */
export function screenWith(classifier: Classifier, message: string, earlier: string[] = []): Screening {
  const said = read(classifier, message);
  const alone = findingIn(classifier, said);
  if (earlier.length === 0) {
    return alone;
  }
  const { finding } = alone;
  const before = earlier.slice(-EARLIER_MESSAGES).map((text) => readEnds(classifier, text));
  const language =
    alone.language === "en" ? languageOfConversation([...before, said].map(({ text }) => text)) : alone.language;
  const told = before
    .map((text) => findingIn(classifier, text).finding)
    .filter((found) => found !== undefined && found.certainty !== "suspected")
    .reduce(stronger, undefined);
  const earlierAlert = told?.alert;
  const role = roleOf(said.sentences);
  if (earlierAlert && role === "ending") {
    return { language, finding, earlierAlert };
  }
  const repeated: Finding | undefined =
    told && role === "continuation"
      ? { ...told, decidedBy: "classifier", categoryCertain: false, evidence: [] }
      : undefined;
  const last = message.length > MOST_CHARACTERS ? readEnds(classifier, message) : said;
  const joined = suspicionIn(classifier, [...before.slice(-JOINED_MESSAGES), last]);
  // "No chest pain" and "thanks" add nothing to a danger of the body; "thanks for everything" may be a farewell.
  const addsNothing = role === "ending" || said.affirmed?.length === 0;
  const added = addsNothing && joined && !MIND.includes(joined.alert.category) ? undefined : joined;
  return { language, finding: stronger(stronger(finding, repeated), added), earlierAlert };
}

/**
 * Returns what the last messages raise if they are read as one. It is never certain, because benign messages can add up
 * to words of danger.
 */
function suspicionIn(classifier: Classifier, last: Text[]): Finding | undefined {
  const { finding } = findingIn(classifier, joinedText(last));
  return finding && { ...finding, certainty: "suspected", categoryCertain: false, evidence: [] };
}

/** A message, or several messages read as one, without what calls it fiction or a joke. */
interface Text extends Unframed {
  sentences: WeighedSentence[];
  /** What is left of a short text without the clauses that only deny something; undefined if it has none. */
  affirmed: WeighedSentence[] | undefined;
}

/** Several spaces say as much as one. Line breaks stay: they end sentences. */
const SPACES = /[^\S\n]{2,}/g;

function read(classifier: Classifier, message: string, mostLetters?: number): Text {
  const { text, isFramed } = unframed(boundedText(message.replaceAll(SPACES, " "), mostLetters));
  const weighed = (words: Sentence) => classifier.weigh(readSentence(words));
  const sentences = meantSentences(text);
  const isShort = sentences.flat().length <= LONG_WORDS;
  const clauses = isShort ? meantSentences(text.replaceAll(CLAUSE_END, ". ")).map(weighed) : [];
  const affirmed = clauses.filter(({ isDenial }) => !isDenial);
  const hasDenial = affirmed.length < clauses.length;
  return { text, isFramed, sentences: sentences.map(weighed), affirmed: hasDenial ? affirmed : undefined };
}

/** The end of a clause, at which a denial ends. */
const CLAUSE_END = /,(?=\D)|\s(?=(?:but|just|only|though)\s)/gi;

/** Reads a message of which, if it is long, the beginning and the end say what it is about. */
function readEnds(classifier: Classifier, message: string): Text {
  const half = MOST_CHARACTERS / 2;
  const ends = message.length > MOST_CHARACTERS ? `${message.slice(0, half)}\n${message.slice(-half)}` : message;
  return read(classifier, ends, 2 * MOST_CHARACTERS);
}

function joinedText(texts: Text[]): Text {
  const isFramed = texts.some((text) => text.isFramed);
  return {
    text: texts.map(({ text }) => text).join("\n"),
    isFramed,
    sentences: texts.flatMap(({ sentences }) => sentences),
    affirmed: texts.some(({ affirmed }) => affirmed)
      ? texts.flatMap(({ sentences, affirmed }) => affirmed ?? sentences)
      : undefined,
  };
}

/** Returns what the rules of its language, the English rules and the classifier find in one text. */
function findingIn(classifier: Classifier, text: Text): Screening {
  const { language, finding } = findingInRest(classifier, text);
  const question = methodQuestion(text.text);
  const method: Finding | undefined = question === undefined ? undefined : { ...METHOD, evidence: [question] };
  const found = stronger(finding, method);
  return { language, finding: found && text.isFramed ? { ...found, certainty: LOWER[found.certainty] } : found };
}

/** A question about how to die, which people also ask out of curiosity. */
const METHOD = {
  alert: alertOf("suicidal-thoughts"),
  certainty: "likely",
  decidedBy: "rule",
  categoryCertain: true,
} as const;

/** What is called fiction or a joke is less certain, and still not ruled out. */
const LOWER = { certain: "likely", likely: "suspected", suspected: "suspected" } as const;

function findingInRest(classifier: Classifier, { text, sentences, affirmed }: Text): Screening {
  const isDenied = affirmed !== undefined && findingInEnglish(classifier, text, affirmed) === undefined;
  const english = isDenied ? undefined : findingInEnglish(classifier, text, sentences);
  const { language, candidates, isUnclear } = recognizeLanguage(text);
  let suspected: Screening | undefined;
  for (const [index, candidate] of candidates.entries()) {
    const found = findInLanguage(text, candidate, isUnclear || index === 0);
    if (found) {
      const categoryCertain = found.certainty === "certain" && !SIGNS_ALONE.includes(found.alert.category);
      const byRule: Finding = { ...found, decidedBy: "rule", categoryCertain };
      const screening = { language: candidate, finding: stronger(byRule, english) };
      if (found.certainty === "certain") {
        return screening;
      }
      suspected ??= english?.certainty === "certain" ? undefined : screening;
    }
  }
  const isShort = sentences.reduce((sum, { words }) => sum + words.length, 0) <= GUESSED_WORDS;
  const isGuess = english?.certainty === "suspected" && language !== "en" && !isUnclear && isShort;
  return suspected ?? { language, finding: isGuess ? undefined : english };
}

function findingInEnglish(classifier: Classifier, text: string, sentences: WeighedSentence[]): Finding | undefined {
  const { rules, categoryMargins } = classifier.header;
  const met = rulesMet(sentences);
  const certain = met.filter((rule) => isCertain(rules[rule.name]));
  const byRule = highestOf(certain)?.alert;
  const judgement = classifier.judge(sentences, bonusFor(sentences, met));
  const excess = judgement.excess("high");
  const over = excess >= 0 ? "high" : judgement.excess("low") >= 0 ? "low" : undefined;
  if (!byRule && !over) {
    return undefined;
  }
  const judged = over && judgement.alert(over);
  // A rule that is not certain by itself counts for the level if the classifier agrees that there is an alert.
  const rulesOfLevel = over === "high" || !byRule ? met : certain;
  const found = higher(highestOf(rulesOfLevel)?.alert, judged?.alert) as SafetyAlert;
  // A burn or a blow to the head is often mistaken for self-harm.
  const isWound =
    !byRule &&
    found.level === "crisis" &&
    evidenceFor(found.category, sentences).length === 0 &&
    firstAidFor(text).some((name) => name !== "abuse");
  const alert = isWound ? alertOf("other") : found;
  const isDelicate = DELICATE.includes(alert.category);
  const evidence =
    over === "high" && !byRule
      ? evidenceFor(alert.category, judgement.together)
      : phrasesOf(sentences, (sentence) => evidenceIn(sentence, certain));
  return {
    alert,
    certainty:
      byRule || (over === "high" && evidence.length > 0) ? "certain" : over === "high" ? "likely" : "suspected",
    evidence: quotesOf(text, evidence, PIECE, (piece) => meantSentences(piece).flat()),
    decidedBy: byRule && rank(byRule) === rank(alert) ? "rule" : "classifier",
    categoryCertain:
      (alert.category === "abuse" && evidence.some(({ phrase }) => phrase.name !== "signs-of-attack")) ||
      certain.some((rule) => rule.alert.category === alert.category && isOwnCategory(rules[rule.name])) ||
      (judged?.alert.category === alert.category &&
        excess >= (isDelicate ? CLEARLY : 0) &&
        judged.categoryMargin >= (isDelicate ? categoryMargins.delicate : categoryMargins.general)),
  };
}

type Evidence = { sentence: string[]; phrase: Found }[];

/** Returns the phrases that are evidence for a category. Those of suicide and self-harm are the same. */
function evidenceFor(category: Category, sentences: ReadSentence[]): Evidence {
  return phrasesOf(sentences, (sentence) => evidenceIn(sentence, category));
}

function phrasesOf(sentences: ReadSentence[], phrasesIn: (sentence: ReadSentence) => Found[]): Evidence {
  return sentences.flatMap((sentence) => phrasesIn(sentence).map((phrase) => ({ sentence: sentence.words, phrase })));
}

function isCertain(figures: RuleFigures | undefined): boolean {
  return (
    figures !== undefined &&
    figures.alerts >= LEAST_ALERTS &&
    figures.alerts >= CERTAIN_PRECISION * (figures.alerts + figures.harmless)
  );
}

function isOwnCategory(figures: RuleFigures | undefined): boolean {
  return figures !== undefined && figures.sameCategory >= CATEGORY_PRECISION * figures.alerts;
}

const CERTAINTIES = { suspected: 0, likely: 10, certain: 20 };

/** Returns the more important finding: the more certain one, then the higher level, then the first one. */
export function stronger(first: Finding | undefined, second: Finding | undefined): Finding | undefined {
  const weight = (finding: Finding | undefined) =>
    finding === undefined ? 0 : CERTAINTIES[finding.certainty] + rank(finding.alert);
  return weight(second) > weight(first) ? second : first;
}
