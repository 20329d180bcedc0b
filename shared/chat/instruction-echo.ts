/** So many consecutive words of the instructions are a repetition; fewer are chance. */
const FEWEST_WORDS = 7;

const SENTENCE_END = /[.!?]\s|\n/;

/** More characters between two words end a repetition, so that no more than a few are ever held back. */
const LONGEST_GAP = 100;

/** What a repetition takes along when it is cut: spaces and the end of its sentence. */
const AFTER = /^["'’”)\]}.,;:!?]*\s*/;

/** A text by its words, in which runs of another text's words are found. */
export class RepeatedText {
  private readonly words: string[] = [];
  private readonly starts = new Set<number>();
  private readonly places = new Map<string, number[]>();
  /** The length of its longest word. */
  readonly longestWord: number;

  /** @param parts none of which a run goes beyond */
  constructor(parts: string[]) {
    for (const part of parts) {
      for (const sentence of part.split(SENTENCE_END)) {
        this.starts.add(this.words.length);
        this.words.push(...wordsIn(sentence.toLowerCase()).map(([word]) => word));
      }
      this.words.push("");
    }
    for (const [place, word] of this.words.entries()) {
      this.places.set(word, [...(this.places.get(word) ?? []), place]);
    }
    this.longestWord = Math.max(...this.words.map(({ length }) => length));
  }

  /**
   * The longest run of this text that begins with a word.
   *
   * @param isOpen whether the last word may go on
   * @returns its length in words, and whether it, or another one that goes as far as the words, begins a sentence here
   */
  runAt(words: string[], start: number, isOpen: boolean): { length: number; begins: boolean } {
    const isSame = (index: number, place: number) =>
      isOpen && index === words.length - 1
        ? this.words[place]?.startsWith(words[index] as string) === true
        : this.words[place] === words[index];
    const places =
      isOpen && start === words.length - 1
        ? [...this.words.keys()].filter((place) => isSame(start, place))
        : (this.places.get(words[start] as string) ?? []);
    const runs = places.map((place) => {
      let length = 1;
      while (start + length < words.length && isSame(start + length, place + length)) {
        length++;
      }
      return { length, begins: this.starts.has(place) };
    });
    const length = Math.max(0, ...runs.map((run) => run.length));
    return { length, begins: runs.some((run) => run.length === length && run.begins) };
  }
}

/**
 * Cuts what the model repeats of its instructions out of an answer that arrives in pieces. What may be the beginning of
 * a repetition is held back until it is clear; the first word of one that begins within a sentence is not, so that an
 * answer is not late because of a frequent word. A translation or a paraphrase is not recognized.
 */
export class InstructionEcho {
  private readonly instructions: RepeatedText;
  /** From the last word on that may belong to a repetition, and of it, what was passed on. */
  private text = "";
  private passed = 0;

  constructor(instructions: RepeatedText) {
    this.instructions = instructions;
  }

  /** Takes a piece. @returns what can be passed on */
  push(piece: string): string {
    this.text += piece;
    return this.release(false);
  }

  /** @returns the rest */
  end(): string {
    return this.release(true);
  }

  private release(isEnd: boolean): string {
    const { text } = this;
    const found = wordsIn(text).map(({ 0: word, index }) => ({ word, end: index + word.length }));
    const words = found.map(({ word }) => word.toLowerCase());
    const last = found.at(-1);
    // A longer word is none of the instructions, however it goes on, and is not held back.
    const isOpen = !isEnd && last?.end === text.length && last.word.length <= this.instructions.longestWord;
    const mayGoOn = !isEnd && text.length - (last?.end ?? 0) <= LONGEST_GAP;
    const startOf = (index: number) => {
      const { word = "", end = text.length } = found[index] ?? {};
      return end - word.length;
    };
    let released = "";
    const pass = (end: number) => {
      released += text.slice(this.passed, end);
      this.passed = Math.max(this.passed, end);
    };
    const keep = (from: number) => {
      this.text = text.slice(from);
      this.passed = Math.max(0, this.passed - from);
      return released;
    };
    for (let index = 0; index < words.length; ) {
      const { length, begins } = this.instructions.runAt(words, index, isOpen);
      const first = begins ? index : index + 1;
      if (mayGoOn && length > 0 && index + length === words.length) {
        pass(startOf(first));
        return keep(startOf(index)); // it may go on
      }
      if (length >= FEWEST_WORDS) {
        pass(startOf(first));
        const end = found[index + length - 1]?.end ?? text.length;
        this.passed = end + (AFTER.exec(text.slice(end))?.[0].length ?? 0);
      }
      index += length >= FEWEST_WORDS ? length : 1;
    }
    pass(text.length);
    return keep(isOpen ? startOf(found.length - 1) : text.length);
  }
}

/** The expression is inside, because V8 looks up the characters of `\p` while it parses it. */
function wordsIn(text: string): RegExpExecArray[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)];
}
