import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { openLogFile } from "../../../local/log-file.ts";

const folder = mkdtempSync(join(tmpdir(), "log-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newPath = () => join(folder, `${files++}.log`);
const noFailure = (code: string) => {
  throw new Error(`unexpected: ${code}`);
};

describe("a log file", () => {
  test("has a maximum size and one previous file", () => {
    const path = newPath();
    const log = openLogFile(path, noFailure, 100);
    for (let line = 0; line < 1_000; line++) {
      log.write(`line ${line}`);
    }
    log.close();
    expect(statSync(path).size).toBeLessThanOrEqual(100);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(100);
    expect(existsSync(`${path}.2`)).toBe(false);
    expect(readFileSync(`${path}.1`, "utf8") + readFileSync(path, "utf8")).toMatch(/line 998\nline 999\n$/);
  });

  (existsSync("/dev/full") ? test : test.skip)("on a full disk reports that once, and throws nothing", () => {
    const failures: string[] = [];
    const log = openLogFile("/dev/full", (code) => failures.push(code));
    log.write("one");
    log.write("two");
    log.close();
    expect(failures).toEqual(["ENOSPC"]);
  });
});
