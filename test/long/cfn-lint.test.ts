import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "@jest/globals";
import { stageAssemblies } from "../helpers/template/stages.ts";
import type { Properties } from "../helpers/template/template.ts";

const LINT = join(import.meta.dirname, "../../tools/cfn-lint/lint.ts");
const ROLE = join(import.meta.dirname, "../../.github/pipeline-role.json");
const folder = mkdtempSync(join(tmpdir(), "cfn-lint-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The words in a part of a template, among which are the IDs of what it refers to. */
const wordsIn = (part: unknown) => JSON.stringify(part).match(/\w+/g) ?? [];

/** A resource or an output as a text, which is the same for all stages that have it just so. */
const textOf = (entry: [id: string, value: unknown]) => JSON.stringify(entry).replaceAll(/\b(dev|staging|prod)\b/g, "");

/**
 * Writes the templates of all kinds of stacks, each without the resources and outputs that an earlier one has, too:
 * they are most of them, and cfn-lint takes ten seconds for a whole template. What a resource refers to stays beside
 * it.
 */
async function writeDistinct(): Promise<void> {
  const assemblies = await stageAssemblies();
  const seen = new Set<string>();
  for (const file of globSync("*/*.template.json", { cwd: assemblies })) {
    const { Resources = {}, Outputs = {}, ...rest } = JSON.parse(readFileSync(join(assemblies, file), "utf8"));
    const newOf = (part: Properties) => Object.entries(part).filter((entry) => !seen.has(textOf(entry)));
    const [resources, outputs] = [newOf(Resources), newOf(Outputs)];
    const needed = new Set([...resources.map(([id]) => id), ...wordsIn(outputs)].filter((id) => id in Resources));
    for (const id of needed) {
      for (const word of wordsIn(Resources[id]).filter((other) => other in Resources)) {
        needed.add(word); // which this loop goes on with
      }
    }
    const kept = Object.fromEntries([...needed].map((id) => [id, Resources[id]]));
    const distinct = { ...rest, Resources: kept, Outputs: Object.fromEntries(outputs) };
    writeFileSync(join(folder, file.replaceAll(/[\\/]/g, "-")), JSON.stringify(distinct));
    for (const entry of [...resources, ...outputs]) {
      seen.add(textOf(entry));
    }
  }
}

test("cfn-lint finds nothing in any stage, profile or option, or reports that it cannot be installed here", async () => {
  await writeDistinct();
  const { stdout } = await promisify(execFile)(process.execPath, [LINT, folder, ROLE]).catch((error) => error);
  if (stdout.startsWith("Skipped")) {
    process.stderr.write(stdout);
  }
  expect(stdout).toMatch(
    /^(cfn-lint==\S+: \d+ templates without a finding\.|Skipped: cfn-lint==\S+ cannot be installed here.*)\n$/,
  );
}, 1_800_000); // on a busy machine, the stacks alone take minutes
