import { hasKeyedLevel, isLevel, isLevelWord, LONGEST_PHRASE, type Said, saidIn, wordsIn } from "./level-words.ts";

/** The maximum length of a marker in characters, words, and brackets within each other; anything else is text. */
const LONGEST = 200;
const MOST_WORDS = 24;
const MOST_BRACKETS = 4;

/** The parts of a marker: words, brackets, colons, the end of a line or sentence, Markdown. Other signs are in none. */
const TOKEN =
  /`{3}json|(?<word>[\p{L}\p{M}]+)|(?<open>[[({<])|(?<close>[\])}>])|(?<colon>[:=])|(?<line>\n)|(?<stop>[.!?])(?=\s|$)|[\s*_`"'#~|,;/-]|(?<other>.)/suy;

/** Behind a marker: brackets, Markdown, the end of a block of code, and the rest of its line if that is empty. */
const AFTER = /[\])}>*_`"']*(?:\s{0,8}(?:`{3}|`{1,2}$))?[ \t]*\r?\n?/y;

/** The words about a level that stand together at one place of a text. */
interface Run {
  from: number;
  said: Said[];
  /** The brackets before the first word. */
  brackets: string;
  /** Whether a colon follows a word for the level: `level: `. */
  hasColon: boolean;
  /** Where the last level ends; undefined without one. */
  levelEnd: number | undefined;
  end: number;
  /** How it ends: with its bracket, line or sentence; before another word; with the text. */
  ending: "closed" | "other" | "text";
}

function readRun(text: string, from: number): Run {
  const words: string[] = [];
  const run: Run = { from, said: [], brackets: "", hasColon: false, levelEnd: undefined, end: from, ending: "text" };
  const ended = (ending: Run["ending"]) => ({ ...run, said: saidIn(words), ending });
  let last: Said | undefined;
  let depth = 0;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text)?.groups; token; token = TOKEN.exec(text)?.groups) {
    const { word, open, close, colon, line, stop, other } = token;
    const end = TOKEN.lastIndex;
    const isTooLong = end - from > LONGEST || words.length > MOST_WORDS || depth > MOST_BRACKETS;
    if (other || isTooLong || (word && !isLevelWord(word, end === text.length))) {
      return ended("other");
    }
    run.end = end;
    if (word) {
      words.push(word);
      last = saidIn(words.slice(-LONGEST_PHRASE)).at(-1);
      run.levelEnd = last && isLevel(last) ? end : run.levelEnd;
    }
    run.brackets += words.length === 0 ? (open ?? "") : "";
    run.hasColon ||= Boolean(colon) && last?.role === "key";
    depth += open ? 1 : close ? -1 : 0;
    const endsLine = line && words.length > 0 && !run.brackets.endsWith("{");
    const endsBracket = close && (run.brackets !== "" || last?.role === "key"); // [level: none], </level>
    if (endsLine || (depth <= 0 && words.length > 0 && (endsBracket || stop))) {
      return ended("closed");
    }
  }
  return ended("text");
}

/**
 * Returns where a marker ends.
 *
 * @param from where it may begin
 * @param isFirst whether the answer begins there
 * @param isEnd whether the text is complete
 * @returns undefined if there is none; "undecided" if that depends on what follows
 */
export function endOfMarker(
  text: string,
  from: number,
  isFirst: boolean,
  isEnd: boolean,
): number | "undecided" | undefined {
  const run = readRun(text, from);
  if (run.ending === "text" && !isEnd) {
    return "undecided";
  }
  const end = run.ending === "other" ? endAmidWords(text, run, isFirst, isEnd) : endOfRun(text, run, isFirst);
  if (end === undefined) {
    return undefined;
  }
  AFTER.lastIndex = end;
  AFTER.test(text);
  return AFTER.lastIndex === text.length && !isEnd ? "undecided" : AFTER.lastIndex;
}

/** Of words about a level, and nothing else. */
function endOfRun(text: string, { said, brackets, end }: Run, isFirst: boolean): number | undefined {
  if (hasKeyedLevel(said)) {
    return end;
  }
  if (brackets !== "" && said.length > 0 && said.every(({ role }) => role === "key")) {
    const next = readRun(text, end); // [[level]] emergency, <level>none</level>
    if (next.ending !== "other" && (next.ending === "text" || next.said.some(isLevel))) {
      return next.end;
    }
  }
  const isLine = isFirst && brackets === "[" && said.length > 0 && said.every(isLevel);
  return (brackets.includes("[[") && isAboutLevel(said)) || (isLine && isAt(END_OF_LINE, text, end)) ? end : undefined;
}

const END_OF_LINE = /[ \t]*(?:\n|$)/y;

/** "Level: none of these values is too high" has no level. */
const OF = /\W{0,4}of\b/iy;

/** What follows a level up to the end of its line: an explanation. */
const EXPLANATION = /["'*_`]*\s?[(,;:/-][^\n.]{0,60}(?:\n|$)/y;

/** Of words about a level before another word: the end of the bracket around both, or that of the level. */
function endAmidWords(text: string, run: Run, isFirst: boolean, isEnd: boolean): number | undefined {
  const { said, brackets, hasColon, levelEnd } = run;
  const isDoubled = brackets.includes("[[");
  const rest = brackets.endsWith("{") ? /[^{}]{0,200}\}?/y : /[^[\]\n]{0,200}\]?/y;
  rest.lastIndex = run.end;
  const [piece] = ((isDoubled || (hasColon && /[[{]$/.test(brackets))) && rest.exec(text)) || [""];
  const end = run.end + piece.length;
  const isClosed = /[\]}]$/.test(piece);
  if (isClosed && (!isDoubled || isAboutLevel(saidIn(wordsIn(text.slice(run.from, end)))))) {
    return end;
  }
  if (piece !== "" && !isClosed && end === text.length && !isEnd) {
    return end;
  }
  if ((isDoubled || (isFirst && hasColon)) && hasKeyedLevel(said) && levelEnd && !isAt(OF, text, levelEnd)) {
    EXPLANATION.lastIndex = levelEnd;
    return !isDoubled && EXPLANATION.test(text) ? EXPLANATION.lastIndex : levelEnd;
  }
  return isDoubled && !isClosed && isAboutLevel(said) ? end : undefined;
}

/** Whether a sticky pattern matches at a place: a part of the text that is cut out for it would be the whole rest. */
function isAt(pattern: RegExp, text: string, place: number): boolean {
  pattern.lastIndex = place;
  return pattern.test(text);
}

function isAboutLevel(said: Said[]): boolean {
  return said.some((each) => each.role === "key" || each.phrase === "handoff" || isLevel(each));
}
