import { lazyDataFile } from "./data-file.ts";
import { screen, shipped } from "./screen.ts";
import { bonusFor, readSentence, rulesMet } from "./screening/rules.ts";
import { indexOf, Phrases } from "./words/phrases.ts";
import { meantSentences } from "./words/typing.ts";
import { unicode } from "./words/unicode.ts";
import { boundedText, type Sentence } from "./words/words.ts";

/**
 * What a message must have that is recognized as calm: least shares of words and letter runs that the classifier has
 * learned, and how far its score must be below the threshold of a suspicion. Of few words, which tell little, more is
 * required. Measured on text that nothing was trained on (`test/calm.test.ts`).
 */
const FEW_WORDS = 4;
const OF_FEW = { words: 0.75, runs: 0.45, below: 0.8 };
const OF_MORE = { words: 0.55, runs: 0.42, below: 0.5 };

const OTHER_SCRIPT = unicode("[^\\P{L}\\p{Script=Latin}]");

/** The format of `data/everyday.json`, which explains its parts. */
interface EverydayFile {
  classes: Record<string, string[]>;
  openings: string[];
  others: string[];
  grave: string[];
}

const OPENING = "opening";
const GRAVE = "grave";
const everyday = lazyDataFile(
  "everyday.json",
  ({ classes, openings, others, grave }: EverydayFile) =>
    new Phrases(indexOf({ [OPENING]: openings, other: others, [GRAVE]: grave }, " ", classes)),
);

/**
 * Whether a message is plainly in no need of a word about whom to call, even if no model can answer: it is in words
 * that the classifier has learned, without a grave one, and far from an alarm, and so were the messages before it. What is misspelled, in
 * another language or only hinted at is not recognized, without any list of it.
 *
 * @param message the user's new message
 * @param earlier the earlier user messages of the conversation, oldest first
 */
export function isRecognizedAsCalm(message: string, earlier: string[]): boolean {
  const text = boundedText(message);
  const sentences = meantSentences(text);
  if (sentences.length === 0 || OTHER_SCRIPT().test(text) || sentences.some(isGrave)) {
    return false;
  }
  const { finding, earlierAlert } = screen(message, earlier);
  return finding === undefined && earlierAlert === undefined && (sentences.every(isEveryday) || isFamiliar(sentences));
}

/** Whether a sentence only greets, thanks or agrees. */
function isEveryday(sentence: Sentence): boolean {
  const found = everyday().in(sentence);
  const isSaid = (_: string, place: number) => found.some(({ start, end }) => start <= place && place < end);
  return found.some(({ name }) => name === OPENING) && sentence.every(isSaid);
}

/** Whether a sentence has a word of danger, however harmless the classifier finds it. */
function isGrave(sentence: Sentence): boolean {
  return everyday()
    .in(sentence)
    .some(({ name }) => name === GRAVE);
}

/** Whether every sentence is in known words, and all of them together are far from an alarm. */
function isFamiliar(sentences: Sentence[]): boolean {
  const read = sentences.filter((sentence) => !isEveryday(sentence)).map((words) => shipped.weigh(readSentence(words)));
  const count = read.reduce((sum, { stems }) => sum + stems.length, 0);
  const least = count > FEW_WORDS ? OF_MORE : OF_FEW;
  const isKnown = (sentences: typeof read) => {
    const { words, runs } = shipped.knownShares(sentences);
    return words >= least.words && runs >= least.runs;
  };
  const excess = shipped.judge(read, bonusFor(read, rulesMet(read))).excess("low");
  return isKnown(read) && read.every((sentence) => isKnown([sentence])) && excess <= -least.below;
}
