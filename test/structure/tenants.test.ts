import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * The files where a name becomes a tenant: for the client whose key was checked, the service itself and a stored key.
 */
const MAKERS = ["shared/auth/api-keys.ts", "shared/dynamo/keys.ts", "shared/request/caller.ts", "shared/tenant.ts"];

/** Files that turn a string into a tenant, with the function for it or a cast. */
function makers(sources: [file: string, source: string][]): string[] {
  return sources
    .filter(([, source]) => /\btenantNamed\b|\b(as|satisfies) (unknown as )?Tenant\b|<Tenant>/.test(source))
    .map(([file]) => file)
    .sort();
}

test("a tenant comes only from the authenticated caller or a stored key", () => {
  const files = globSync("{functions,shared}/**/*.ts", { cwd: ROOT }).map((file) => file.replaceAll("\\", "/"));
  expect(files.length).toBeGreaterThan(100);
  expect(makers(files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]))).toEqual(MAKERS);
});

test.each(['tenantNamed("a")', "id as Tenant", "body as unknown as Tenant"])("the check finds %s", (source) => {
  expect(makers([["a.ts", source]])).toEqual(["a.ts"]);
});
