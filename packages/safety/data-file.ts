import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Reads a file from the folder `data`, which is next to this file and, when deployed, next to the bundle
 * (`prepare-data.ts`).
 */
export function readDataFile(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "data", name));
}

/** Reads a JSON file from that folder. */
export function parseDataFile<File>(name: string): File {
  return JSON.parse(readDataFile(name).toString());
}

/**
 * The same for a file whose preparation takes 7 ms or more of a cold start: beside a bundle, it is what `prepare`
 * returned while the functions were bundled.
 */
export function preparedDataFile<File, Prepared>(name: string, prepare: (file: File) => Prepared): Prepared {
  return process.env.BUNDLED ? parseDataFile<Prepared>(name) : prepare(parseDataFile<File>(name));
}

/** Returns a function that returns what was read from a JSON file of that folder, when it was first called. */
export function lazyDataFile<File, T>(name: string, read: (file: File) => T): () => T {
  let contents: T | undefined;
  return () => {
    contents ??= read(parseDataFile(name));
    return contents;
  };
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
  const compiled = lazyDataFile(file, ({ patterns }: { patterns: Record<string, string | string[]> }) => {
    const sourceOf = (each: string): string =>
      [patterns[each]]
        .flat()
        .join("|")
        .replaceAll(/\{([a-z][a-z-]*)\}/g, (_, other: string) => sourceOf(other));
    return new Map(Object.keys(patterns).map((each) => [each, new RegExp(normalized(sourceOf(each)))]));
  });
  return (name, text) => (compiled().get(name) as RegExp).test(text);
}
