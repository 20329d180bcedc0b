import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "..", "..");
const CONFIG = join(ROOT, ".dependency-cruiser.mjs");
const PROGRAM = join(ROOT, "node_modules", "dependency-cruiser", "bin", "dependency-cruiser.mjs");
const DIRECTORIES = ["functions", "infra", "local", "tools", "web", "packages", "shared"];

interface Report {
  summary: { totalCruised: number; violations: { from: string; to: string; rule: { name: string } }[] };
}

/** Checks the imports below a directory against the project's layer table. */
async function cruise(baseDir: string, directories: string[]): Promise<Report["summary"]> {
  const args = [PROGRAM, "--config", CONFIG, "--output-type", "json", ...directories];
  const { stdout } = await new Promise<{ stdout: string }>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: baseDir, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      // The exit code is the number of violations.
      stdout === "" ? reject(error ?? new Error(stderr)) : resolve({ stdout });
    });
  });
  return (JSON.parse(stdout) as Report).summary;
}

const violationsOf = ({ violations }: Report["summary"]) =>
  violations.map(({ from, to, rule }) => `${rule.name}: ${from} imports ${to}`);

test("imports point only to lower layers, without cycles", async () => {
  const summary = await cruise(ROOT, DIRECTORIES);
  expect(summary.totalCruised).toBeGreaterThan(150);
  expect(violationsOf(summary)).toEqual([]);
});

describe("the check finds", () => {
  const files: Record<string, string> = {
    "shared/errors.ts": 'import { a } from "./patients/a.ts";\nexport const e = a;',
    "shared/patients/a.ts": "export const a = 1;",
    "shared/patients/up.ts": 'import type { C } from "../chat/c.ts";\nexport type P = C;',
    "shared/chat/c.ts": "export type C = number;",
    "shared/chat/cycle-1.ts": 'import { two } from "./cycle-2.ts";\nexport const one = () => two;',
    "shared/chat/cycle-2.ts": 'import { one } from "./cycle-1.ts";\nexport const two = () => one;',
    "infra/function.ts": 'import { m } from "./monitoring/m.ts";\nexport const f = m;',
    "infra/monitoring/m.ts": "export const m = 1;",
    "local/l.ts": 'import { a } from "../shared/patients/a.ts";\nexport const l = a;',
    "shared/errors-of.ts": 'import { s } from "./secrets.ts";\nexport const e = s;',
    "shared/secrets.ts": "export const s = 1;",
    "shared/new-room/n.ts": 'import { a } from "../patients/a.ts";\nexport const n = a;',
    "packages/client/c.js": 'import { l } from "../../local/l.ts";\nexport const c = l;',
    "web/w.ts": 'import { readEvents } from "../packages/client/event-stream.js";\nexport const w = readEvents;',
    "packages/client/event-stream.js": "export const readEvents = 1;",
    "tools/new-tool/t.ts": 'import { readFileSync } from "node:fs";\nexport const t = readFileSync;',
  };
  let violations: string[];
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "layers-"));
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    violations = violationsOf(await cruise(folder, ["shared", "local", "infra", "tools", "web", "packages"]));
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["a domain file in the foundation", "shared/* may import only", "shared/errors.ts imports shared/patients/a.ts"],
    ["a type from a higher layer", "shared/patients may import only", "shared/patients/up.ts imports shared/chat/c.ts"],
    ["an arrow back to monitoring", "only the stack imports", "infra/function.ts imports infra/monitoring/m.ts"],
    ["a cycle", "no cycles", "shared/chat/cycle-1.ts imports shared/chat/cycle-2.ts"],
    ["an import that its row does not allow", "local may import only", "local/l.ts imports shared/patients/a.ts"],
    [
      "a file below one with a row of its own",
      "shared/* may import only",
      "shared/errors-of.ts imports shared/secrets.ts",
    ],
    ["a directory without a row", "has a row", "shared/new-room/n.ts imports shared/patients/a.ts"],
    [
      "a package that imports the service",
      "packages/client may import only",
      "packages/client/c.js imports local/l.ts",
    ],
    [
      "what a package does not export",
      "only the exports of packages/client",
      "web/w.ts imports packages/client/event-stream.js",
    ],
    ["a tool without a row", "has a row", "tools/new-tool/t.ts imports fs"],
  ])("%s", (_, rule, imports) => {
    expect(violations.find((violation) => violation.includes(imports))).toContain(rule);
  });
});
