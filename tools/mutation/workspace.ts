import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(import.meta.dirname, "..", "..");
const ASSEMBLY = ".build/test-cdk.out";
const CONFIG = ".build/jest.json";
const TYPES = "tsconfig.mutation.json";
const PROBE_LOG = ".build/probes.log";
const TEMPORARY = ".build/tmp";
const JEST = [
  "--experimental-vm-modules",
  "--disable-warning=ExperimentalWarning",
  "node_modules/jest/bin/jest.js",
  "--config",
  CONFIG,
  "--runInBand",
  "--silent",
  "--runTestsByPath",
];

/** Until the first test file begins, and for a program other than Jest. */
const START_SECONDS = 120;

/** How a test file ended without a mutant. */
export interface FileResult {
  file: string;
  passed: boolean;
  seconds: number;
  /** The probes that were reached: in Jest's own process, and in bundled functions or other processes. */
  inProcess: number[];
  bundled: number[];
}

export interface TestRun {
  outcome: "passed" | "failed" | "timed out";
  /** The first test that failed, or the file that timed out. */
  killer: { file: string; test: string } | undefined;
  files: FileResult[];
}

/** A copy of the project in which sources can be changed and tests run without touching the project itself. */
export interface Workspace {
  /** Where probes write what they report. */
  probeLog: string;
  read(file: string): string;
  write(file: string, source: string): void;
  /** Checks the types of what is deployed. */
  checkTypes(): Promise<boolean>;
  /** Bundles the functions, which tests of the service run. */
  bundle(): Promise<boolean>;
  /**
   * Runs test files in the given order.
   *
   * @param secondsFor the time limit of a file
   * @param keepGoing false to end at the first test that fails
   */
  test(files: string[], secondsFor: (file: string) => number, keepGoing?: boolean): Promise<TestRun>;
  /** The end of the output of the last program that failed. */
  failure(): string;
  /** Ends all processes and deletes the copy. */
  stop(): void;
}

/**
 * Copies the project as it stands, uncommitted files included, and synthesizes its template.
 *
 * @throws Error if the template cannot be synthesized
 */
export async function createWorkspace(): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-mutation-"));
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"], { cwd: ROOT });
  for (const file of listed.toString().split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, TEMPORARY), { recursive: true });
  writeFileSync(join(folder, CONFIG), JSON.stringify(jestConfig(folder)));
  writeFileSync(join(folder, TYPES), '{ "extends": "./tsconfig.json", "include": ["functions", "shared"] }');

  const running = new Set<ChildProcess>();
  let lastFailure = "";
  const run = async (args: string[], more: Record<string, string>, onLine: (line: string, child: Running) => void) => {
    const env = {
      ...process.env,
      TEST_CLOUD_ASSEMBLY: join(folder, ASSEMBLY),
      TEST_STAGE_ASSEMBLIES: join(folder, TEMPORARY),
      TMPDIR: join(folder, TEMPORARY),
      PROBE_LOG: join(folder, PROBE_LOG),
      MODEL_STEPS: "500", // of the model-based test
      ...more,
    };
    // In a process group of its own, so that everything a test started can be ended.
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    running.add(child);
    let output = "";
    let late = false;
    let timer: NodeJS.Timeout | undefined;
    const limit = (seconds: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        late = true;
        endGroup(child);
      }, seconds * 1000);
    };
    limit(START_SECONDS);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        output = `${output}${line}\n`.slice(-20_000);
        onLine(line, { limit });
      });
    }
    const [code] = await once(child, "exit");
    clearTimeout(timer);
    running.delete(child);
    endGroup(child);
    await new Promise((resolve) => setTimeout(resolve, 20)); // the rest of the output
    rmSync(join(folder, TEMPORARY), { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(join(folder, TEMPORARY));
    lastFailure = code === 0 ? lastFailure : output;
    return { passed: code === 0, late };
  };
  const program = async (...args: string[]) => (await run(args, {}, () => {})).passed;

  const workspace: Workspace = {
    probeLog: join(folder, PROBE_LOG),
    read: (file) => readFileSync(join(folder, file), "utf8"),
    write: (file, source) => writeFileSync(join(folder, file), source),
    checkTypes: () => program("node_modules/typescript/bin/tsc", "--project", TYPES),
    bundle: () => program("tools/mutation/rebundle.ts", join(folder, ASSEMBLY)),
    test: async (names, secondsFor, keepGoing = false) => {
      const files: FileResult[] = [];
      let current = "";
      let failed: string | undefined;
      const paths = names.map((name) => join(folder, name));
      const { passed, late } = await run(
        [...JEST, ...paths],
        keepGoing ? { KEEP_GOING: "1" } : {},
        (line, { limit }) => {
          const event = line.startsWith("@test ") ? parse(line.slice("@test ".length)) : undefined;
          if (event?.begins) {
            current = event.begins;
            limit(secondsFor(current));
          } else if (event?.failed) {
            failed ??= event.failed;
          } else if (event?.ended) {
            files.push(fileResult(event));
          }
        },
      );
      const killer = late || failed !== undefined ? { file: current, test: failed ?? "(no end)" } : undefined;
      return { outcome: late ? "timed out" : passed ? "passed" : "failed", killer, files };
    },
    failure: () => lastFailure,
    stop: () => {
      for (const child of running) {
        endGroup(child);
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  if (!(await program("--input-type=module", "--eval", SYNTHESIZE))) {
    workspace.stop();
    throw new Error(`The template of the copied project could not be synthesized: ${lastFailure}`);
  }
  return workspace;
}

interface Running {
  /** Starts the time limit anew. */
  limit(seconds: number): void;
}

/** As the tests' global setup does, which is left out here because once is enough. */
const SYNTHESIZE = `
const { synthesize } = await import("./local/synthesize.ts");
await synthesize("${ASSEMBLY}", { profile: "standard", alarms: "true", chatConcurrency: "400" });`;

function jestConfig(rootDir: string) {
  const { globalSetup, globalTeardown, ...config } = JSON.parse(readFileSync(join(ROOT, "jest.config.json"), "utf8"));
  return {
    ...config,
    rootDir,
    cacheDirectory: join(rootDir, ".build", "jest-cache"),
    maxWorkers: 1,
    reporters: [["<rootDir>/tools/mutation/reporter.mjs", { rootDir }]],
    testSequencer: "<rootDir>/tools/mutation/sequencer.mjs",
  };
}

interface Ended {
  ended: string;
  passed: boolean;
  seconds: number;
  /** Lines of the probes' log: `<process id> <probe>`. */
  reached: string[];
  jest: number;
}

function parse(line: string): ({ begins?: string; failed?: string } & Partial<Ended>) | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function fileResult({ ended = "", passed = false, seconds = 0, reached = [], jest }: Partial<Ended>): FileResult {
  const pairs = reached.filter(Boolean).map((line) => line.split(" ").map(Number));
  const probes = (own: boolean) => [
    ...new Set(pairs.filter(([pid]) => (pid === jest) === own).map(([, id]) => id ?? 0)),
  ];
  return { file: ended, passed, seconds, inProcess: probes(true), bundled: probes(false) };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), "SIGKILL");
  } catch {
    // it has ended
  }
}
