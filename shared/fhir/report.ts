/** Something that is not taken over, and why. */
export interface Ignored {
  type: string;
  /** FHIR's path. */
  path: string;
  reason: string;
}

/** The most that a report names: a response must fit into an invocation's 6 MB, and somebody has to read it. */
export const MAX_IGNORED = 1_000;

/** Returns what a report says about what was not taken over: so much by name, and how much there is besides. */
export function capped(ignored: readonly Ignored[]): { ignored: Ignored[]; moreIgnored?: number } {
  const more = ignored.length - MAX_IGNORED;
  return { ignored: ignored.slice(0, MAX_IGNORED), ...(more > 0 && { moreIgnored: more }) };
}

/** Receives what a resource has that is not taken over: FHIR's path, and the reason as the end of a sentence about it. */
export type Name = (path: string, reason: string) => void;

/** The reason for leaving out what has neither a text nor a code. */
export const NAMES_NOTHING = "names nothing: it has neither a text nor a code";

/** What is wrong with an empty text. */
export const IS_EMPTY = "is empty";
