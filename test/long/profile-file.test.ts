import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { runTool } from "../helpers/service/run-tool.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const directory = mkdtempSync(join(tmpdir(), "profile-"));
const file = join(directory, "profile.json");
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await service.call("PUT", "/profile", { body: {} });
});

const run = (args: string[], answer?: string) =>
  runTool("profile/profile.ts", [...args, "--base-url", service.baseUrl], answer);

test("npm run profile -- edit writes the profile to a new file, shows what an edited one changes, asks, and stores it", async () => {
  const { output: first } = await run(["edit", file]);
  expect(first).toContain("has the present profile. Edit it");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({});

  writeFileSync(file, JSON.stringify({ country: "GB", handoffMinutes: 5 }));
  const { code, output } = await run(["edit", file], "n\n");
  expect(output).toContain('country: (none) → "GB"\nhandoffMinutes: (none) → 5\n');
  expect([code, output]).toEqual([1, expect.stringContaining("Nothing was changed.")]);

  expect((await run(["edit", file], "y\n")).output).toContain('"emergencyNumber": "999"');
  expect((await run(["edit", file])).output).toBe("Nothing to change.\n");
  expect(JSON.parse((await run(["show"])).output).profile).toEqual({ country: "GB", handoffMinutes: 5 });
});

test.each([
  ["{", "is not JSON"],
  ['{"country": "XX"}', "country"],
])("npm run profile -- edit says in one line what is wrong with %s", async (content, problem) => {
  writeFileSync(file, content);
  const { code, output } = await run(["edit", file, "--yes"]);
  expect(code).toBe(1);
  expect(output.trim().split("\n").at(-1)).toContain(problem);
});
