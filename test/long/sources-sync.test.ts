import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const directory = mkdtempSync(join(tmpdir(), "sources-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const PROGRAM = join(import.meta.dirname, "../../tools/sources/sync.ts");

/** Runs what `npm run sources -- sync` runs; `answer` is typed when it asks. */
function sync(args: string[], answer = ""): Promise<{ code: unknown; output: string }> {
  const all = [PROGRAM, "sync", directory, "--base-url", service.baseUrl, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { env: { ...process.env, API_KEY } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
    child.stdin?.end(answer);
  });
}

const write = (id: string, title: string, text: string) =>
  writeFileSync(join(directory, `${id}.md`), `---\ntitle: ${title}\nreviewedAt: "2026-03-01"\n---\n\n${text}\n`);

const ids = async () =>
  (await service.call("GET", "/sources")).body.sources.map(({ id, title }: Record<string, string>) => [id, title]);

test("npm run sources -- sync makes the service equal to a directory, shows what changes, and asks", async () => {
  write("hours", "Opening hours", "Open from 8 to 18.");
  write("parking", "Parking", "The garage has two free hours.");
  const { output: asked } = await sync([], "n\n");
  expect(asked).toMatch(/^create hours\ncreate parking\n/);
  expect(asked).toMatch(/Nothing was changed\.\n$/);
  expect(await ids()).toEqual([]);

  expect((await sync([], "y\n")).code).toBe(0);
  write("hours", "When we are open", "Open from 8 to 18.");
  rmSync(join(directory, "parking.md"));
  expect((await sync(["--yes"])).output).toBe("change hours\ndelete parking\n2 done.\n");
  expect(await ids()).toEqual([["hours", "When we are open"]]);
  expect((await sync(["--yes"])).output).toBe("Nothing to change.\n");

  write("Bad_Name", "", "");
  const { code, output } = await sync(["--yes"]);
  expect(code).toBe(1);
  expect(output).toContain("title: must be a string");
});
