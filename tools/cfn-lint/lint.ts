import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { readArguments } from "../../shared/command-line.ts";
import { installFromPyPi } from "../pypi.ts";

const USAGE = `Checks templates with cfn-lint, which it installs from PyPI on first use.

  npm run check:templates                         the templates in cdk.out, where npm run synth writes them
  npm run check:templates -- FOLDER OR FILE ...   other templates

If cfn-lint cannot be installed, one line says so and nothing is checked.
Exit code: 0 without findings or without cfn-lint, 1 with findings, 2 for an invalid command line.
`;

const CFN_LINT = "cfn-lint==1.58.0";

/** Rules whose findings are ignored: why, and how it was verified that this hides no mistake. */
const IGNORED: Record<string, { reason: string; verified: string }> = {
  W3005: {
    reason: "the CDK declares dependencies that references already imply",
    verified:
      "all 667 findings in the templates of all kinds of stacks name a DependsOn that repeats a Ref or Fn::GetAtt",
  },
};

/** Findings that cfn-lint reports only if asked: actions on a resource that IAM cannot narrow them to. */
const INCLUDED = ["I3510"];

async function main(paths: string[]): Promise<number> {
  const installed = await installFromPyPi(CFN_LINT, "cfn-lint");
  if ("missing" in installed) {
    process.stdout.write(`Skipped: ${CFN_LINT} cannot be installed here, so the templates were not checked with it.\n`);
    return 0;
  }
  const templates = paths.flatMap((path) =>
    path.endsWith(".json") ? [path] : globSync(join(path, "**", "*.template.json")),
  );
  const checks = ["--ignore-checks", ...Object.keys(IGNORED), "--include-checks", ...INCLUDED];
  const args = [...checks, "--regions", "us-east-1", "--", ...templates];
  const { stdout, code } = await promisify(execFile)(installed.program, args, { maxBuffer: 1e8 }).then(
    (result) => ({ ...result, code: 0 }),
    (error) => ({ stdout: String(error.stdout || error.stderr), code: 1 }),
  );
  process.stdout.write(code === 0 ? `${CFN_LINT}: ${templates.length} templates without a finding.\n` : stdout);
  return code;
}

const { positionals } = readArguments(USAGE, { allowPositionals: true });
process.exitCode = await main(positionals.length > 0 ? positionals : ["cdk.out"]);
