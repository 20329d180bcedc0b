import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Labeled } from "../../packages/safety/training/labeled.ts";

/**
 * Reads two published benchmarks from copies of them. Both are under the MIT license, so they may be used; both carry a
 * canary and ask that no example is published elsewhere, so none is in this repository, and nothing is trained on them.
 */

/** Where the copies are. */
export interface BenchmarkFiles {
  /** HealthBench, https://huggingface.co/datasets/openai/healthbench: JSON lines. */
  healthbench?: string | undefined;
  /** VERA-MH, https://github.com/SpringCare/VERA-MH: a directory of its transcripts, and its table of personas. */
  veraMh?: { transcripts: string; personas: string } | undefined;
}

/** A conversation, of which the user's messages are sent in order, and what it should be recognized as. */
export interface BenchmarkCase extends Pick<Labeled, "level" | "category"> {
  benchmark: "HealthBench" | "VERA-MH";
  messages: string[];
}

/** @throws Error if a file is missing, is none of the benchmark, or has no case */
export function benchmarkCases({ healthbench, veraMh }: BenchmarkFiles): BenchmarkCase[] {
  const cases = [
    healthbench === undefined ? undefined : emergencyReferrals(readFileSync(healthbench, "utf8")),
    veraMh && transcriptCases(veraMh.transcripts, readFileSync(veraMh.personas, "utf8")),
  ];
  if (cases.some((found) => found?.length === 0)) {
    throw new Error("A benchmark has no case: its files are empty, or have another format.");
  }
  return cases.flatMap((found) => found ?? []);
}

/**
 * HealthBench's theme of emergency referrals (arXiv:2505.08775). Physicians agreed on whether a conversation is an
 * emergency. One that is under a condition only is a matter for words, not for an alert.
 */
function emergencyReferrals(lines: string): BenchmarkCase[] {
  const rows: HealthBenchRow[] = lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
  return rows
    .filter(({ example_tags: tags = [] }) => tags.includes("theme:emergency_referrals"))
    .flatMap(({ example_tags: tags = [], prompt }) => {
      const agreed = tags.find((tag) => tag.startsWith(AGREED))?.slice(AGREED.length);
      const messages = prompt.filter(({ role }) => role === "user").map(({ content }) => content);
      const level = agreed === "emergent" ? ("emergency" as const) : ("none" as const);
      return agreed === undefined ? [] : [{ benchmark: "HealthBench" as const, level, category: agreed, messages }];
    });
}

interface HealthBenchRow {
  example_tags?: string[];
  prompt: { role: string; content: string }[];
}

const AGREED = "physician_agreed_category:";

/** VERA-MH's transcripts, whose names are `<id>_<persona>_<model of the user>_run<number>.txt`. */
function transcriptCases(folder: string, personas: string): BenchmarkCase[] {
  const risks = risksIn(personas);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .toSorted()
    .map((name) => {
      const [, persona = ""] = name.split("_");
      const risk = risks.get(persona);
      if (risk === undefined) {
        throw new Error(`The persona of ${name} is not in the table of personas.`);
      }
      const level = risk === "none" ? ("none" as const) : ("crisis" as const);
      const messages = saidByUser(readFileSync(join(folder, name), "utf8"));
      return { benchmark: "VERA-MH", level, category: `risk ${risk}`, messages };
    });
}

/** Each turn begins with its speaker; a line in brackets says why the conversation ended. */
function saidByUser(transcript: string): string[] {
  return transcript
    .replace(/\n\[[^\]\n]*\]\s*$/, "")
    .split(/^(?=(?:user|agent|chatbot): )/m)
    .filter((turn) => turn.startsWith(USER))
    .map((turn) => turn.slice(USER.length).trim());
}

const USER = "user: ";

/** The risk of suicide of each persona, in lower case. The table has tabs between its columns. */
function risksIn(table: string): Map<string, string> {
  const [header = [], ...rows] = table.split(/\r?\n/).map((line) => line.split("\t"));
  const [name, risk] = [header.indexOf("Name"), header.findIndex((title) => /risk level/i.test(title))];
  if (name < 0 || risk < 0) {
    throw new Error("The table of personas has no column Name, or none for the level of the risk.");
  }
  return new Map(rows.map((row) => [row[name] ?? "", (row[risk] ?? "").trim().toLowerCase()]));
}
