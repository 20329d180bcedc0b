import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readTemplate } from "../../local/template.ts";
import { readPage } from "../../shared/http/page.ts";

const MODULE = join(import.meta.dirname, "..", "..", "local", "cached-assembly.ts");

/** A context that no earlier run used. */
const CONTEXT = { crisisLine: randomUUID() };

interface Outcome {
  folder: string;
  made: boolean;
}

/** Calls `cachedAssembly` in a separate process. */
async function call(context: Record<string, string>): Promise<Outcome> {
  const program = `
    const { cachedAssembly } = await import(${JSON.stringify(MODULE)});
    let made = false;
    const folder = await cachedAssembly(${JSON.stringify(context)}, () => { made = true; });
    process.stdout.write(JSON.stringify({ folder, made }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return JSON.parse(stdout);
}

const crisisLineIn = (folder: string) =>
  [...readTemplate(folder).functions.values()].map(({ environment }) => environment.CRISIS_LINE).find(Boolean);

let first: Outcome[];
beforeAll(async () => {
  first = await Promise.all([call(CONTEXT), call(CONTEXT)]);
});
afterAll(() => {
  for (const folder of new Set(first.map(({ folder }) => folder))) {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("two simultaneous starts without a cached template get the same complete one", () => {
  const [one, other] = first as [Outcome, Outcome];
  expect(one.made || other.made).toBe(true);
  expect(other.folder).toBe(one.folder);
  const { functions } = readTemplate(one.folder);
  expect(functions.size).toBeGreaterThan(5);
  for (const { codePath } of functions.values()) {
    expect(readFileSync(join(codePath, "index.mjs")).length).toBeGreaterThan(1_000);
  }
  expect(readPage(join(one.folder, "playground.json")).bodies.identity.toString()).toContain("<title>Playground");
  expect(crisisLineIn(one.folder)).toBe(CONTEXT.crisisLine);
  expect(readdirSync(dirname(one.folder)).filter((name) => name.startsWith(".new-"))).toEqual([]);
});

test("the next start uses the cached template", async () => {
  expect(await call(CONTEXT)).toEqual({ folder: first[0]?.folder, made: false });
});

test("the template equals that of the CDK command, apart from the context", () => {
  const resources = (folder: string) => {
    const file = readdirSync(folder).find((name) => name.endsWith(".template.json")) ?? "";
    return Object.entries(
      JSON.parse(readFileSync(join(folder, file), "utf8")).Resources as Record<string, { Type: string }>,
    );
  };
  const ofFunctions = (folder: string) =>
    resources(folder).filter(([, { Type }]) =>
      /Lambda::Function|ApiGateway::(Method|Resource)|DynamoDB::Table/.test(Type),
    );
  const ids = (folder: string) =>
    ofFunctions(folder)
      .map(([id, { Type }]) => `${Type} ${id}`)
      .sort();
  const ours = ids(first[0]?.folder ?? "");
  const theirs = ids(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  expect(ours).toEqual(theirs);
});
