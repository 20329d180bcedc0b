import type { Mutant } from "./mutants.ts";

/** A mutant that changes nothing that a test could observe, and the reason. */
interface Equivalent {
  file: string;
  /** The line it is on, without indentation. */
  code: string;
  before: string;
  after: string;
  why: string;
}

export const EQUIVALENTS: Equivalent[] = [];

/** @returns why a mutant is equivalent; undefined if it is not known to be */
export function whyEquivalent(mutant: Mutant, source: string): string | undefined {
  const code = source.split("\n")[mutant.line - 1]?.trim();
  return EQUIVALENTS.find(
    (one) =>
      one.file === mutant.file && one.code === code && one.before === mutant.before && one.after === mutant.after,
  )?.why;
}
