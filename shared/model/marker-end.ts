import { hasKeyedLevel, isLevel, isLevelWord, type Said, saidIn, wordsIn } from "./level-words.ts";

/** The maximum length of a marker; anything longer is text. */
const LONGEST = 200;

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
  let depth = 0;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text)?.groups; token; token = TOKEN.exec(text)?.groups) {
    const { word, open, close, colon, line, stop, other } = token;
    const end = TOKEN.lastIndex;
    if (other || end - from > LONGEST || (word && !isLevelWord(word, end === text.length))) {
      return { ...run, ending: "other" };
    }
    run.end = end;
    if (word) {
      words.push(word);
      run.said = saidIn(words);
      run.levelEnd = run.said.slice(-1).some(isLevel) ? end : run.levelEnd;
    }
    run.brackets += words.length === 0 ? (open ?? "") : "";
    run.hasColon ||= Boolean(colon) && run.said.at(-1)?.role === "key";
    depth += open ? 1 : close ? -1 : 0;
    const endsLine = line && words.length > 0 && !run.brackets.endsWith("{");
    const endsBracket = close && (run.brackets !== "" || run.said.at(-1)?.role === "key"); // [level: none], </level>
    if (endsLine || (depth <= 0 && words.length > 0 && (endsBracket || stop))) {
      return { ...run, ending: "closed" };
    }
  }
  return run;
}

/**
 * Returns where a marker ends.
 *
 * @param from where it may begin
 * @param isEnd whether the text is complete
 * @returns undefined if there is none; "undecided" if that depends on what follows
 */
export function endOfMarker(text: string, from: number, isEnd: boolean): number | "undecided" | undefined {
  const run = readRun(text, from);
  if (run.ending === "text" && !isEnd) {
    return "undecided";
  }
  const isFirst = text.slice(0, from).trim() === "";
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
  return (brackets.includes("[[") && isAboutLevel(said)) || (isLine && /^[ \t]*(?:\n|$)/.test(text.slice(end)))
    ? end
    : undefined;
}

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
  if (
    (isDoubled || (isFirst && hasColon)) &&
    hasKeyedLevel(said) &&
    levelEnd &&
    !/^\W*of\b/i.test(text.slice(levelEnd))
  ) {
    EXPLANATION.lastIndex = levelEnd;
    return !isDoubled && EXPLANATION.test(text) ? EXPLANATION.lastIndex : levelEnd;
  }
  return isDoubled && !isClosed && isAboutLevel(said) ? end : undefined;
}

function isAboutLevel(said: Said[]): boolean {
  return said.some((each) => each.role === "key" || each.phrase === "handoff" || isLevel(each));
}
