/**
 * `npm run mutation`: makes small changes to the core modules, one at a time, and runs the tests that reach each of these
 * mutants. A mutant that no test kills shows what the tests do not assert.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments, usageError } from "../command-line.ts";
import { affinityTo } from "./affinity.ts";
import { type Baseline, runBaseline } from "./baseline.ts";
import { whyEquivalent } from "./equivalents.ts";
import { type Judgment, judge, type Kills } from "./judge.ts";
import { MODULES, PROSE } from "./modules.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

const USAGE = `Tests the tests: makes small changes to the core modules and lists those that no test notices.

  npm run mutation -- --mutants 150 --seed 1 --minutes 60

  --mutants N   how many mutants to try, drawn at random: 150
  --seed N      of the random numbers; the same seed and sources give the same mutants: 1
  --minutes N   starts no further mutant after this time: 60
  --limit N     seconds of tests to run per mutant; one that survives them is undecided if more tests reach it: 600
  --workers N   mutants tried at once, each in its own copy of the project: 1
  --module M    only this module: ${Object.keys(MODULES).join(", ")}
  --at F:L      only mutants in file F, at line L if given, and all of them
  --list        prints the mutants and tries none

The project itself is not changed. A mutant that does not compile is replaced by another. Before the first mutant, all
tests run once to find out which code each of them reaches; .build/mutation-baseline.json keeps that for the next run.
Exit code: 0 when all mutants or the time are used up, 1 when the unchanged project fails, 2 for wrong options.
`;

const ROOT = join(import.meta.dirname, "..", "..");

interface Options {
  mutants: number;
  seed: number;
  minutes: number;
  limit: number;
  workers: number;
  module: string | undefined;
  at: string | undefined;
  list: boolean;
}

type Judged = Judgment & { mutant: Mutant };

function readOptions(): Options {
  const { values } = readArguments(USAGE, {
    options: {
      mutants: { type: "string", default: "150" },
      seed: { type: "string", default: "1" },
      minutes: { type: "string", default: "60" },
      limit: { type: "string", default: "600" },
      workers: { type: "string", default: "1" },
      module: { type: "string" },
      at: { type: "string" },
      list: { type: "boolean", default: false },
    },
  });
  const whole = (name: "mutants" | "seed" | "minutes" | "limit" | "workers") =>
    /^[1-9]\d{0,6}$/.test(values[name])
      ? Number(values[name])
      : usageError(USAGE, `--${name} must be a whole number, at least 1.`);
  if (values.module !== undefined && !(values.module in MODULES)) {
    usageError(USAGE, `Unknown module; the modules are ${Object.keys(MODULES).join(", ")}.`);
  }
  return {
    mutants: whole("mutants"),
    seed: whole("seed"),
    minutes: whole("minutes"),
    limit: whole("limit"),
    workers: whole("workers"),
    module: values.module,
    at: values.at,
    list: values.list,
  };
}

/** All mutants of the modules asked for, in a random order that depends on the seed. */
function draw({ seed, module, at }: Options): Mutant[] {
  const [file, line] = at?.split(":") ?? [];
  const random = generator(seed);
  return Object.keys(MODULES)
    .filter((name) => module === undefined || name === module)
    .flatMap(filesOf)
    .filter((name) => file === undefined || name === file)
    .flatMap((name) => mutantsOf(name, readFileSync(join(ROOT, name), "utf8")))
    .filter((mutant) => line === undefined || mutant.line === Number(line))
    .map((mutant) => ({ mutant, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ mutant }) => mutant);
}

function filesOf(module: string): string[] {
  return (MODULES[module] ?? [])
    .flatMap((source) =>
      source.endsWith("/") ? readdirSync(join(ROOT, source)).map((name) => `${source}${name}`) : [source],
    )
    .filter((file) => file.endsWith(".ts") && !PROSE.test(file));
}

