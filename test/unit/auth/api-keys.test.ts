import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { type Listening, listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";

/** A fake Secrets Manager on loopback: the secret's current value and the number of reads. */
const secretsManager = {
  current: undefined as string | undefined,
  /** Awaited between reading a value and returning it. */
  onItsWay: undefined as Promise<unknown> | undefined,
  down: false,
  reads: 0,
};

const server = createServer(async (request, response) => {
  const { SecretId, VersionStage } = (await json(request)) as { SecretId: string; VersionStage?: string };
  secretsManager.reads++;
  if (secretsManager.down) {
    response.destroy();
    return;
  }
  const value = VersionStage === undefined ? secretsManager.current : undefined;
  await secretsManager.onItsWay;
  response.setHeader("content-type", "application/x-amz-json-1.1");
  if (value === undefined) {
    response.writeHead(400).end(JSON.stringify({ __type: "ResourceNotFoundException" }));
  } else {
    response.end(JSON.stringify({ Name: SecretId, SecretString: value, VersionStages: ["AWSCURRENT"] }));
  }
});

const environment = { ...process.env };
let listening: Listening;

beforeAll(async () => {
  listening = await listenOnLoopback(server);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: listening.origin,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "none",
    AWS_SECRET_ACCESS_KEY: "none",
    SECRETS_CACHE_SECONDS: "60",
  });
});

afterAll(() => {
  process.env = environment;
  listening.stop();
});

let apiKeys: typeof import("../../../shared/auth/api-keys.ts");
let now: number;
let warnings: ReturnType<typeof jest.spyOn>;
let count = 0;

/** Simulates a new execution environment: a module without cached keys and a secret that has not been read. */
beforeEach(async () => {
  count++;
  process.env.API_KEYS_SECRET = `api-keys-${count}`;
  Object.assign(secretsManager, {
    current: JSON.stringify({ "first-client": "first-key", "second-client": "second-key" }),
    onItsWay: undefined,
    down: false,
    reads: 0,
  });
  now = Date.now();
  jest.spyOn(Date, "now").mockImplementation(() => now);
  warnings = jest.spyOn(console, "warn").mockImplementation(() => {});
  apiKeys = await import(`../../../shared/auth/api-keys.ts?${count}`);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Returns the name of the client that a key belongs to. */
const findClient = async (key: string) => (await apiKeys.findClient(key))?.name;
const reads = () => secretsManager.reads;
const pass = (milliseconds: number) => {
  now += milliseconds;
};

describe("an API key", () => {
  test("that was removed works until a minute has passed since it was read", async () => {
    expect(await findClient("first-key")).toBe("first-client");
    secretsManager.current = JSON.stringify({ "second-client": "second-key" });
    pass(MINUTE - 1);
    expect(await findClient("first-key")).toBe("first-client");
    pass(1);
    expect(await findClient("first-key")).toBeUndefined();
    expect(await findClient("second-key")).toBe("second-client");
  });

  test("that was removed during a read stops working a minute after the read began", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    secretsManager.onItsWay = promise;
    const first = findClient("first-key");
    while (reads() === 0) {
      await new Promise((next) => setTimeout(next, 1));
    }
    secretsManager.current = JSON.stringify({});
    pass(5 * SECOND);
    resolve();
    expect(await first).toBe("first-client");
    pass(MINUTE - 5 * SECOND);
    expect(await findClient("first-key")).toBeUndefined();
  });

  test("that two clients have by mistake is that of the first", async () => {
    secretsManager.current = JSON.stringify({ first: "shared", second: ["own", "shared"] });
    expect(await findClient("shared")).toBe("first");
    expect(await findClient("own")).toBe("second");
  });

  test.each([
    ["an empty string", ""],
    ["a number", 5],
    ["null", null],
    ["an object", { key: "key-in-it" }],
    ["an empty list", []],
    ["a list without strings", [5, null, ["listed"]]],
  ])("that is %s in the secret identifies no client, and other clients' keys still work", async (_, value) => {
    secretsManager.current = JSON.stringify({ broken: value, client: "key" });
    for (const guess of [String(value ?? ""), "listed", "key-in-it", "5"]) {
      expect(await findClient(guess)).toBeUndefined();
    }
    expect(await findClient("key")).toBe("client");
  });
});

describe("the secret", () => {
  test("is read once for all known keys, and again after a minute", async () => {
    for (let round = 0; round < 3; round++) {
      await findClient("first-key");
      await findClient("second-key");
      pass(20 * SECOND - 1);
    }
    expect(reads()).toBe(1);
    pass(3);
    await findClient("first-key");
    expect(reads()).toBe(2);
  });

  test("is read once for concurrent requests", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => findClient(`unknown-${index}`)));
    expect(reads()).toBe(1);
  });

  test("is read again at most every 5 seconds for unknown keys, however many there are", async () => {
    await findClient("first-key");
    for (let second = 0; second < 20; second++) {
      await findClient(`unknown-${second}`);
      await findClient(`unknown-too-${second}`);
      pass(SECOND);
    }
    expect(reads()).toBe(1 + 3);
  });

  test("that is malformed causes an OperatorError that does not quote it", async () => {
    secretsManager.current = '{"client":"confidential-4711';
    const error = await findClient("first-key").catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      name: "OperatorError",
      message: expect.stringMatching(/^The secret with the API keys must be a JSON object, .*correct it\.$/),
    });
    expect((error as Error).stack).not.toContain("4711");
    expect(error).not.toHaveProperty("cause");
  });

  test("that does not exist causes an OperatorError", async () => {
    secretsManager.current = undefined;
    await expect(findClient("first-key")).rejects.toMatchObject({
      name: "OperatorError",
      message: expect.stringContaining("does not exist"),
    });
  });

  test("that becomes malformed is logged once and leaves the last read keys valid", async () => {
    const errors = jest.spyOn(console, "error").mockImplementation(() => {});
    await findClient("first-key");
    secretsManager.current = "confidential-4711";
    pass(MINUTE);
    expect(await findClient("first-key")).toBe("first-client");
    expect(await findClient("second-key")).toBe("second-client");
    expect(errors.mock.calls).toEqual([
      [expect.objectContaining({ event: "api-keys-unreadable", errorName: "OperatorError" })],
    ]);
    expect(JSON.stringify(errors.mock.calls)).not.toContain("4711");
  });
});

describe("while Secrets Manager is unreachable", () => {
  test("the last read keys remain valid, and a warning is logged", async () => {
    expect(await findClient("first-key")).toBe("first-client");
    secretsManager.down = true;
    pass(MINUTE);
    expect(await findClient("first-key")).toBe("first-client");
    expect(await findClient("unknown")).toBeUndefined();
    expect(warnings.mock.calls[0]).toEqual([expect.objectContaining({ event: "secret-not-refreshed" })]);
    expect(JSON.stringify(warnings.mock.calls)).not.toMatch(/first-key|unknown/);
  });

  test("unknown keys cause at most one read every 5 seconds, and known keys none", async () => {
    await findClient("first-key");
    pass(5_000);
    secretsManager.down = true;
    await findClient("unknown");
    const before = reads();
    for (let guess = 0; guess < 10; guess++) {
      expect(await findClient(`unknown-${guess}`)).toBeUndefined();
      expect(await findClient("first-key")).toBe("first-client");
    }
    expect(reads()).toBe(before);
  });

  test("from the start, every request fails, and keys work as soon as it is reachable again", async () => {
    secretsManager.down = true;
    await expect(findClient("first-key")).rejects.toThrow();
    secretsManager.down = false;
    expect(await findClient("first-key")).toBe("first-client");
  });
});
