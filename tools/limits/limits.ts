import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { limitsOf } from "./limits-of.ts";

/**
 * `npm run check:limits -- <assembly>`: how close a synthesized template comes to AWS's documented limits, as far as they
 * can be seen without an account. References count as 150 characters. Exit code 1 when a limit is exceeded.
 */
const [assembly = "cdk.out"] = process.argv.slice(2);
for (const file of readdirSync(assembly).filter((name) => name.endsWith(".template.json"))) {
  const path = join(assembly, file);
  process.stdout.write(`${file}\n\n| limit | at most | here | % | closest | source |\n|---|---|---|---|---|---|\n`);
  for (const { limit, source, value, most, where } of limitsOf(
    JSON.parse(readFileSync(path, "utf8")),
    statSync(path).size,
  )) {
    const percent = Math.round((100 * value) / most);
    process.stdout.write(`| ${limit} | ${most} | ${value} | ${percent} | ${where} | ${source} |\n`);
    if (value > most) {
      process.exitCode = 1;
    }
  }
}
