import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchedFunction } from "./functions.ts";
import { median, medianRatio, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const RUNS = 21;

/** Loads a module with the global that Lambda's runtime provides for streaming handlers. */
const LOADER = `globalThis.awslambda = { streamifyResponse: (handler) => handler };
await import(process.argv[2]);
`;

interface Start {
  module: string;
  environment: Record<string, string>;
  milliseconds: number[];
  /** Per run, the time of the empty module just before. */
  floors: number[];
}

/**
 * Measures a process that loads a bundle and exits, right after one that loads an empty module. Each function is loaded
 * twice: without environment variables, so that the warm-up has nothing to do, and with them, so that it reads the
 * secrets and queries the database once, both on loopback.
 */
export async function measureProcessStart(
  functions: BenchedFunction[],
  environment: Record<string, string>,
): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const empty = join(folder, "index.mjs");
  writeFileSync(empty, "export {};\n");
  const loader = join(folder, "loader.mjs");
  writeFileSync(loader, LOADER);
  const subjects = functions.map(({ name, codePath }) => {
    const start = (environment: Record<string, string>): Start => ({
      module: join(codePath, "index.mjs"),
      environment,
      milliseconds: [],
      floors: [],
    });
    return { name, loaded: start({}), warmed: start(environment) };
  });
  const starts = subjects.flatMap(({ loaded, warmed }) => [loaded, warmed]);
  try {
    for (const { module, environment } of starts) {
      await runToEnd(loader, module, environment); // fills the system's file cache
    }
    for (let run = 0; run < RUNS; run++) {
      for (const { module, environment, milliseconds, floors } of starts) {
        floors.push(await runToEnd(loader, empty, {}));
        milliseconds.push(await runToEnd(loader, module, environment));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const cells = ({ milliseconds, floors }: Start) => [
    round(median(milliseconds)),
    round(medianRatio(milliseconds, floors), 2),
  ];
  const floor = round(median(starts.flatMap(({ floors }) => floors)));
  return {
    title: "Whole process: load the bundle and exit",
    columns: ["function", "ms", "x empty", "ms, warmed up", "x empty, warmed up"],
    rows: [
      ["(empty)", floor, 1, floor, 1],
      ...subjects.map(({ name, loaded, warmed }) => [name, ...cells(loaded), ...cells(warmed)]),
    ],
    notes: [`Medians of ${RUNS} runs, each right after an empty process; ratios are the medians of the pairs' ratios.`],
  };
}

async function runToEnd(loader: string, module: string, environment: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const process_ = spawn(process.execPath, [loader, module], { env: environment, stdio: "ignore" });
  const [status] = await once(process_, "exit");
  if (status !== 0) {
    throw new Error(`${module} could not be loaded.`);
  }
  return performance.now() - startedAt;
}
