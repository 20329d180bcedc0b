import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { withInterval } from "../../packages/safety/training/interval.ts";
import { readArguments } from "../../shared/command-line.ts";
import { type Passage, passagesOf } from "../../shared/sources/passages.ts";
import { indexOf } from "../../shared/sources/search-index.ts";
import { readSourceFile } from "./source-file.ts";

const USAGE = `Measures how well passages of a clinic's sources are found: recall, mean reciprocal rank, and how often something
is returned where nothing fits. Intervals are 95 % (Wilson).

  npm run eval:sources                  the corpus and the questions in tools/sources
  npm run eval:sources -- --pairs FILE  lines of JSON {"indexed", "asked"}: each text is indexed, and asked for in other words
  --misses                              also prints the questions whose source was not found
`;

interface Question {
  question: string;
  /** The source that answers it; null if none does. */
  answer: string | null;
  kind: string;
}

interface Ranked {
  kind: string;
  question: string;
  answerable: boolean;
  /** From 1; undefined if the source is not among the passages. */
  rank: number | undefined;
  returned: number;
}

const HERE = import.meta.dirname;

/** The corpus in this directory, and questions about it. */
function ownSet(): { passages: Passage[]; questions: Question[] } {
  const corpus = join(HERE, "corpus");
  const sources = readdirSync(corpus).map((file) =>
    readSourceFile(basename(file, ".md"), readFileSync(join(corpus, file), "utf8")),
  );
  const lines = readFileSync(join(HERE, "questions.jsonl"), "utf8").trim().split("\n");
  return { passages: sources.flatMap(passagesOf), questions: lines.map((line) => JSON.parse(line)) };
}

/** Pairs of texts: the first ones are the sources, the second ones the questions. */
function pairSet(file: string): { passages: Passage[]; questions: Question[] } {
  const pairs = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line): { indexed: string; asked: string } => JSON.parse(line));
  return {
    passages: pairs.flatMap(({ indexed }, index) => passagesOf({ id: String(index), title: "", text: indexed })),
    questions: pairs.map(({ asked }, index) => ({ question: asked, answer: String(index), kind: "pairs" })),
  };
}

function rank({ passages, questions }: ReturnType<typeof ownSet>): Ranked[] {
  const index = indexOf(passages);
  return questions.map(({ question, answer, kind }) => {
    const found = index.find(question);
    const place = found.findIndex(({ sourceId }) => sourceId === answer);
    return {
      kind,
      question,
      answerable: answer !== null,
      rank: place < 0 ? undefined : place + 1,
      returned: found.length,
    };
  });
}

function report(ranked: Ranked[]): void {
  for (const [kind, rows] of Map.groupBy(ranked, (row) => row.kind)) {
    const within = (most: number) => rows.filter((row) => (row.rank ?? most + 1) <= most).length;
    const reciprocal = rows.reduce((sum, row) => sum + (row.rank ? 1 / row.rank : 0), 0) / rows.length;
    process.stdout.write(
      rows[0]?.answerable
        ? `${kind.padEnd(14)} ${rows.length} questions  recall, %: at 3 ${withInterval(within(3), rows.length)}  at 6 ${withInterval(within(6), rows.length)}  MRR ${reciprocal.toFixed(2)}\n`
        : `${kind.padEnd(14)} ${rows.length} questions  something returned, %: ${withInterval(rows.filter((row) => row.returned > 0).length, rows.length)}\n`,
    );
  }
}

const { values } = readArguments(USAGE, { options: { pairs: { type: "string" }, misses: { type: "boolean" } } });
const ranked = rank(values.pairs ? pairSet(values.pairs) : ownSet());
report(ranked);
if (values.misses) {
  for (const { kind, question, answerable, returned, rank: place } of ranked) {
    if (answerable ? place === undefined : returned > 0) {
      process.stdout.write(`${kind}: ${question}\n`);
    }
  }
}
