import { readDataFile } from "./data-file.ts";
import { isAscii, unicode } from "./unicode.ts";
import { plainLetters } from "./words.ts";

/** The format of `data/patterns.json`, which explains its parts. */
interface PatternFile {
  methods: Record<string, string[]>;
  frames: string[];
  titles: string;
}

interface Patterns {
  methods: RegExp;
  frames: RegExp;
  titles: RegExp;
}

/** A longer message has other sentences than the one that is called a joke. */
const MOST_FRAMED = 300;

/** In scripts with words. */
const LETTER = "[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Arabic}\\p{N}]";

let patterns: Patterns | undefined;

/** A text without what calls it fiction or a joke, and without titles of works. */
export interface Unframed {
  text: string;
  /** Whether it was called fiction or a joke. */
  isFramed: boolean;
}

/** Removes from a message what calls it fiction or a joke, and quoted titles of works. */
export function unframed(text: string): Unframed {
  const { frames, titles } = read();
  const untitled = titles.test(plain(text)) ? text.replaceAll(/(["“«「『])[^"”»」』\n]{2,60}["”»」』]/g, " ") : text;
  const written = isAscii(untitled) ? untitled : untitled.normalize("NFC");
  const said = written.replaceAll(/['’‘`]/g, "");
  const rest = said.replaceAll(frames, " . ");
  return rest === said ? { text: untitled, isFramed: false } : { text: rest, isFramed: text.length <= MOST_FRAMED };
}

/** Returns the question about a method of suicide in a text, if there is one. */
export function methodQuestion(text: string): string | undefined {
  return read().methods.exec(plain(text))?.[0];
}

function read(): Patterns {
  if (!patterns) {
    const file: PatternFile = JSON.parse(readDataFile("patterns.json").toString());
    const any = (sources: string[]) => decomposed(sources.map((source) => `(?:${source})`).join("|"));
    patterns = {
      methods: new RegExp(any(Object.values(file.methods).flat())),
      frames: unicode(`(?<!${LETTER})(?:${file.frames.join("|")})(?!${LETTER})[\\s:,.!]*`, "gi")(),
      titles: new RegExp(decomposed(file.titles)),
    };
  }
  return patterns;
}

function plain(text: string): string {
  return plainLetters(text)
    .replaceAll("đ", "d")
    .replaceAll(/[ ,;-]+/g, " ");
}

/** Writes a pattern as {@link plainLetters} writes letters, without changing what it means. */
function decomposed(source: string): string {
  return source.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "");
}
