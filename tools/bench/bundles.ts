import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BenchedFunction } from "./functions.ts";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** Measures the size of each function's bundle, in kilobytes of 1024 bytes as in esbuild's reports. */
export function measureBundles(functions: BenchedFunction[]): Table {
  return {
    title: "Bundles",
    columns: ["function", "KB", "KB zipped"],
    rows: functions.map(({ name, codePath }) => {
      const code = readFileSync(join(codePath, "index.mjs"));
      return [name, round(code.length / 1024), round(gzipSync(code).length / 1024)];
    }),
  };
}
