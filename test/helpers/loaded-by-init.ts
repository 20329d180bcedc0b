import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/**
 * Initializes bundles, one after the other, in a separate process, as Lambda does with each.
 *
 * @returns after each bundle, the built-in modules that are loaded by then, as named in `process.moduleLoadList`
 */
export async function* loadedByInit(files: string[], env: Record<string, string>): AsyncGenerator<string[]> {
  const code = `globalThis.awslambda = { streamifyResponse: (handler) => handler }; // provided by Lambda's runtime
    for (const file of ${JSON.stringify(files.map((file) => pathToFileURL(file).href))}) {
      await import(file);
      process.stdout.write(JSON.stringify(process.moduleLoadList) + "\\n");
      await new Promise((next) => process.stdin.once("data", next));
    }
    process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    yield JSON.parse(line) as string[];
    child.stdin.write("next\n");
  }
}
