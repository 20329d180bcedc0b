import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "@jest/globals";
import { claim, claimEventually } from "../../../local/claim.ts";

const root = mkdtempSync(join(tmpdir(), "claim-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const newFolder = () => mkdtempSync(join(root, "folder-"));

/** Claims a folder in another process, which prints whether it could after running `first`, and is killed. */
async function claimElsewhere(folder: string, first = ""): Promise<string> {
  const module = pathToFileURL(join(import.meta.dirname, "../../../local/claim.ts")).href;
  const script = `
    const { claim } = await import(${JSON.stringify(module)});
    const folder = ${JSON.stringify(folder)};
    ${first}
    process.stdout.write(String(claim(folder) !== undefined));
    process.kill(process.pid, "SIGKILL");
  `;
  return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]).then(
    () => "it was not killed",
    ({ stdout }) => stdout,
  );
}

test("a folder can be claimed only once, by any path and process, until it is released", async () => {
  const folder = newFolder();
  const link = `${folder}-link`;
  symlinkSync(folder, link, "junction");
  const claimed = claim(folder);
  expect(claimed).toBeDefined();
  expect(claim(folder)).toBeUndefined();
  expect(claim(link)).toBeUndefined();
  expect(await claimElsewhere(link)).toBe("false");
  claimed?.release();
  const again = claim(link);
  expect(again).toBeDefined();
  again?.release();
});

test("a claim can wait for a folder to be released", async () => {
  const folder = newFolder();
  const claimed = claim(folder);
  const next = claimEventually(folder);
  claimed?.release();
  (await next).release();
});

test("a claim lasts even if nothing refers to it", async () => {
  const collectGarbage = "for (let round = 0; round < 20; round++) new Uint8Array(50_000_000).fill(round);";
  expect(await claimElsewhere(newFolder(), `claim(folder); ${collectGarbage}`)).toBe("false");
});

test("a killed process leaves no claim behind", async () => {
  const folder = newFolder();
  expect(await claimElsewhere(folder)).toBe("true");
  const claimed = claim(folder);
  expect(claimed).toBeDefined();
  claimed?.release();
});
