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
 * Returns a function that tells whether a text matches a named regular expression of a data file. A list there has
 * alternatives, and `{name}` stands for another of them. The file is read on first use.
 *
 * @param normalized what the texts went through that are compared
 */
export function patternsIn(
  file: string,
  normalized = (source: string) => source,
): (name: string, text: string) => boolean {
  const compiled = new Map<string, RegExp>();
  return (name, text) => {
    if (compiled.size === 0) {
      const { patterns }: { patterns: Record<string, string | string[]> } = JSON.parse(readDataFile(file).toString());
      const sourceOf = (each: string): string =>
        [patterns[each]]
          .flat()
          .join("|")
          .replaceAll(/\{([a-z][a-z-]*)\}/g, (_, other: string) => sourceOf(other));
      for (const each of Object.keys(patterns)) {
        compiled.set(each, new RegExp(normalized(sourceOf(each))));
      }
    }
    return (compiled.get(name) as RegExp).test(text);
  };
}
