import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { stageAssemblies } from "../helpers/template/stages.ts";

const LINT = join(import.meta.dirname, "../../tools/cfn-lint/lint.ts");
const ROLE = join(import.meta.dirname, "../../.github/pipeline-role.json");

test("cfn-lint finds nothing in any stage, profile or option, or reports that it cannot be installed here", async () => {
  const paths = [await stageAssemblies(), ROLE];
  const { stdout } = await promisify(execFile)(process.execPath, [LINT, ...paths]).catch((error) => error);
  if (stdout.startsWith("Skipped")) {
    process.stderr.write(stdout);
  }
  expect(stdout).toMatch(
    /^(cfn-lint==\S+: \d+ templates without a finding\.|Skipped: cfn-lint==\S+ cannot be installed here.*)\n$/,
  );
}, 600_000);
