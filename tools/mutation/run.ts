/**
 * `npm run mutation`: changes the core modules in small ways, one at a time, and runs the tests that concern each
 * change. A change that no test notices shows what the tests do not assert.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MODULES, type Module, PROSE } from "./modules.ts";
import { type Mutant, mutantsOf, mutate } from "./mutants.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

const USAGE = `Tests the tests: makes small changes to the core modules and says which of them no test notices.

  npm run mutation -- --mutants 150 --seed 1 --minutes 60

  --mutants N   how many changes to try, drawn at random: 150
  --seed N      the draw; the same seed and sources give the same changes: 1
  --minutes N   begins no further change after this time: 60
  --workers N   changes tried at once, each in a copy of the project: 1
  --module M    only this module: ${MODULES.map(({ name }) => name).join(", ")}
  --at F:L      only changes of file F, at line L if given; with it, all of them are tried
  --list        prints the changes, and tries none

The project itself is not touched. A change that does not compile is replaced by another.
Exit code: 0 when it ran to its end or its time, 1 when the unchanged project fails its tests, 2 for wrong options.
`;

const ROOT = join(import.meta.dirname, "..", "..");

/** Far more than the tests of any module take; a change may make them wait for ever. */
const IN_PROCESS_SECONDS = 300;
const BUNDLED_SECONDS = 900;
const BASELINE_SECONDS = 3_600;

type Verdict = "killed" | "survived" | "timed out" | "does not compile";

interface Options {
  mutants: number;
  seed: number;
  minutes: number;
  workers: number;
  module: string | undefined;
  at: string | undefined;
  list: boolean;
}

/** Undefined when only the usage is asked for. */
function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      mutants: { type: "string", default: "150" },
      seed: { type: "string", default: "1" },
      minutes: { type: "string", default: "60" },
      workers: { type: "string", default: "1" },
      module: { type: "string" },
      at: { type: "string" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const whole = (name: "mutants" | "seed" | "minutes" | "workers") => {
    if (!/^[1-9]\d{0,6}$/.test(values[name])) {
      throw new Error(`--${name} must be a whole number, at least 1.`);
    }
    return Number(values[name]);
  };
  if (values.module !== undefined && !MODULES.some(({ name }) => name === values.module)) {
    throw new Error(`There is no module with that name; there are ${MODULES.map(({ name }) => name).join(", ")}.`);
  }
  const options = {
    mutants: whole("mutants"),
    seed: whole("seed"),
    minutes: whole("minutes"),
    workers: whole("workers"),
    module: values.module,
    at: values.at,
    list: values.list,
  };
  return values.help ? undefined : options;
}

