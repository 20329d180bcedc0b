import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { cloneTo, RECIPE } from "../helpers/recipe.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** The tests that say which step of the recipe is missing. None of them needs a service. */
const TESTS = [
  "test/structure/endpoints.test.ts",
  "test/live-check/plan.test.ts",
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
async function failures(clone: string): Promise<string[]> {
  const { globalSetup, globalTeardown, testSequencer, ...config } = JSON.parse(
    readFileSync(join(ROOT, "jest.config.json"), "utf8"),
  );
  const args = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
  const options = ["--rootDir", clone, "--config", JSON.stringify(config), "--json", "--maxWorkers", "2"];
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...args, ...options, ...TESTS], { cwd: clone, maxBuffer: 2 ** 26 }, (_, output) =>
      resolve(output),
    );
  });
  const { testResults } = JSON.parse(stdout) as Report;
  expect(testResults).toHaveLength(TESTS.length);
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

const DECLARATION = "shared/threads/endpoints.ts";
const STEPS = Object.keys(RECIPE);

/** What fails without a step. */
const WITHOUT: Record<string, string> = {
  "functions/": "every endpoint has a function, and every function what it imports",
  "client/client.js":
    "the client has a method for every endpoint except the reference page and those for OpenAI's clients",
  "npm run client:types": "from the OpenAPI document, for bodies",
  "tools/live-check/rules/": "the live check has a rule for a successful response of peek-thread",
  "docs/performance.md": "the size of every function is documented",
  "test/unit/http/render.test.ts": "these tests cover every route",
};

describe("an endpoint that is added as CONTRIBUTING.md says", () => {
  test("has no step that CONTRIBUTING.md does not name", () => {
    const recipes = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const [recipe = ""] = /- \*\*A new endpoint\*\*[\s\S]*?\n- /.exec(recipes) ?? [];
    for (const step of STEPS) {
      expect(recipe.replaceAll(/\s+/g, " ")).toContain(step);
    }
  });

  describe("with nothing but its declaration", () => {
    let failed: string[];
    beforeAll(async () => {
      const clone = join(folder, "declared");
      cloneTo(clone);
      follow(clone, [DECLARATION]);
      failed = await failures(clone);
    });

    test.each(Object.entries(WITHOUT))("fails without %s", (_, title) => {
      expect(failed).toContain(title);
    });
  });

  test("fails without its use case, then without its declaration, and then passes", async () => {
    const clone = join(folder, "complete");
    cloneTo(clone);
    follow(
      clone,
      STEPS.filter((step) => step !== "its use case" && step !== DECLARATION && step !== "npm run client:types"),
    );
    expect(await failures(clone)).toContain(WITHOUT["functions/"]);
    follow(clone, ["its use case"]);
    expect(await failures(clone)).toEqual(
      expect.arrayContaining([WITHOUT["functions/"], WITHOUT["docs/performance.md"], "these tests cover every route"]),
    );
    follow(clone, [DECLARATION, "npm run client:types"]);
    expect(await failures(clone)).toEqual([]);
  });
});
