/**
 * `npm run mutation`: makes small changes to the sources, one at a time, and runs the tests nearest to each. A mutant that
 * no test kills shows something that the tests do not assert, or code that decides nothing.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { type Mutant, mutantsOf, mutate } from "./mutants.ts";
import { NEAREST } from "./nearest-tests.ts";

const USAGE = `Tests the tests: makes small changes to the sources of the last commit, and lists those that no test notices.

  npm run mutation -- [--mutants 200] [--seed 1] [--from 1] [--only DIRECTORY]

  --mutants  how many, in a random order that depends on the seed: 200
  --seed     of the random numbers: 1
  --from     the number of the first, to go on after an interruption: 1
  --only     mutants of this directory: ${Object.keys(NEAREST).join(", ")}

Works in a copy of the last commit. It takes about half a minute for each mutant; each result is printed as soon as it is
known. Exit code: 0 at the end, whatever the results, 2 for an invalid command line.
`;

const ROOT = join(import.meta.dirname, "..", "..");

/** Declarations of documentation, and types alone: nothing that runs. */
const PROSE = /(docs|endpoints|examples|types)\.ts$/;

/** Longer than the nearest tests of any directory take without a mutant. A mutant that does not end is noticed. */
const LIMIT_MINUTES = 8;

const { values } = readArguments(USAGE, {
  options: {
    mutants: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    only: { type: "string" },
  },
});
const wholeNumber = (name: "mutants" | "seed" | "from") =>
  /^[1-9]\d{0,6}$/.test(values[name]) ? Number(values[name]) : usageError(USAGE, `--${name} must be a whole number.`);
const [count, seed, from] = [wholeNumber("mutants"), wholeNumber("seed"), wholeNumber("from")];
if (values.only !== undefined && !(values.only in NEAREST)) {
  usageError(USAGE, `Unknown directory; the directories are ${Object.keys(NEAREST).join(", ")}.`);
}

const copy = mkdtempSync(join(tmpdir(), "mutation-"));
let running: number | undefined;
const cleanUp = () => {
  if (running !== undefined) {
    endGroup(running);
  }
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
};
process.once("exit", cleanUp);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(1));
}
execFileSync("git", ["clone", "--quiet", "--shared", ROOT, copy]);
symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));

const directories = Object.keys(NEAREST).filter((name) => values.only === undefined || name === values.only);
const chosen = inRandomOrder(directories.flatMap(mutantsIn), seed).slice(0, count);
const totals: Record<string, number> = {};
for (const [index, mutant] of chosen.entries()) {
  if (index + 1 < from) {
    continue;
  }
  const verdict = await judge(mutant);
  totals[verdict] = (totals[verdict] ?? 0) + 1;
  process.stdout.write(`${index + 1}. ${verdict}: ${described(mutant)}\n`);
}
process.stdout.write(`${JSON.stringify(totals)}\n`);

function mutantsIn(directory: string): (Mutant & { directory: string })[] {
  return readdirSync(join(copy, directory))
    .filter((name) => name.endsWith(".ts") && !PROSE.test(name))
    .map((name) => `${directory}/${name}`)
    .flatMap((file) => mutantsOf(file, readFileSync(join(copy, file), "utf8")))
    .map((mutant) => ({ ...mutant, directory }));
}

/** @returns what noticed the mutant, or "survived" */
async function judge(mutant: Mutant & { directory: string }): Promise<string> {
  const path = join(copy, mutant.file);
  const original = readFileSync(path, "utf8");
  writeFileSync(path, mutate(original, mutant));
  const { quick, whole } = NEAREST[mutant.directory] ?? { quick: "", whole: "" };
  try {
    const kills: [string, () => Promise<boolean>][] = [
      ["types", () => passes("node_modules/typescript/bin/tsc", "--incremental", "--tsBuildInfoFile", ".build/types")],
      ["quick tests", () => jest(quick)],
      ["whole tests", () => jest(whole)],
    ];
    for (const [name, passing] of kills) {
      if (!(await passing())) {
        return `killed by ${name}`;
      }
    }
    return "survived";
  } finally {
    writeFileSync(path, original);
  }
}

function jest(pattern: string): Promise<boolean> {
  return passes(
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    "node_modules/jest/bin/jest.js",
    ...["--bail", "--silent", "--maxWorkers=2", "--testPathIgnorePatterns", "/node_modules/"],
    ...["--testPathPatterns", pattern],
  );
}

/** Runs a program in the copy, in a process group of its own, which is ended with it. */
async function passes(...args: string[]): Promise<boolean> {
  const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore", detached: true });
  running = child.pid;
  const timer = setTimeout(() => endGroup(child.pid), LIMIT_MINUTES * 60_000);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  endGroup(child.pid);
  running = undefined;
  return code === 0;
}

function endGroup(pid: number | undefined): void {
  try {
    process.kill(-(pid ?? 0), "SIGKILL");
  } catch {
    // it has ended
  }
}

/** The order depends on each mutant alone, so that a change of one file leaves that of the others. */
function inRandomOrder<M extends Mutant>(all: M[], seed: number): M[] {
  const ranked = all.map((mutant) => {
    const { file, start, end, after } = mutant;
    return { mutant, rank: createHash("sha256").update(`${seed} ${file} ${start} ${end} ${after}`).digest("hex") };
  });
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ mutant }) => mutant);
}

function described({ file, line, before, after }: Mutant): string {
  const short = (text: string) => text.replaceAll(/\s+/g, " ").trim().slice(0, 100) || "(nothing)";
  return `${file}:${line}: ${short(before)} → ${short(after)}`;
}
