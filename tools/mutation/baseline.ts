import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OTHER_TESTS, TESTS } from "./modules.ts";
import { insertProbes, type Region } from "./probes.ts";
import type { FileResult, Workspace } from "./workspace.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const CACHE = join(ROOT, ".build", "mutation-baseline.json");
const FILE_SECONDS = 900;

/** How the tests do without a mutant. */
export interface Baseline {
  /** The regions of each source file. */
  regions: Map<string, Region[]>;
  tests: FileResult[];
}

/**
 * Runs each test file once with probes in the sources: how long it takes, and which regions it reaches. Results are kept
 * in `.build` and used again as long as neither the test file nor anything but tests has changed.
 *
 * @param sources all files that can be mutated
 * @returns undefined if the unchanged project does not compile or no test passes
 */
export async function runBaseline(
  workspace: Workspace,
  sources: string[],
  say: (text: string) => void,
): Promise<Baseline | undefined> {
  const originals = new Map(sources.map((file) => [file, workspace.read(file)]));
  const regions = new Map<string, Region[]>();
  const probed = new Map<string, string>();
  let nextProbe = 0;
  for (const [file, original] of originals) {
    const result = insertProbes(original, workspace.probeLog, nextProbe);
    regions.set(file, result.regions);
    probed.set(file, result.source);
    nextProbe += result.regions.length;
  }
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate"], { cwd: ROOT });
  const files = listed.toString().trim().split("\n");
  const tests = files.filter((file) => TESTS.test(file) && !OTHER_TESTS.test(file));
  const rest = files.filter((file) => !file.endsWith(".test.ts") && !/\.md$|^tools\/mutation\//.test(file));
  const contents = rest.map((file) => `${file}\n${readFileSync(join(ROOT, file))}`);
  const project = hash([JSON.stringify([...regions]), ...contents].join("\n"));
  const key = (file: string) => `${project} ${hash(readFileSync(join(ROOT, file), "utf8"))}`;

  const cache = readCache();
  const known = tests.flatMap((file) => (cache[file]?.key === key(file) ? [cache[file].result] : []));
  const unknown = tests.filter((file) => !known.some((result) => result.file === file));
  if (unknown.length > 0) {
    if (!(await workspace.checkTypes())) {
      return undefined;
    }
    probed.forEach((source, file) => {
      workspace.write(file, source);
    });
    if (!(await workspace.bundle())) {
      return undefined;
    }
    say(`measuring ${unknown.length} test files without a mutant`);
    const { files: results } = await workspace.test(unknown, () => FILE_SECONDS, true);
    originals.forEach((source, file) => {
      workspace.write(file, source);
    });
    await workspace.bundle();
    // A failure under load, or because of a probe, is not one of the project.
    const failed = results.filter(({ passed }) => !passed);
    const again =
      failed.length > 0
        ? (
            await workspace.test(
              failed.map(({ file }) => file),
              () => FILE_SECONDS,
              true,
            )
          ).files
        : [];
    for (const result of results) {
      result.passed ||= again.some(({ file, passed }) => file === result.file && passed);
      if (result.passed) {
        cache[result.file] = { key: key(result.file), result };
      }
    }
    known.push(...results);
    mkdirSync(dirname(CACHE), { recursive: true });
    writeFileSync(CACHE, JSON.stringify(cache));
  }
  const passing = known.filter(({ passed }) => passed);
  for (const file of tests.filter((name) => !passing.some((result) => result.file === name))) {
    say(`left out: ${file} fails without a mutant`);
  }
  return passing.length > 0 ? { regions, tests: passing } : undefined;
}

function readCache(): Record<string, { key: string; result: FileResult }> {
  try {
    return JSON.parse(readFileSync(CACHE, "utf8"));
  } catch {
    return {};
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
