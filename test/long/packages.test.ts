import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { buildPackage, PACKAGES } from "../../tools/release/package.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A project with the packages and, of what they depend on, what this project has installed. */
let project: string;
beforeAll(() => {
  mkdirSync(join(ROOT, ".build"), { recursive: true });
  project = mkdtempSync(join(ROOT, ".build", "packages-"));
  const modules = join(project, "node_modules");
  mkdirSync(modules);
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  for (const name of PACKAGES) {
    buildPackage(name, join(project, name));
    npm("pack", "--silent", `./${name}`);
    const { name: published } = manifestOf(name);
    const tarball = readdirSync(project).find((file) => file.startsWith(published) && file.endsWith(".tgz")) ?? "";
    run("tar", "-xzf", tarball);
    cpSync(join(project, "package"), join(modules, published), { recursive: true });
    rmSync(join(project, "package"), { recursive: true });
  }
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const manifestOf = (name: string) => JSON.parse(readFileSync(join(project, name, "package.json"), "utf8"));

function run(command: string, ...args: string[]): string {
  const shell = process.platform === "win32" && command === "npm"; // where npm is a script
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: "utf8", shell });
  expect({ command, status, stderr: status === 0 ? "" : stderr }).toEqual({ command, status: 0, stderr: "" });
  return stdout;
}
const npm = (...args: string[]) => run("npm", ...args);

test("the screen is installed without the service, and the program in its README says whom to call and what to ask about", () => {
  const readme = readFileSync(join(project, "node_modules/health-assistant-safety/README.md"), "utf8");
  const [, program = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];
  writeFileSync(join(project, "use.js"), program);
  const [alert, caution] = run(process.execPath, "use.js").split("Caution: ");
  expect(alert).toMatch(/^This could be an emergency\. Call 911 now.*sit down and rest/s);
  expect(caution).toMatch(/allergy to penicillin.*amoxicillin/);
  writeFileSync(join(project, "use.js"), program.replace(/My chest .*numb\./, "Thank you for the information."));
  expect(run(process.execPath, "use.js")).toMatch(/^Caution: /);
});

test("lambda-local is installed without the service, and runs its example", async () => {
  const example = join(project, "node_modules", "lambda-local", "example", "run.js");
  const child = spawn(process.execPath, [example, project], { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const [baseUrl] = await once(createInterface({ input: child.stdout }), "line");
  const response = await fetch(`${baseUrl}/visits/ada`, { method: "POST" });
  expect(await response.json()).toEqual({ name: "ada", visits: 1 });
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

test.each(PACKAGES)("%s has every module that it exports, with its types, and nothing of its tests", (name) => {
  const { exports, private: isPrivate } = manifestOf(name);
  expect(isPrivate).toBeUndefined();
  for (const target of Object.values<{ types: string; default: string } | string>(exports)) {
    for (const path of typeof target === "string" ? [target] : [target.types, target.default]) {
      expect(readFileSync(join(project, name, path), "utf8")).toMatch(/./);
    }
  }
  const files = readdirSync(join(project, name), { recursive: true, encoding: "utf8" });
  expect(files.filter((file) => /(^|\/)test\/|(?<!\.d)\.ts$|tsconfig/.test(file))).toEqual([]);
});
