import type { Source } from "./source.ts";

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

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;

/** Splits a source along its headings, paragraphs and sentences. */
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
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const [, marks, heading = ""] = HEADING.exec(line) ?? [];
    if (marks === undefined) {
      block += `${line}\n`;
      continue;
    }
    close();
    headings = [...headings.filter(({ level }) => level < marks.length), { level: marks.length, text: heading }];
  }
  close();
  return found;
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
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  return [...segmenter.segment(paragraph)]
    .flatMap(({ segment }) => (segment.length > PASSAGE_CHARACTERS ? segment.split("\n") : [segment]))
    .flatMap((part) => part.match(new RegExp(`[^]{1,${PASSAGE_CHARACTERS}}`, "gu")) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
