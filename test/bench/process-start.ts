import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchedFunction } from "./functions.ts";
import { median, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const RUNS = 21;

interface Start {
  name: string;
  module: string;
  environment: Record<string, string>;
  milliseconds: number[];
}

/**
 * How long a whole process takes that loads a bundle and ends, against one that loads an empty module. Each function is
 * loaded twice: without an environment, when the warm-up finds nothing to do, and with one, when it reads the secrets
 * and asks the database once, both on loopback.
 */
export async function measureProcessStart(
  functions: BenchedFunction[],
  environment: Record<string, string>,
): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const empty = join(folder, "index.mjs");
  writeFileSync(empty, "export {};\n");
  const starts: Start[] = [
    { name: "empty", module: empty, environment: {}, milliseconds: [] },
    ...functions.flatMap(({ name, codePath }) => {
      const module = join(codePath, "index.mjs");
      return [
        { name, module, environment: {}, milliseconds: [] },
        { name, module, environment, milliseconds: [] },
      ];
    }),
  ];
  try {
    for (let run = -1; run < RUNS; run++) {
      for (const start of starts) {
        const milliseconds = await runToEnd(start);
        if (run >= 0) {
          start.milliseconds.push(milliseconds); // the one before fills the system's caches
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const [floor = Number.NaN, ...rest] = starts.map(({ milliseconds }) => median(milliseconds));
  return {
    title: "Whole process: load the bundle and end",
    columns: ["function", "ms", "x empty", "ms, warmed up", "x empty, warmed up"],
    rows: [
      ["(empty)", round(floor), 1, round(floor), 1],
      ...functions.map(({ name }, index) => {
        const [loaded = Number.NaN, warmed = Number.NaN] = rest.slice(2 * index);
        return [name, round(loaded), round(loaded / floor, 2), round(warmed), round(warmed / floor, 2)];
      }),
    ],
    notes: [`Medians of ${RUNS} runs, interleaved.`],
  };
}

async function runToEnd({ module, environment }: Start): Promise<number> {
  const startedAt = performance.now();
  const process_ = spawn(process.execPath, [module], { env: environment, stdio: "ignore" });
  await once(process_, "exit");
  return performance.now() - startedAt;
}
