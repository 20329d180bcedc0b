import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "@jest/globals";
import { claim, claimEventually } from "../../../local/claim.ts";

const root = mkdtempSync(join(tmpdir(), "claim-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const newFolder = () => mkdtempSync(join(root, "folder-"));

test("a folder can be claimed only once, by any path, until it is released", async () => {
  const folder = newFolder();
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  const claimed = await claim(folder);
  expect(claimed).toBeDefined();
  expect(await claim(folder)).toBeUndefined();
  expect(await claim(link)).toBeUndefined();
  expect(await claim(newFolder())).toBeDefined();
  claimed?.release();
  expect(await claim(link)).toBeDefined();
});

test("one of many simultaneous claims of a folder succeeds", async () => {
  const folder = newFolder();
  const claims = await Promise.all(Array.from({ length: 20 }, () => claim(folder)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test("a claim can wait for a folder to be released", async () => {
  const folder = newFolder();
  const claimed = await claim(folder);
  const next = claimEventually(folder);
  claimed?.release();
  expect(await next).toBeDefined();
});

test("a killed process leaves no claim behind", async () => {
  const folder = newFolder();
  const module = join(import.meta.dirname, "../../../local/claim.ts");
  const script = `
    const { claim } = await import(${JSON.stringify(module)});
    process.stdout.write(String((await claim(${JSON.stringify(folder)})) !== undefined));
    process.kill(process.pid, "SIGKILL");
  `;
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  await expect(run).rejects.toMatchObject({ signal: "SIGKILL", stdout: "true" });
  expect(await claim(folder)).toBeDefined();
});
