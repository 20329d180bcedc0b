import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../command-line.ts";
import { limitsOf } from "./limits-of.ts";

const USAGE = `Compares synthesized templates with AWS's documented limits, as far as this is possible without an account.

  npm run check:limits              the templates in cdk.out, where npm run synth writes them
  npm run check:limits -- FOLDER    those in another folder

References count as 150 characters.
Exit code: 0 within all limits, 1 when a limit is exceeded, 2 for an invalid command line.
`;

const { positionals } = readArguments(USAGE, { allowPositionals: true });
const [assembly = "cdk.out"] = positionals;
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
