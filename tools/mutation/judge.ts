import type { Affinity } from "./affinity.ts";
import type { Baseline } from "./baseline.ts";
import { type Mutant, mutate } from "./mutants.ts";
import { probeAt } from "./probes.ts";
import type { FileResult, Workspace } from "./workspace.ts";

/** Tests without bundles that take less time than this run before the functions are bundled. */
const QUICK_SECONDS = 10;

export interface Judgment {
  verdict: "killed" | "survived" | "timed out" | "not covered" | "undecided" | "does not compile" | "equivalent";
  /** The test that killed it, the number of test files that ran, or why it is equivalent. */
  detail: string;
}

/** How often a test file killed a mutant of a source file: `<source> <test>`. */
export type Kills = Map<string, number>;

/**
 * Runs the tests that reach a mutant until one fails: first those that are quick, killed mutants of the file before, or
 * have words in common with the code around the mutant.
 *
 * @param limitSeconds the total time of the tests, as measured in the baseline, that are run for one mutant
 */
export async function judge(
  workspace: Workspace,
  mutant: Mutant,
  { regions, tests }: Baseline,
  affinity: Affinity,
  kills: Kills,
  limitSeconds: number,
): Promise<Judgment> {
  const probe = probeAt(regions.get(mutant.file) ?? [], mutant);
  const killsBy = (file: string) => kills.get(`${mutant.file} ${file}`) ?? 0;
  const original = workspace.read(mutant.file);
  const related = affinity(mutant.file, original, mutant.line);
  const cost = ({ file, seconds }: FileResult) =>
    (1 + seconds) / ((1 + killsBy(file)) * (0.05 + (related.get(file) ?? 0)) ** 2);
  const ordered = tests
    .filter(({ inProcess, bundled }) => inProcess.includes(probe) || bundled.includes(probe))
    .sort((a, b) => cost(a) - cost(b));
  let total = 0;
  const reaching = ordered.filter(({ seconds }, index) => {
    total += seconds;
    return index === 0 || total <= limitSeconds;
  });
  const quick = reaching.filter(({ bundled, seconds }) => bundled.length === 0 && seconds < QUICK_SECONDS);
  const others = reaching.filter((one) => !quick.includes(one));

  workspace.write(mutant.file, mutate(original, mutant));
  try {
    if (!(await workspace.checkTypes())) {
      return { verdict: "does not compile", detail: "" };
    }
    if (ordered.length === 0) {
      return { verdict: "not covered", detail: "no test reaches it" };
    }
    for (const files of [quick, others]) {
      if (files.length === 0) {
        continue;
      }
      if (files.some(({ bundled }) => bundled.length > 0) && !(await workspace.bundle())) {
        return { verdict: "killed", detail: "the functions cannot be bundled" };
      }
      const { outcome, killer } = await workspace.test(
        files.map(({ file }) => file),
        (file) => 60 + 5 * (files.find((one) => one.file === file)?.seconds ?? 0),
      );
      if (outcome !== "passed") {
        const { file = "", test = "the process ended" } = killer ?? {};
        kills.set(`${mutant.file} ${file}`, killsBy(file) + 1);
        return { verdict: outcome === "failed" ? "killed" : outcome, detail: `${file}: ${test}` };
      }
    }
    const left = ordered.length - reaching.length;
    return left === 0
      ? { verdict: "survived", detail: `${ordered.length} test files` }
      : {
          verdict: "undecided",
          detail: `${reaching.length} test files; not run: ${ordered
            .filter((one) => !reaching.includes(one))
            .map(({ file }) => file)
            .join(", ")}`,
        };
  } finally {
    workspace.write(mutant.file, original);
  }
}
