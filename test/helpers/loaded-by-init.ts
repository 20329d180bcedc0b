import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

/**
 * Initializes a bundle in a separate process, as Lambda does.
 *
 * @returns the built-in modules loaded after initialization, as named in `process.moduleLoadList`
 */
export async function loadedByInit(file: string, env: Record<string, string>): Promise<string[]> {
  const code = `globalThis.awslambda = { streamifyResponse: (handler) => handler }; // provided by Lambda's runtime
    await import(${JSON.stringify(pathToFileURL(file).href)});
    process.stdout.write(JSON.stringify(process.moduleLoadList), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], { env });
  return JSON.parse(stdout) as string[];
}
