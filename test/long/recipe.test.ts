import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { cloneTo, RECIPE, RECIPES } from "../helpers/recipe.ts";

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, "..", "..");

const FUNCTIONS = "test/structure/endpoints.test.ts";
/** The tests that say which step of the recipe is missing. None of them needs a service. */
const TESTS = [
  FUNCTIONS,
  "test/structure/live-check.test.ts",
  "test/unit/client/types.test.ts",
  "test/unit/http/render.test.ts",
];

const folder = mkdtempSync(join(tmpdir(), "recipe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Report {
  testResults: {
    name: string;
    message: string;
    assertionResults: { title: string; status: "passed" | "failed" | "pending" }[];
  }[];
}

/**
 * Runs the tests in a clone, and returns the titles of those that failed, or the message of a file that could not run.
 */
async function failures(clone: string, tests = TESTS): Promise<string[]> {
  const { globalSetup, globalTeardown, testSequencer, ...config } = JSON.parse(
    readFileSync(join(ROOT, "jest.config.json"), "utf8"),
  );
  const args = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
  const options = ["--rootDir", clone, "--config", JSON.stringify(config), "--json", "--maxWorkers", "2"];
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...args, ...options, ...tests], { cwd: clone, maxBuffer: 2 ** 26 }, (_, output) =>
      resolve(output),
    );
  });
  const { testResults } = JSON.parse(stdout) as Report;
  expect(testResults).toHaveLength(tests.length);
  return testResults.flatMap(({ message, assertionResults }) =>
    assertionResults.length === 0
      ? [message]
      : assertionResults.filter(({ status }) => status === "failed").map(({ title }) => title),
  );
}

function follow(clone: string, steps: string[]): void {
  for (const step of steps) {
    RECIPE[step]?.(clone);
  }
}

/** The two parts of a declaration; the compiler names the second if it is missing. */
const DECLARATION = ["shared/threads/endpoints.ts", "shared/threads/docs.ts"];
const STEPS = Object.keys(RECIPE);

const NO_FUNCTION = "every endpoint has a function, and every function what it imports";

/** What fails without a step. */
const WITHOUT: Record<string, string[]> = {
  "functions/": [NO_FUNCTION],
  "packages/client/client.js": [
    "the client has a method for every endpoint except pages and those for OpenAI's clients",
  ],
  "npm run client:types": ["from the OpenAPI document, for bodies"],
  "shared/live-check/rules/": [
    "the live check has a rule for a successful response of peek-thread",
    "a new version of peek-thread is checked by at least three rules, one of them for a successful response",
  ],
  "docs/performance.md": ["the size of every function is documented"],
  "test/unit/http/render.test.ts": ["these tests cover every route"],
};

describe("an endpoint that is added as CONTRIBUTING.md says", () => {
  test("has no step that CONTRIBUTING.md does not name", () => {
    const recipes = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const [recipe = ""] = /- \*\*A new endpoint\*\*[\s\S]*?\n- /.exec(recipes) ?? [];
    for (const step of STEPS) {
      expect(recipe.replaceAll(/\s+/g, " ")).toContain(step);
    }
  });

  test("fails without each other step if there is nothing but its declaration", async () => {
    const clone = join(folder, "declared");
    cloneTo(clone);
    follow(clone, DECLARATION);
    expect(new Set(await failures(clone))).toEqual(new Set(Object.values(WITHOUT).flat()));
  });

  test("fails without its use case, and without its declaration", async () => {
    const clone = join(folder, "undeclared");
    cloneTo(clone);
    follow(clone, ["functions/"]);
    expect(await failures(clone, [FUNCTIONS])).toContain(NO_FUNCTION);
    follow(clone, ["its use case"]);
    expect(await failures(clone, [FUNCTIONS])).toContain(NO_FUNCTION);
  });
});

describe("a recipe of CONTRIBUTING.md", () => {
  const contributing = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const clone = join(folder, "others");
  beforeAll(() => cloneTo(clone));

  test.each(Object.entries(RECIPES))(
    "names each step, and they do it: %s",
    async (name, { steps, program, printed }) => {
      const recipe = contributing.split("\n- **").find((each) => each.startsWith(`${name}**`)) ?? "";
      for (const [step, take] of Object.entries(steps)) {
        expect(recipe).toContain(step);
        take(clone);
      }
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: clone });
      expect(JSON.parse(stdout)).toEqual(printed);
    },
  );
});
