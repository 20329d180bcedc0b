import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

/**
 * Initializes a bundle in a process of its own, as Lambda does.
 *
 * @returns which of Node's own modules it has loaded by then, as `process.moduleLoadList` names them
 */
export async function loadedByInit(file: string, env: Record<string, string>): Promise<string[]> {
  const code = `globalThis.awslambda = { streamifyResponse: (handler) => handler }; // which Lambda's runtime provides
    await import(${JSON.stringify(pathToFileURL(file).href)});
    process.stdout.write(JSON.stringify(process.moduleLoadList), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], { env });
  return JSON.parse(stdout) as string[];
}