/** Mulberry32, a small generator of numbers from 0 to 1 that depends only on its seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function describe({ file, line, rule, before, after }: Mutant): string {
  const short = (text: string) => {
    const flat = text.replaceAll(/\s+/g, " ").trim();
    return flat.length > 110 ? `${flat.slice(0, 109)}…` : flat;
  };
  return `${file}:${line}  ${rule}: ${short(before)} → ${short(after) || "(nothing)"}`;
}

async function main(): Promise<number> {
  const options = readOptions();
  const mutants = draw(options);
  const wanted = options.at === undefined ? Math.min(options.mutants, mutants.length) : mutants.length;
  if (mutants.length === 0) {
    usageError(USAGE, "There is no mutant in that place.");
  }
  if (options.list) {
    mutants.slice(0, wanted).map(describe).forEach(say);
    return 0;
  }
  const endAt = Date.now() + options.minutes * 60_000;
  const workspaces: Workspace[] = [];
  const stop = () => {
    for (const workspace of workspaces.splice(0)) {
      workspace.stop();
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stop();
      process.exit(1);
    });
  }
  try {
    for (let worker = 0; worker < Math.min(options.workers, wanted); worker++) {
      workspaces.push(await createWorkspace());
    }
    const [first] = workspaces as [Workspace];
    const baseline = await runBaseline(first, Object.keys(MODULES).flatMap(filesOf), say);
    if (!baseline) {
      process.stderr.write(`${first.failure()}\nThe unchanged project fails, so no mutant can be judged.\n`);
      return 1;
    }
    report(await tryAll(workspaces, baseline, mutants, wanted, endAt, options.limit), wanted);
    return 0;
  } finally {
    stop();
  }
}

async function tryAll(
  workspaces: Workspace[],
  baseline: Baseline,
  mutants: Mutant[],
  wanted: number,
  endAt: number,
  limitSeconds: number,
): Promise<Judged[]> {
  const seconds = baseline.tests.reduce((sum, test) => sum + test.seconds, 0);
  say(`${baseline.tests.length} test files, which take ${Math.round(seconds)} s`);
  const affinity = affinityTo(
    new Map(baseline.tests.map(({ file }) => [file, readFileSync(join(ROOT, file), "utf8")])),
  );
  const queue = mutants.values();
  const judged: Judged[] = [];
  const kills: Kills = new Map();
  const valid = () => judged.filter(({ verdict }) => verdict !== "does not compile").length;
  let inProgress = 0;
  const work = async (workspace: Workspace) => {
    while (valid() + inProgress < wanted && Date.now() < endAt) {
      const mutant = queue.next().value;
      if (!mutant) {
        return;
      }
      inProgress++;
      const start = Date.now();
      const why = whyEquivalent(mutant, workspace.read(mutant.file));
      const judgment: Judgment = why
        ? { verdict: "equivalent", detail: why }
        : await judge(workspace, mutant, baseline, affinity, kills, limitSeconds);
      inProgress--;
      judged.push({ mutant, ...judgment });
      const taken = `${Math.round((Date.now() - start) / 1000)} s`;
      say(`${String(valid()).padStart(4)}  ${judgment.verdict}  ${describe(mutant)}  [${taken}; ${judgment.detail}]`);
    }
  };
  await Promise.all(workspaces.map(work));
  return judged;
}

function report(judged: Judged[], wanted: number): void {
  const of = (...verdicts: string[]) => judged.filter(({ verdict }) => verdicts.includes(verdict));
  const invalid = of("does not compile").length;
  const tried = judged.length - invalid;
  const equivalent = of("equivalent").length;
  const noticed = of("killed", "timed out").length;
  const share = (100 * noticed) / Math.max(tried - equivalent, 1);
  say(`
${tried} mutants${tried < wanted ? ` (time was up before ${wanted})` : ""}; ${invalid} more do not compile.
${of("killed").length} killed, ${of("timed out").length} timed out, ${of("survived", "not covered").length} survived, ${of("undecided").length} undecided, ${equivalent} equivalent: ${share.toFixed(1)} % of the others noticed
`);
  for (const { verdict, mutant, detail } of of("survived", "not covered", "undecided", "timed out", "equivalent")) {
    say(`${verdict}  ${describe(mutant)}  [${detail}]`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main();
