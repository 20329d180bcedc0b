import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "labeled");

/** The set that is looked at for the final figure only: nothing is trained, tuned or chosen on it. */
export const HELD_OUT = "held-out";

/** One labelled message; LABELING.md says what the fields mean. */
export interface Labelled {
  text: string;
  level: "none" | "crisis" | "emergency";
  category: string;
  why: string;
}

/** Names of all sets that the screen may learn from. */
export function trainingSets(): string[] {
  const names = readdirSync(FOLDER).map((file) => file.replace(/\.jsonl$/, ""));
  return names.filter((name) => name !== HELD_OUT).toSorted();
}

export function readSet(name: string): Labelled[] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Labelled);
}
