import type { SafetyAlert } from "../../packages/safety/alerts.ts";
import {
  CATEGORY,
  DECORATION,
  folded,
  type HandoffSignal,
  KEY,
  KEYS,
  LEVEL,
  MARKUP,
  readHandoff,
  readLevel,
  SEPARATOR,
  STEMS,
} from "./level-words.ts";

/** The maximum length of a marker; anything longer is text. */
const LONGEST = 200;

/** The number of characters before a marker that tell whether it is at the start of a line or of a sentence. */
const CONTEXT = 4;

/** What may follow a level on its line: its category, or an explanation. */
const REST = `(?: ?[,;:/-] ?[^\\[\\](){}<>\\n.]{0,40}| (?:${CATEGORY}))?(?: ?\\([^)\\n]{0,60}\\))?`;

/** A word for the level, and a level. */
const PAIR = `${KEY}${MARKUP}{0,6}[:=]${MARKUP}{0,8}${LEVEL}(?! of )`;

/** A level in prose, with what may precede and follow it up to the end of its sentence. */
const SAID = `["'*_\`\\[(]{0,4}(?:${KEY}[:= ]{1,2})?${LEVEL}(?! of )["'*_\`\\])]{0,4}${REST}(?:[.!]["'*_\`)]{0,3}|(?=[ \\t]*(?:\\n|$)))`;

/** The words of sentences about the level. */
const ARTICLES = ["the", "my", "this", "el", "mi", "o", "meu", "le", "mon", "die", "meine", "der"];
const NOUNS = ["level", "marker", "danger level", "risk level", "nivel", "nível", "niveau", "stufe", "gefahrenstufe"];
const AUXILIARIES = ["would", "will", "have", "had", "therefore"];
const ASSESSING = ["mark", "classif", "rat", "assess", "label", "judg", "set", "cho"];
const SENTENCE_START = "(?<=(?:^|\\n|[.!?:])\\s{0,2})";

/** The forms of a marker, from the one that the model is asked for to those that models make of it. */
const FORMS = [
  // Closed before the level: [[level]] emergency
  `\\[\\s?\\[\\s?${KEY}\\s?\\]\\s?\\]\\s{0,4}[:=-]?\\s{0,2}${MARKUP}{0,6}${LEVEL}${REST}${MARKUP}{0,6}(?=[ \\t.]*(?:\\r?\\n|$))`,
  // In double brackets, if a level, the word for it or a request for a person is there: [[level: emergency stroke]],
  // [[crisis]], [[handoff: asked]]
  `\\[\\s?\\[(?=[^\\[\\]]*?(?:${KEY}|${LEVEL}|handoff))[^\\[\\]]{0,${LONGEST}}\\](?:\\s?\\])*`,
  // As JSON or XML: {"category": "stroke", "level": "emergency"}, <level>none</level>
  `\\{[^{}]{0,80}?${KEY}"?\\s*:\\s*"?${LEVEL}[^{}]{0,${LONGEST}}\\}`,
  `<\\s*${KEY}\\s*>\\s*${LEVEL}[^<\\n]{0,60}<\\s*/\\s*${KEY}\\s*>`,
  // With brackets, closed or not: (level: none), [level emergency, level: crisis]]
  `[\\[({<]${DECORATION}{0,6}${KEY}${SEPARATOR}${LEVEL}(?:[^\\[\\](){}<>\\n]{0,60}[\\])}>]+|[\\s,;:/-]{1,3}(?:${CATEGORY})(?![a-z]))?`,
  `${PAIR}[^\\[\\](){}<>\\n]{0,40}\\]+`,
  // In brackets, with an unknown level: [level: severe], [[level: severe
  `\\[\\s*${KEY}\\s*[:=][^\\[\\]\\n]{0,60}\\]+`,
  `\\[\\s?\\[\\s*${KEY}[^\\[\\]\\n]{0,60}(?=\\n|$)`,
  // In single brackets on the first line: [none]
  `(?<=^\\s{0,8})\\[\\s?${LEVEL}(?:[ ,:]{1,2}(?:${CATEGORY}))?\\s?\\](?=[ \\t]*(?:\\n|$))`,
  // Alone on the rest of a line: **Level**: emergency (stroke)
  `(?<=(?:^|\\n|[.!?:])[ \\t]{0,2})(?![ \\t])${MARKUP}{0,8}${PAIR}${REST}[.!]?${MARKUP}{0,6}(?=\\n|$)`,
  // In a sentence: The level of danger is none. I marked this message as level crisis.
  `${SENTENCE_START}(?:(?:${ARTICLES.join("|")}) )?(?:${NOUNS.join("|")})(?: (?:of danger|de peligro|de perigo|de danger|der gefahr))?(?: here| (?:for|of) (?:this|the|your) \\w+)?(?: (?:is|was|would be|es|é|est|ist)| ?:| -|=){1,2} ${SAID}`,
  `${SENTENCE_START}I (?:(?:${AUXILIARIES.join("|")}) ){0,2}(?:${ASSESSING.join("|")})\\w*(?: \\w+){0,4} level(?: of danger)?(?: to| as| is| of|:)? ${SAID}`,
  // At the start of the answer, with words after it on the same line
  `(?<=^\\s{0,8})${MARKUP}{0,8}${PAIR}[*_\`]*[.,;]?`,
];

