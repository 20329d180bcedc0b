import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Error thrown when the AWS CLI is missing or fails. The message is one sentence. */
export class AwsError extends Error {
  override readonly name = "AwsError";
}

/**
 * Runs the AWS CLI with the credentials and the region of the environment.
 *
 * @returns its parsed output; undefined if the requested resource does not exist
 * @throws AwsError
 */
export async function aws<T>(...args: string[]): Promise<T | undefined> {
  try {
    const { stdout } = await promisify(execFile)("aws", [...args, "--output", "json"]);
    return JSON.parse(stdout) as T;
  } catch (error) {
    const { code, stderr = "" } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === "ENOENT") {
      throw new AwsError("The AWS CLI (the command aws) was not found; install it and sign in.");
    }
    if (/does not exist/.test(stderr)) {
      return undefined;
    }
    throw new AwsError(`aws ${args.slice(0, 2).join(" ")} failed: ${stderr.trim().split("\n").at(-1) ?? ""}`);
  }
}
