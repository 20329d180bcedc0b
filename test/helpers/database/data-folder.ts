import { existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux's file system in memory. Containers have as little as 64 MB of it. */
const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 1024 ** 3;

/**
 * Creates a folder for a database, in memory where there is enough: on a disk, the database waits for each write to be
 * on it, which takes most of the time of the tests that write a lot.
 */
export function newDataFolder(): string {
  return mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), "health-assistant-"));
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY)) {
    return false;
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ENOUGH_BYTES;
}
