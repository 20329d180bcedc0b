import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Reads a file from the folder `data`, which is next to this file and, when deployed, next to the bundle
 * (`infra/bundling/safety-data.ts`).
 */
export function readDataFile(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "data", name));
}

/**
 * Returns a function that returns regular expressions of a data file by name. A list there has alternatives, and
 * `{name}` stands for another of them. The file is read on first use.
 *
 * @param more further expressions
 */
export function patternsIn(file: string, more: Record<string, string> = {}): (name: string, flags?: string) => RegExp {
  let patterns: Record<string, string | string[]> | undefined;
  const compiled = new Map<string, RegExp>();
  const sourceOf = (name: string): string => {
    patterns ??= { ...more, ...JSON.parse(readDataFile(file).toString()).patterns };
    return [patterns?.[name]]
      .flat()
      .join("|")
      .replaceAll(/\{([a-z][a-z-]*)\}/g, (_, other: string) => sourceOf(other));
  };
  return (name, flags = "") => {
    const pattern = compiled.get(name) ?? new RegExp(sourceOf(name), flags);
    compiled.set(name, pattern);
    return pattern;
  };
}
