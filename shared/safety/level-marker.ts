import type { SafetyAlert } from "./alert.ts";
import { folded, type HandoffSignal, levelPattern, levelWords, readHandoff, readLevel, STEMS } from "./level-words.ts";

/** The maximum length of a marker; anything longer is text. */
const LONGEST = 200;

/** The number of characters before a marker that tell whether it is at the start of a line or of a sentence. */
const CONTEXT = 4;

const MARKER = levelPattern("marker");
const [KEYS, ARTICLES, NOUNS, AUXILIARIES, ASSESSING] = ["keys", "articles", "nouns", "auxiliaries", "assessing"].map(
  levelWords,
) as [string[], string[], string[], string[], string[]];

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

/** Whether more brackets, Markdown or the end of a code block that belong to a marker may follow. */
function mayGoOn(marker: string, after: string): boolean {
  if (marker.search(levelPattern("bare")) >= 0 && /^[\s:=-]*[^\n]{0,40}$/.test(after)) {
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
const ABOUT_LEVEL = ["", ...ARTICLES].flatMap((article) => NOUNS.map((noun) => `${article} ${noun}`.trimStart()));
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
  const isAbout = ABOUT_LEVEL.some((start) => start.startsWith(words) || isSentenceFrom(start, words));
  if (isAbout || mayAssess(words)) {
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

/** Whether a text may become a sentence such as "I would rate this at level crisis". */
function mayAssess(text: string): boolean {
  const [first, ...rest] = text.split(" ");
  const verb = rest.findIndex((word) => !AUXILIARIES.includes(word));
  const word = rest[verb];
  if (first !== "i" || word === undefined) {
    return first === "i";
  }
  const isLast = verb === rest.length - 1;
  return (
    (isLast && [...AUXILIARIES, ...ASSESSING].some((start) => start.startsWith(word))) ||
    (ASSESSING.some((start) => word.startsWith(start)) && /^[^.!?\n]{0,100}$/.test(text))
  );
}

/** Whether a text begins so, with no more than one sentence. */
function isSentenceFrom(start: string, text: string): boolean {
  return !KEYS.includes(start) && text.startsWith(start) && /^[^.!?\n]{0,100}$/.test(text);
}

function mayBeLevel(text: string): boolean {
  return STEMS.some((stem) => stem.startsWith(text) || text.startsWith(stem)) && !/[\n\])}>]/.test(text);
}
