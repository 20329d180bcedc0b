import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * The options of the CDK that store the checked-out commit in the stack, unless the arguments name one.
 *
 * @param folder the repository
 * @param args of the command line
 * @returns none, with a message, if the commit is not what is deployed
 */
export async function commitContext(folder: string, args: string[]): Promise<string[]> {
  if (args.some((arg) => arg.startsWith("commit="))) {
    return [];
  }
  const git = async (...command: string[]) =>
    (await promisify(execFile)("git", command, { cwd: folder })).stdout.trim();
  const uncommitted = await git("status", "--porcelain").catch(() => "everything");
  if (uncommitted === "") {
    return ["-c", `commit=${await git("rev-parse", "HEAD")}`];
  }
  process.stderr.write(
    "There are changes that are not committed, so the stack gets no output Commit, and the pipeline cannot return to " +
      "this deployment if its next one fails. Commit and push them, and deploy again.\n",
  );
  return [];
}
