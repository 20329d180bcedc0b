import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findCautions } from "../cautions.ts";
import { withInterval } from "./interval.ts";
import { CORPUS } from "./labeled.ts";

/** A record and a question, and whether a pharmacist would say something. */
interface Labeled {
  record: Record<string, unknown>;
  message: string;
  expected: "caution" | "none";
}

const FILE = join(CORPUS, "put-aside-2", "interactions.jsonl");

/** What a caution should rest on, by the record: medicines alone, or also conditions, an age or notes. */
const ROWS: [string, (labeled: Labeled) => boolean][] = [
  ["expected", ({ expected }) => expected === "caution"],
  ["  medicines alone in the record", ({ record, expected }) => expected === "caution" && !hasCondition(record)],
  ["  conditions or notes, too", ({ record, expected }) => expected === "caution" && hasCondition(record)],
  ["not expected", ({ expected }) => expected === "none"],
];

/**
 * Evaluates the cautions on records and questions that are put aside; the answer is empty.
 *
 * @returns a text table: how many cases got a caution, with 95% intervals
 */
export function cautionTable(): string {
  const cases = readFileSync(FILE, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Labeled);
  const lines = ROWS.map(([name, isInRow]) => {
    const counted = cases.filter(isInRow);
    const raised = counted.filter(({ record, message }) => findCautions(record, message, "").length > 0);
    return `  ${name.padEnd(32)}${String(counted.length).padStart(6)}${withInterval(raised.length, counted.length).padStart(20)}`;
  });
  return `\nCautions${"n".padStart(32)}${"raised %".padStart(20)}\n${lines.join("\n")}\n`;
}

function hasCondition({ conditions, notes }: Record<string, unknown>): boolean {
  return conditions !== undefined || notes !== undefined;
}
