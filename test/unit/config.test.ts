import { afterEach, describe, expect, jest, test } from "@jest/globals";

/** Loads the settings anew, as a process with this environment does. */
async function load(environment: Record<string, string>): Promise<typeof import("../../shared/config.ts").config> {
  jest.replaceProperty(process, "env", environment);
  jest.resetModules();
  const { config } = await import("../../shared/config.ts");
  return config;
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe("settings", () => {
  test("in Lambda are those with which the process started", async () => {
    const config = await load({ AWS_LAMBDA_FUNCTION_NAME: "function", THREADS_TABLE: "threads" });
    process.env.THREADS_TABLE = "others";
    expect([config.inLambda, config.threadsTable]).toEqual([true, "threads"]);
  });

  test("elsewhere can change", async () => {
    const config = await load({ THREADS_TABLE: "threads" });
    process.env.THREADS_TABLE = "others";
    expect([config.inLambda, config.threadsTable]).toEqual([false, "others"]);
  });

  test.each([
    ["is missing", {}],
    ["is empty", { THREADS_TABLE: "" }],
  ])("in Lambda fail only when one that %s is used", async (_, environment) => {
    const config = await load({ AWS_LAMBDA_FUNCTION_NAME: "function", ...environment });
    expect(config.corsOrigin).toBeUndefined();
    expect(() => config.threadsTable).toThrow("The environment variable THREADS_TABLE is not set");
  });

  test("that must be numbers say so", async () => {
    const config = await load({ SECRETS_CACHE_SECONDS: "soon" });
    expect(() => config.secretsCacheSeconds).toThrow("SECRETS_CACHE_SECONDS must be a positive integer");
  });
});
