import { lazyDataFile } from "./data-file.ts";
import { isAscii, unicode } from "./unicode.ts";
import { withoutMarks } from "./words.ts";

/** The format of `data/patterns.json`, which explains its parts. */
interface PatternFile {
  methods: Record<string, string[]>;
  frames: string[];
  titles: string;
}

/** A longer message has other sentences than the one that is called a joke. */
const MOST_FRAMED = 300;

/** In scripts with words. */
const LETTER = "[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Arabic}\\p{N}]";

const patterns = lazyDataFile("patterns.json", ({ methods, frames, titles }: PatternFile) => {
  const any = Object.values(methods)
    .flat()
    .map((source) => `(?:${source})`);
  return {
    methods: new RegExp(decomposed(any.join("|"))),
    frames: unicode(`(?<!${LETTER})(?:${frames.join("|")})(?!${LETTER})[\\s:,.!]*`, "gi")(),
    titles: new RegExp(decomposed(titles)),
  };
});

/** A text without what calls it fiction or a joke, and without titles of works. */
export interface Unframed {
  text: string;
  /** Whether it was called fiction or a joke. */
  isFramed: boolean;
}

/** Removes from a message what calls it fiction or a joke, and quoted titles of works. */
export function unframed(text: string): Unframed {
  const { frames, titles } = patterns();
  const untitled = titles.test(plain(text)) ? text.replaceAll(/(["“«「『])[^"”»」』\n]{2,60}["”»」』]/g, " ") : text;
  const written = isAscii(untitled) ? untitled : untitled.normalize("NFC");
  const said = written.replaceAll(/['’‘`]/g, "");
  const rest = said.replaceAll(frames, " . ");
  return rest === said ? { text: untitled, isFramed: false } : { text: rest, isFramed: text.length <= MOST_FRAMED };
}

/** Returns the question about a method of suicide in a text, if there is one. */
export function methodQuestion(text: string): string | undefined {
  return patterns().methods.exec(plain(text))?.[0];
}

function plain(text: string): string {
  return withoutMarks(text).replaceAll(/[ ,;-]+/g, " ");
}

/** Writes a pattern as {@link withoutMarks} writes letters, without changing what it means. */
function decomposed(source: string): string {
  return source.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "");
}
