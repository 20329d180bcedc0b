import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../../shared/command-line.ts";
import { limitsOf } from "./limits-of.ts";

const USAGE = `Compares synthesized templates with AWS's documented limits that grow with the service and that cfn-lint
(npm run check:templates) does not check, as far as this is possible without an account. The closest limit is first.

  npm run check:limits              the templates in cdk.out, where npm run synth writes them
  npm run check:limits -- FOLDER    those in another folder

References count as 150 characters.
Exit code: 0 within all limits, 1 when a limit is exceeded, 2 for an invalid command line.
`;

const { positionals } = readArguments(USAGE, { allowPositionals: true });
const [assembly = "cdk.out"] = positionals;
for (const file of readdirSync(assembly).filter((name) => name.endsWith(".template.json"))) {
  const limits = limitsOf(JSON.parse(readFileSync(join(assembly, file), "utf8")));
  process.stdout.write(`${file}\n\n| limit | at most | here | % | closest | source |\n|---|---|---|---|---|---|\n`);
  for (const { limit, source, value, most, where } of limits) {
    process.stdout.write(
      `| ${limit} | ${most} | ${value} | ${Math.round((100 * value) / most)} | ${where} | ${source} |\n`,
    );
  }
  if (limits.some(({ value, most }) => value > most)) {
    process.exitCode = 1;
  }
}
