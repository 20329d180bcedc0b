import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

/** The size at which a log file is renamed and a new one started: together, at most twice as much. */
const LOG_BYTES = 10 * 1024 * 1024;

export interface LogFile {
  write(line: string): void;
  close(): void;
}

/**
 * Opens a log file and appends to it if it exists. When it reaches its maximum size, it replaces `<path>.1`.
 *
 * @param onFailure called with the system's error code when the log cannot be written, such as ENOSPC for a full disk,
 *   and then not again until a write succeeds. The lines in between are lost; the service continues
 * @throws the system's error if the file cannot be opened
 */
export function openLogFile(path: string, onFailure: (code: string) => void, maxBytes = LOG_BYTES): LogFile {
  let file = openSync(path, "a");
  let bytes = fstatSync(file).size;
  let failing = false;
  const rotate = () => {
    renameSync(path, `${path}.1`);
    const full = file;
    file = openSync(path, "a");
    closeSync(full); // last, so that there is a file to write to whatever fails
    bytes = 0;
  };
  return {
    write(line) {
      const data = Buffer.from(`${line}\n`);
      try {
        if (bytes > 0 && bytes + data.length > maxBytes) {
          rotate();
        }
        bytes += writeSync(file, data);
        failing = false;
      } catch (error) {
        if (!failing) {
          failing = true;
          onFailure((error as NodeJS.ErrnoException).code ?? "unknown");
        }
      }
    },
    close: () => closeSync(file),
  };
}
