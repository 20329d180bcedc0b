import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Reads a file from the folder `data`, which is next to this file and, when deployed, next to the bundle
 * (`infra/bundling/safety-data.ts`).
 */
export function readDataFile(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "data", name));
}