/** A marker with the Markdown around it and the rest of its line if that is empty. */
const MARKER = new RegExp(
  `(?:\`{3}[a-z]*\\s{0,8}|(?<=^|\\n|[.!?:] )[>#~-]{1,3} ?)?[*_\`"']{0,4}(?:${FORMS.join("|")})[*_\`"']{0,4}(?:\\s{0,8}\`{3})?[ \\t]*\\n?`,
  "gi",
);

/** Where a marker may begin: at a bracket, Markdown, or the start of a line or sentence. */
const BEGINNING = /[[({<*_`"'#>~-]|(?<=(?:^|\n|[.!?:] ?))(?=[^\s])/g;

/**
 * Removes the level marker from an answer that arrives in pieces. The model is asked to begin with one
 * (`shared/chat/instructions.ts`); it is only for the service, and nobody else sees it, wherever it appears and however
 * the model writes it. Each level that can be read counts, and so does a request for a person.
 */
export class LevelMarker {
  /** The end of the text before {@link waiting}. */
  private context = "";
  private waiting = "";
  private readonly onAlert: (alert: SafetyAlert, named: boolean) => void;
  private readonly onHandoff: (reason: HandoffSignal) => void;

  /**
   * @param onAlert receives the model's verdict if it is an alert, before the text after its marker; `named` is whether
   *   the model named the category, which is otherwise a default
   * @param onHandoff receives why the model requests a person, if it does
   */
  constructor(
    onAlert: (alert: SafetyAlert, named: boolean) => void,
    onHandoff: (reason: HandoffSignal) => void = () => {},
  ) {
    this.onAlert = onAlert;
    this.onHandoff = onHandoff;
  }

  /** Takes the next piece and returns the text that cannot be part of a marker. */
  push(piece: string): string {
    this.waiting += piece;
    return this.release(false);
  }

  /** Returns the text held back until the end. */
  end(): string {
    return this.release(true);
  }

  private release(isEnd: boolean): string {
    const text = this.context + this.waiting;
    const plain = folded(text);
    const undecided = isEnd ? text.length : beginningOfMarker(plain, this.context.length);
    let passed = "";
    let at = this.context.length;
    MARKER.lastIndex = at;
    for (let found = MARKER.exec(plain); found && found.index < undecided; found = MARKER.exec(plain)) {
      const { index } = found;
      if (!isEnd && mayGoOn(found[0], plain.slice(MARKER.lastIndex))) {
        return this.keep(text, index, passed + text.slice(at, index));
      }
      passed += text.slice(at, index);
      at = MARKER.lastIndex;
      const read = readLevel(found[0]);
      if (read?.alert) {
        this.onAlert(read.alert, read.named);
      }
      const handoff = readHandoff(found[0]);
      if (handoff) {
        this.onHandoff(handoff);
      }
    }
    return this.keep(text, Math.max(at, undecided), passed + text.slice(at, undecided));
  }

  private keep(text: string, from: number, passed: string): string {
    const before = text.slice(0, from);
    this.context = before.trim() === "" ? before.slice(-CONTEXT) : `x${before.slice(1 - CONTEXT)}`; // not the start
    this.waiting = text.slice(from);
    return passed;
  }
}

const BARE = new RegExp(`^\\[\\s?\\[\\s?${KEY}\\s?\\]\\s?\\]\\s*$`, "i");

/** Whether more brackets, Markdown or the end of a code block that belong to a marker may follow. */
function mayGoOn(marker: string, after: string): boolean {
  if (BARE.test(marker) && /^[\s:=-]*[^\n]{0,40}$/.test(after)) {
    return true; // the level may follow behind the brackets
  }
  return after === "" || (marker.startsWith("```") && /^\s*`{0,2}$/.test(after));
}

/** Returns where a marker may have begun that is not complete; the text's length if nowhere. */
function beginningOfMarker(text: string, from: number): number {
  BEGINNING.lastIndex = Math.max(from, text.length - LONGEST);
  for (let found = BEGINNING.exec(text); found; found = BEGINNING.exec(text)) {
    if (mayBecomeMarker(text.slice(found.index).toLowerCase())) {
      return found.index;
    }
    BEGINNING.lastIndex = found.index + 1;
  }
  return text.length;
}

/** Before the first word of a marker: Markdown, brackets, the start of a code block. */
const LEADING = /^(?:`{1,3}[a-z]*\s+)?[\s*_`#>~"'|[\](){}<-]*/;

/** The beginnings of sentences about the level, which are held back up to their end. */
const ASSESSORS = AUXILIARIES.flatMap((one) =>
  ["", ...AUXILIARIES.map((other) => `${other} `)].map((two) => `i ${one} ${two}`),
);
const SENTENCES = [
  ...["", ...ARTICLES].flatMap((article) => NOUNS.map((noun) => `${article} ${noun}`.trimStart())),
  ...["i ", ...ASSESSORS].flatMap((start) => ASSESSING.map((verb) => start + verb)),
].filter((start) => !KEYS.includes(start));

/** Between the word for the level and the level, as far as it has arrived. */
const BETWEEN = /^(?: of danger)?[\s*_`"'|[\](){}<>:=-]*(?:is )?[*_`"']*/;

function mayBecomeMarker(text: string): boolean {
  const [leading = ""] = LEADING.exec(text) ?? [];
  const words = text.slice(leading.length);
  if (words === "" || /\[\s?\[[^\]]*$/.test(leading)) {
    return !words.includes("]");
  }
  if (/\{\s*["']?$/.test(leading)) {
    return !words.includes("}");
  }
  const isSentence = /^[^.!?\n]{0,100}$/.test(words);
  if (SENTENCES.some((start) => start.startsWith(words) || (isSentence && words.startsWith(start)))) {
    return true;
  }
  const key = KEYS.find((each) => words.startsWith(each));
  if (key === undefined) {
    return (
      KEYS.some((each) => each.startsWith(words)) ||
      (leading.endsWith("[") && mayBeLevel(words)) ||
      /^`{1,3}[a-z]*$/.test(text)
    );
  }
  const rest = words.slice(key.length);
  if (" of danger".startsWith(rest)) {
    return true;
  }
  const [between = ""] = BETWEEN.exec(rest) ?? [];
  const level = rest.slice(between.length);
  return mayBeLevel(level) || (leading.includes("[") && /[:=]/.test(between) && !/[\n\]]/.test(level));
}

function mayBeLevel(text: string): boolean {
  return STEMS.some((stem) => stem.startsWith(text) || text.startsWith(stem)) && !/[\n\])}>]/.test(text);
}
