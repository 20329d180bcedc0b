import { execFileSync } from "node:child_process";

const TYPES = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];
const SUBJECT = new RegExp(`^(${TYPES.join("|")})(\\([\\w./-]+\\))?!?: \\S`);
const SUBJECT_LENGTH = 100;

/**
 * Checks a commit's subject against Conventional Commits 1.0.0. Subjects that Git generates for merges and reverts are
 * accepted.
 *
 * @returns what is wrong with it; undefined if nothing is
 */
export function problemOf(subject: string): string | undefined {
  if (/^(Merge|Revert) /.test(subject)) {
    return undefined;
  }
  if (!SUBJECT.test(subject)) {
    return `must have the form "type(scope): description"; the types are ${TYPES.join(", ")}`;
  }
  return subject.length > SUBJECT_LENGTH ? `must have at most ${SUBJECT_LENGTH} characters` : undefined;
}

/** `node tools/check-commits.ts <range>`: checks the commits of a range such as `main..HEAD`. */
if (import.meta.main) {
  const range = process.argv[2] ?? "main..HEAD";
  const commits = execFileSync("git", ["log", "--format=%h %s", "--end-of-options", range], { encoding: "utf8" });
  for (const line of commits.split("\n").filter(Boolean)) {
    const [, hash = "", subject = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    const problem = problemOf(subject);
    if (problem) {
      process.stderr.write(`${hash} "${subject}": ${problem}\n`);
      process.exitCode = 1;
    }
  }
}
