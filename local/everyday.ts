import everyday from "./everyday.json" with { type: "json" };

/** What the answers to everyday messages are made of: the text for each name in braces that is known. */
export type Fillings = Readonly<Record<string, string | undefined>>;

interface Intention {
  says: RegExp;
  /** What a passage of the clinic's information has to be about to be quoted as the answer. */
  about: RegExp | undefined;
  /** Is an answer only to a message without other sentences: "Goodbye" means something else beside a complaint. */
  alone: boolean;
  replies: readonly string[];
}

/** A longer message is nothing that is said every day; no pattern is tried on it. */
const LONGEST = 200;

/** More sentences say too much for a script. */
const MOST_SENTENCES = 3;

const intentions: Intention[] = everyday.intentions.map(({ says, replies, ...rest }) => ({
  says: wholly(says.join("|")),
  about: "about" in rest && rest.about ? new RegExp(rest.about, "i") : undefined,
  alone: "alone" in rest,
  replies,
}));
const openers = new RegExp(`^(?:(?:${everyday.openers}) )+(?=.)`);
const closers = new RegExp(`(?<=.)(?: (?:${everyday.closers}))+$`);
const courtesy = new RegExp(`^(?:(?:${everyday.openers}|${everyday.closers})(?: |$))+$`);
const friendly = new RegExp(everyday.friendly, "gu");
const rewrites = Object.entries(everyday.rewrites).map(([from, to]) => [new RegExp(from), to] as const);
const expansions = new Map(Object.entries(everyday.expansions));

/**
 * Returns the answer to an everyday message; undefined if the whole message, or each of its sentences, is not one that
 * `everyday.json` has. What stands beside a known sentence may change what it means, so a part is never enough.
 *
 * @param fillings what replies may contain. The first reply of which everything is known is the answer
 * @param passage finds a passage of the clinic's information, ready to be quoted, that a pattern matches
 */
export function everydayAnswer(
  message: string,
  fillings: Fillings,
  passage: (about: RegExp) => string | undefined,
): string | undefined {
  const meant = intentionsOf(message);
  const answers = meant?.map(({ about, replies }) => {
    const known = { ...everyday.texts, ...fillings, passage: about && passage(about) };
    return replies.map((reply) => filled(reply, known)).find((text) => text !== undefined);
  });
  return answers && [...new Set(answers)].join("\n\n");
}

/** Returns what is said after an alert of a category; undefined if the fixed text of the alert is enough. */
export function answerAfterAlert(category: string): string | undefined {
  return new Map(Object.entries(everyday.afterAlert)).get(category);
}

/**
 * Returns one of the sentences that say that there is no answer, always the same for a message.
 *
 * @param previous the answer before, whose sentence is not repeated
 */
export function unanswered(message: string, previous: string): string {
  const choices = everyday.unanswered.filter((sentence) => !previous.includes(sentence));
  const sum = [...message].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
  return choices[sum % choices.length] ?? "";
}

function intentionsOf(message: string): Intention[] | undefined {
  if (message.length > LONGEST) {
    return undefined;
  }
  const whole = intentionOf(message);
  if (whole) {
    return [whole];
  }
  const sentences = message
    .split(/[.!?;\n]+/)
    .filter((sentence) => !courtesy.test(wordsOf(sentence)) && /\p{L}/u.test(sentence));
  const found = sentences.map(intentionOf).filter((intention) => intention !== undefined);
  const isComplete = found.length > 0 && found.length === sentences.length && found.length <= MOST_SENTENCES;
  return isComplete && !found.some(({ alone }) => alone) ? found : undefined;
}

/** Tries what was said as it is, without the courtesies around it, and as the question that it then is. */
function intentionOf(said: string): Intention | undefined {
  const words = wordsOf(said);
  const bare = words.replace(openers, "").replace(closers, "");
  const asked = rewrites.reduce((text, [from, to]) => text.replace(from, to), bare);
  return [words, bare, asked]
    .map((text) => intentions.find(({ says }) => says.test(text)))
    .find((intention) => intention !== undefined);
}

/** The words in lower case, without punctuation, contractions and a few synonyms. */
function wordsOf(said: string): string {
  const plain = said.normalize("NFC").toLowerCase().replaceAll(friendly, "").replaceAll(/['’]/g, "");
  const words = plain.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim();
  return words
    .split(" ")
    .map((word) => expansions.get(word) ?? word)
    .join(" ");
}

/** A pattern of the data, which may name fragments in angle brackets, for a whole text. */
function wholly(source: string): RegExp {
  let expanded = source;
  for (const [name, fragment] of Object.entries(everyday.fragments).reverse()) {
    expanded = expanded.replaceAll(`<${name}>`, `(${fragment})`);
  }
  return new RegExp(`^(?:${expanded})$`, "u");
}

function filled(reply: string, known: Fillings): string | undefined {
  let isComplete = true;
  const text = reply.replaceAll(/\{([\w ]+)\}/g, (_, name: string) => {
    const value = known[name];
    isComplete &&= value !== undefined;
    return value ?? "";
  });
  return isComplete ? text : undefined;
}