/** Every change of the modules that are asked for, in an order drawn by the seed. */
function draw({ seed, module, at }: Options, read: (file: string) => string): { mutant: Mutant; module: Module }[] {
  const [file, line] = at?.split(":") ?? [];
  const all = MODULES.filter(({ name }) => module === undefined || name === module).flatMap((one) =>
    filesOf(one)
      .filter((name) => file === undefined || name === file)
      .flatMap((name) => mutantsOf(name, read(name)))
      .filter((mutant) => line === undefined || mutant.line === Number(line))
      .map((mutant) => ({ mutant, module: one })),
  );
  const random = generator(seed);
  return all
    .map((one) => ({ one, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

function filesOf({ sources }: Module): string[] {
  return sources
    .flatMap((source) =>
      source.endsWith("/") ? readdirSync(join(ROOT, source)).map((name) => `${source}${name}`) : [source],
    )
    .filter((file) => file.endsWith(".ts") && !PROSE.test(file));
}

/** Mulberry32: a small generator of numbers from 0 to 1 that depends on nothing but its seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function judge(workspace: Workspace, mutant: Mutant, { inProcess, bundled }: Module): Promise<Verdict> {
  const original = workspace.read(mutant.file);
  workspace.write(mutant.file, mutate(original, mutant));
  try {
    const quick = await workspace.test(inProcess, IN_PROCESS_SECONDS);
    if (quick !== "passed") {
      return quick === "failed" ? "killed" : quick;
    }
    if ((await workspace.checkTypes()) !== "passed") {
      return "does not compile";
    }
    if ((await workspace.bundle()) !== "passed") {
      return "killed";
    }
    const slow = await workspace.test(bundled, BUNDLED_SECONDS);
    return slow === "passed" ? "survived" : slow === "failed" ? "killed" : slow;
  } finally {
    workspace.write(mutant.file, original);
  }
}

/**
 * Runs the tests on the unchanged project. One that fails there would seem to notice every change, so it is left out.
 *
 * @returns whether changes can be judged
 */
async function prepare(workspace: Workspace, modules: Set<Module>): Promise<boolean> {
  if ((await workspace.checkTypes()) !== "passed" || (await workspace.bundle()) !== "passed") {
    return false;
  }
  const patterns = [...modules].flatMap(({ inProcess, bundled }) => [...inProcess, ...bundled]);
  const failing = await workspace.leaveOutFailing([...new Set(patterns)], BASELINE_SECONDS);
  for (const file of failing ?? []) {
    say(`left out: ${file} fails without a change`);
  }
  return failing !== undefined;
}

function describe({ file, line, rule, before, after }: Mutant): string {
  const short = (text: string) => {
    const flat = text.replaceAll(/\s+/g, " ").trim();
    return flat.length > 110 ? `${flat.slice(0, 109)}…` : flat;
  };
  return `${file}:${line}  ${rule}: ${short(before)} → ${short(after) || "(nothing)"}`;
}

async function main(): Promise<number> {
  let options: Options | undefined;
  try {
    options = readOptions();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (!options) {
    say(USAGE);
    return 0;
  }
  const drawn = draw(options, (file) => readFileSync(join(ROOT, file), "utf8"));
  const wanted = options.at === undefined ? options.mutants : drawn.length;
  if (drawn.length === 0) {
    process.stderr.write(`Nothing can be changed there.\n\n${USAGE}`);
    return 2;
  }
  if (options.list) {
    for (const { mutant } of drawn.slice(0, wanted)) {
      say(describe(mutant));
    }
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
    const modules = new Set(drawn.slice(0, wanted).map(({ module }) => module));
    for (const workspace of workspaces) {
      if (!(await prepare(workspace, modules))) {
        process.stderr.write(`${workspace.failure()}\nThe unchanged project fails, so no change can be judged.\n`);
        return 1;
      }
    }
    const queue = drawn.values();
    const judged: { mutant: Mutant; verdict: Verdict }[] = [];
    const valid = () => judged.filter(({ verdict }) => verdict !== "does not compile").length;
    let underWay = 0;
    const work = async (workspace: Workspace) => {
      while (valid() + underWay < wanted && Date.now() < endAt) {
        const next = queue.next().value;
        if (!next) {
          return;
        }
        underWay++;
        const verdict = await judge(workspace, next.mutant, next.module);
        underWay--;
        judged.push({ mutant: next.mutant, verdict });
        say(`${String(valid()).padStart(4)}  ${verdict.padEnd(9)}  ${describe(next.mutant)}`);
      }
    };
    await Promise.all(workspaces.map(work));
    report(judged, wanted);
    return 0;
  } finally {
    stop();
  }
}

function report(judged: { mutant: Mutant; verdict: Verdict }[], wanted: number): void {
  const of = (verdict: Verdict) => judged.filter((one) => one.verdict === verdict);
  const [killed, survived, late] = [of("killed").length, of("survived").length, of("timed out").length];
  const tried = killed + survived + late;
  say(`
${tried} changes: ${killed} killed, ${survived} survived, ${late} timed out (noticed, too); ${of("does not compile").length} more do not compile.${tried < wanted ? ` The time was over before ${wanted}.` : ""}
`);
  for (const { mutant } of of("survived")) {
    say(`survived   ${describe(mutant)}`);
  }
  for (const { mutant } of of("timed out")) {
    say(`timed out  ${describe(mutant)}`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main();
