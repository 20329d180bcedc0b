import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";

const POLL_MILLISECONDS = 100;

/** SQLite's result code for a file that another connection has locked (SQLITE_BUSY, "Result and Error Codes"). */
const BUSY = 5;

/** A folder that only this process uses. */
export interface Claim {
  release(): void;
}

/** A lock ends with its connection, which must therefore not be garbage-collected. */
const claimed = new Set<DatabaseSync>();

/**
 * Claims a folder, which must exist, for this process. The claim is SQLite's lock on the empty file `.claim` in the
 * folder: it works on every operating system, which releases it however the process ends, so the file needs no cleanup.
 *
 * @returns undefined if the folder has been claimed already
 * @throws Error of SQLite if the folder cannot be written
 */
export function claim(folder: string): Claim | undefined {
  const file = new DatabaseSync(join(folder, ".claim"));
  try {
    file.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === BUSY) {
      return undefined;
    }
    throw error;
  }
  claimed.add(file);
  return {
    release: () => {
      file.close();
      claimed.delete(file);
    },
  };
}

/** Like {@link claim}, but waits until the folder is free. */
export async function claimEventually(folder: string): Promise<Claim> {
  for (;;) {
    const claimed = claim(folder);
    if (claimed) {
      return claimed;
    }
    await setTimeout(POLL_MILLISECONDS);
  }
}
