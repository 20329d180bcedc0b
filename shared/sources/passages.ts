import { isLanguage, type Source } from "./source.ts";

/** A few sentences of a source, as the model gets them and a citation quotes them. */
export interface Passage {
  sourceId: string;
  title: string;
  url: string | undefined;
  /** The headings above it, outermost first. */
  headings: string[];
  text: string;
}

/** About a hundred words: long enough to answer a question, short enough that six fit into a prompt. */
const PASSAGE_CHARACTERS = 600;

/** The longest heading, in UTF-16 code units, as long as a title. A longer line is text. */
const HEADING_CHARACTERS = 200;

/** The ends of lines on any system, and in Unicode (Unicode Standard, section 5.8, "Newline Guidelines"). */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Splits a source along its headings, paragraphs and sentences. Linear in the length of its text. */
export function passagesOf({ id, title, url, language, text }: Source): Passage[] {
  const found: Passage[] = [];
  let headings: { level: number; text: string }[] = [];
  let block = "";
  const close = () => {
    for (const piece of piecesOf(block, language)) {
      found.push({ sourceId: id, title, url, headings: headings.map((heading) => heading.text), text: piece });
    }
    block = "";
  };
  for (const line of text.split(LINE_END)) {
    const heading = headingOf(line);
    if (heading === undefined) {
      block += `${line}\n`;
      continue;
    }
    close();
    headings = [...headings.filter(({ level }) => level < heading.level), heading];
  }
  close();
  return found;
}

/** Reads a heading of Markdown, which may end with number signs, too. Without a pattern, whose parts could overlap. */
function headingOf(line: string): { level: number; text: string } | undefined {
  const level = /^#{1,6}(?=\s)/.exec(line)?.[0].length;
  if (level === undefined) {
    return undefined;
  }
  let end = line.trimEnd().length;
  while (line[end - 1] === "#") {
    end--;
  }
  const text = line.slice(level, end).trim();
  return text.length > HEADING_CHARACTERS ? undefined : { level, text };
}

/** Joins short paragraphs, and splits long ones at the ends of sentences. */
function piecesOf(block: string, language: string | undefined): string[] {
  const pieces: string[] = [];
  let current = "";
  const add = (part: string, between: string) => {
    if (current !== "" && current.length + between.length + part.length > PASSAGE_CHARACTERS) {
      pieces.push(current);
      current = "";
    }
    current = current === "" ? part : `${current}${between}${part}`;
  };
  for (const paragraph of block.split(/\n\s*\n/).map((part) => part.trim())) {
    if (paragraph.length > PASSAGE_CHARACTERS) {
      for (const [index, sentence] of sentencesOf(paragraph, language).entries()) {
        add(sentence, index === 0 ? "\n\n" : " ");
      }
    } else if (paragraph !== "") {
      add(paragraph, "\n\n");
    }
  }
  return current === "" ? pieces : [...pieces, current];
}

/** A sentence that is longer than a passage, such as a table, is split at its lines, and then anywhere. */
function sentencesOf(paragraph: string, language: string | undefined): string[] {
  const known = language !== undefined && isLanguage(language) ? language : undefined;
  const segmenter = new Intl.Segmenter(known, { granularity: "sentence" });
  return [...segmenter.segment(paragraph)]
    .flatMap(({ segment }) => (segment.length > PASSAGE_CHARACTERS ? segment.split("\n") : [segment]))
    .flatMap((part) => part.match(new RegExp(`[^]{1,${PASSAGE_CHARACTERS}}`, "gu")) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
