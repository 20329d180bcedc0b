import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { listenOnLoopback } from "../../packages/lambda-local/loopback.ts";
import { runTool } from "../helpers/service/run-tool.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const directory = mkdtempSync(join(tmpdir(), "sources-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Where nothing listens any more. */
const { origin: unused, stop } = await listenOnLoopback(createServer());
stop();

/** Runs what `npm run sources -- sync` runs. */
const sync = (args: string[], answer?: string, from = directory, command = "sync") =>
  runTool("sources/sync.ts", [command, from, "--base-url", service.baseUrl, ...args], answer);

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
  expect(output).toContain(`${join(directory, "Bad_Name.md")}: cannot create it: `);
  expect(output).toContain("title must be a string");
  rmSync(join(directory, "Bad_Name.md"));
});

test("npm run sources -- save writes a directory with which the service is in sync", async () => {
  write("odd", '"yes: #1, on"', "---\nnot front matter\n---\n\ntext: 'x'");
  expect((await sync(["--yes"])).code).toBe(0);
  const saved = join(directory, "saved");
  expect((await sync([], "", saved, "save")).output).toMatch(/^\d+ saved\.\n$/);
  expect((await sync(["--yes"], "", saved)).output).toBe("Nothing to change.\n");
  const again = await sync([], "", saved, "save");
  expect([again.code, again.output]).toEqual([1, expect.stringContaining(`${saved}: EEXIST`)]);
  rmSync(saved, { recursive: true });
  rmSync(join(directory, "odd.md"));
});

test("npm run sources without a terminal and without --yes changes nothing, and says what to add", async () => {
  write("parking", "Parking", "The garage has two free hours.");
  const { code, output } = await sync([]);
  expect(code).toBe(1);
  expect(output).toMatch(/Nothing was changed: add --yes\.\n$/);
  expect(output).not.toMatch(/Warning|await/);
});

test("npm run sources names the file that it cannot read", async () => {
  const broken = join(directory, "broken.md");
  writeFileSync(broken, '---\ntitle: "never closed\n---\n\ntext\n');
  const { code, output } = await sync(["--yes"]);
  rmSync(broken);
  expect([code, output.startsWith(`${broken}: `), output.split("\n")]).toEqual([1, true, [expect.anything(), ""]]);
});

test.each([
  ["a service that does not run", `${unused}/v1`, /^The service cannot be reached: ECONNREFUSED\n$/],
  ["a port that no client uses", "http://127.0.0.1:9/v1", /^The service cannot be reached: bad port\n$/],
  ["a wrong address", "not-a-url", /^baseUrl must be [^\n]*\n$/],
])("npm run sources says in one line what is wrong with %s", async (_, baseUrl, message) => {
  const { code, output } = await sync(["--yes", "--base-url", baseUrl]);
  expect(code).toBe(1);
  expect(output).toMatch(message);
});

test("npm run sources names a directory that does not exist", async () => {
  const { code, output } = await sync(["--yes"], "", join(directory, "missing"));
  expect([code, output]).toEqual([1, `${join(directory, "missing")}: there is no such directory\n`]);
});
