import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const ASSEMBLY = ".build/test-cdk.out";
const CONFIG = ".build/jest.json";
const TYPES = "tsconfig.mutation.json";
const RESULTS = ".build/jest-results.json";
const JEST = [
  "--experimental-vm-modules",
  "--disable-warning=ExperimentalWarning",
  "node_modules/jest/bin/jest.js",
  "--config",
  CONFIG,
  "--runInBand",
  "--silent",
  "--passWithNoTests",
];

/** How a program in the workspace ended. */
export type Outcome = "passed" | "failed" | "timed out";

/** A copy of the project in which sources can be changed and tests run, without touching the project itself. */
export interface Workspace {
  read(file: string): string;
  write(file: string, source: string): void;
  /** Checks the types of what is deployed. */
  checkTypes(): Promise<Outcome>;
  /** Bundles the functions, which tests of the service run. */
  bundle(): Promise<Outcome>;
  /**
   * Runs all tests whose paths match.
   *
   * @returns the files of those that fail, which {@link test} leaves out from then on; undefined if none could be run
   */
  leaveOutFailing(patterns: string[], timeoutSeconds: number): Promise<string[] | undefined>;
  /** Runs the tests whose paths match; the first failure ends them. */
  test(patterns: string[], timeoutSeconds: number): Promise<Outcome>;
  /** What the last program that failed said. */
  failure(): string;
  /** Ends what runs, and deletes the copy. */
  stop(): void;
}

/**
 * Copies the project as it stands, uncommitted files included, and synthesizes its template.
 *
 * @throws Error when the template cannot be synthesized
 */
export async function createWorkspace(): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-mutation-"));
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"], { cwd: ROOT });
  for (const file of listed.toString().split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  // The template is synthesized once; without the setup that would do it again, tests find it in the environment.
  const { globalSetup: _, testMatch, ...config } = JSON.parse(readFileSync(join(ROOT, "jest.config.json"), "utf8"));
  mkdirSync(join(folder, dirname(CONFIG)), { recursive: true });
  writeFileSync(join(folder, CONFIG), JSON.stringify({ ...config, testMatch, rootDir: folder, maxWorkers: 1 }));
  writeFileSync(join(folder, TYPES), '{ "extends": "./tsconfig.json", "include": ["functions", "shared"] }');

  const running = new Set<ChildProcess>();
  let lastFailure = "";
  let leftOut: string[] = [];
  const run = async (args: string[], timeoutSeconds: number): Promise<Outcome> => {
    const env = {
      ...process.env,
      TEST_CLOUD_ASSEMBLY: join(folder, ASSEMBLY),
      TMPDIR: join(folder, ".build"),
      MODEL_STEPS: "500", // of the model-based test: enough for a change that breaks something often
    };
    // A group of its own, so that nothing that a test started is left behind.
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    running.add(child);
    let said = "";
    for (const output of [child.stdout, child.stderr]) {
      output.on("data", (text) => {
        said = `${said}${text}`.slice(-20_000);
      });
    }
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child);
    }, timeoutSeconds * 1000);
    const [code] = await once(child, "exit");
    clearTimeout(timer);
    running.delete(child);
    endGroup(child);
    lastFailure = code === 0 ? lastFailure : said;
    return late ? "timed out" : code === 0 ? "passed" : "failed";
  };
  const workspace: Workspace = {
    read: (file) => readFileSync(join(folder, file), "utf8"),
    write: (file, source) => writeFileSync(join(folder, file), source),
    checkTypes: () => run(["node_modules/typescript/bin/tsc", "--project", TYPES], 300),
    bundle: () => run(["tools/mutation/rebundle.ts", join(folder, ASSEMBLY)], 300),
    leaveOutFailing: async (patterns, timeoutSeconds) => {
      rmSync(join(folder, RESULTS), { force: true });
      await run([...JEST, "--json", "--outputFile", RESULTS, ...patterns], timeoutSeconds);
      try {
        const { testResults } = JSON.parse(readFileSync(join(folder, RESULTS), "utf8"));
        const failed = testResults.filter(({ status }: { status: string }) => status === "failed");
        leftOut = failed.map(({ name }: { name: string }) => name.slice(folder.length + 1));
        return failed.length < testResults.length ? leftOut : undefined;
      } catch {
        return undefined;
      }
    },
    test: (patterns, timeoutSeconds) =>
      run(
        [...JEST, "--bail", ...leftOut.flatMap((file) => ["--testPathIgnorePatterns", file]), "--", ...patterns],
        timeoutSeconds,
      ),
    failure: () => lastFailure,
    stop: () => {
      for (const child of running) {
        endGroup(child);
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  const synthesized = await run(
    ["--input-type=module", "--eval", `await (await import("./local/synthesize.ts")).synthesize("${ASSEMBLY}")`],
    300,
  );
  if (synthesized !== "passed") {
    workspace.stop();
    throw new Error(`The template of the copied project could not be synthesized: ${lastFailure}`);
  }
  return workspace;
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), "SIGKILL");
  } catch {
    // it has ended
  }
}
