import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Reads a file of the folder `data`, which stands beside this file and, deployed, beside the bundle (`infra/bundling/bundle.ts`). */
export function readDataFile(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "data", name));
}
