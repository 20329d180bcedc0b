import { describeError, logWarning } from "../observability/logger.ts";
import { type Passage, passagesOf } from "./passages.ts";
import { IndexBuilder } from "./search-index.ts";
import { isSourceExpired, type Source } from "./source.ts";

/** The most passages of one source, nine times as many as 64 KB of paragraphs have, and of all sources of a tenant. */
const SOURCE_PASSAGES = 1_000;
const LIBRARY_PASSAGES = 10_000;

/** Why a source cannot be used, as a caller reads it behind the name of its field `text`. */
const UNREADABLE = "cannot be divided into passages; please write it in another way";
const TOO_MANY = `must have at most ${SOURCE_PASSAGES} passages; divide it into several sources, or give it fewer headings`;
const LIBRARY_FULL = `is not used, because all sources together have more than ${LIBRARY_PASSAGES} passages; give them fewer headings`;

/** What was read of a source: its passages, or the reason why it has none. */
export type ReadSource<From extends Source> =
  | { source: From; passages: Passage[]; problem?: undefined }
  | { source: From; passages?: undefined; problem: string };

/**
 * Divides sources into passages. What is wrong with one, which may be older than the present rules, costs only itself.
 *
 * @param sources those that have expired are left out
 */
export function readSources<From extends Source>(sources: readonly From[], now: number): ReadSource<From>[] {
  let total = 0;
  return sources
    .filter((source) => !isSourceExpired(source, now))
    .map((source) => {
      const read = readSource(source);
      total += read.passages?.length ?? 0;
      return total > LIBRARY_PASSAGES ? { source, problem: LIBRARY_FULL } : read;
    });
}

function readSource<From extends Source>(source: From): ReadSource<From> {
  try {
    const passages = passagesOf(source);
    return passages.length > SOURCE_PASSAGES ? { source, problem: TOO_MANY } : { source, passages };
  } catch (error) {
    logWarning("source-unreadable", { sourceId: source.id, ...describeError(error) });
    return { source, problem: UNREADABLE };
  }
}

/** Divides and indexes a source that is about to be stored. @returns why it could not be used; undefined if it can */
export function problemOf(source: Source): string | undefined {
  const { passages, problem } = readSource(source);
  try {
    new IndexBuilder().add(passages ?? []);
    return problem;
  } catch (error) {
    logWarning("source-unreadable", { sourceId: source.id, ...describeError(error) });
    return UNREADABLE;
  }
}
