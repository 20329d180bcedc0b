import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";

/** Secrets Manager on loopback: what a secret holds, and what it was asked. */
const secretsManager = {
  current: undefined as string | undefined,
  previous: undefined as string | undefined,
  down: false,
  requests: [] as string[],
};

const server = createServer(async (request, response) => {
  const { SecretId, VersionStage } = (await json(request)) as { SecretId: string; VersionStage: string };
  secretsManager.requests.push(VersionStage);
  if (secretsManager.down) {
    response.destroy();
    return;
  }
  const value = VersionStage === "AWSPREVIOUS" ? secretsManager.previous : secretsManager.current;
  response.setHeader("content-type", "application/x-amz-json-1.1");
  if (value === undefined) {
    response.writeHead(400).end(JSON.stringify({ __type: "ResourceNotFoundException" }));
  } else {
    response.end(JSON.stringify({ Name: SecretId, SecretString: value, VersionStages: [VersionStage] }));
  }
});

const environment = { ...process.env };

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "none",
    AWS_SECRET_ACCESS_KEY: "none",
  });
});

afterAll(() => {
  process.env = environment;
  server.close();
  server.closeAllConnections();
});

let findClient: (key: string) => Promise<string | undefined>;
let now: number;
let warnings: ReturnType<typeof jest.spyOn>;
let count = 0;

/** A new environment of a function: a module that knows no keys, and a secret nobody has read. */
beforeEach(async () => {
  count++;
  process.env.API_KEYS_SECRET = `api-keys-${count}`;
  Object.assign(secretsManager, {
    current: JSON.stringify({ "first-client": "first-key", "second-client": "second-key" }),
    previous: undefined,
    down: false,
    requests: [],
  });
  now = Date.now();
  jest.spyOn(Date, "now").mockImplementation(() => now);
  warnings = jest.spyOn(console, "warn").mockImplementation(() => {});
  ({ findClient } = await import(`../../../shared/http/api-keys.ts?${count}`));
});

afterEach(() => {
  jest.restoreAllMocks();
});

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const reads = () => secretsManager.requests.filter((stage) => stage === "AWSCURRENT").length;
const pass = (milliseconds: number) => {
  now += milliseconds;
};

describe("an API key", () => {
  test("that the secret has is its client's", async () => {
    expect(await findClient("first-key")).toBe("first-client");
    expect(await findClient("second-key")).toBe("second-client");
  });

  test.each(["unknown", "first-ke", "first-key ", "FIRST-KEY", "first-client", ""])(
    "that the secret has not, %j, is nobody's",
    async (key) => {
      expect(await findClient(key)).toBeUndefined();
    },
  );

  test("of the secret's previous version is accepted too", async () => {
    secretsManager.previous = JSON.stringify({ "first-client": "key-before-the-rotation" });
    expect(await findClient("key-before-the-rotation")).toBe("first-client");
    expect(await findClient("first-key")).toBe("first-client");
  });

  test("added later works as soon as the secret may be read again", async () => {
    await findClient("first-key");
    secretsManager.current = JSON.stringify({ "first-client": "first-key", "new-client": "new-key" });
    pass(5 * SECOND);
    expect(await findClient("new-key")).toBe("new-client");
    expect(await findClient("first-key")).toBe("first-client");
  });

  test("removed from both versions stops working within 5 minutes", async () => {
    expect(await findClient("first-key")).toBe("first-client");
    secretsManager.current = JSON.stringify({ "second-client": "second-key" });
    pass(5 * MINUTE);
    expect(await findClient("first-key")).toBeUndefined();
    expect(await findClient("second-key")).toBe("second-client");
  });

  test.each([
    ["an empty text", ""],
    ["a number", 5],
    ["null", null],
    ["a list", ["listed"]],
  ])("that is %s in the secret is nobody's, and the others work", async (_, value) => {
    secretsManager.current = JSON.stringify({ broken: value, client: "key" });
    expect(await findClient(String(value ?? ""))).toBeUndefined();
    expect(await findClient("key")).toBe("client");
  });
});

describe("the secret", () => {
  test("is read once for all keys that are known, and again after 5 minutes", async () => {
    for (let round = 0; round < 3; round++) {
      await findClient("first-key");
      await findClient("second-key");
      pass(MINUTE);
    }
    expect(reads()).toBe(1);
    pass(2 * MINUTE);
    await findClient("first-key");
    expect(reads()).toBe(2);
  });

  test("is read once for requests that come at the same time", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => findClient(`unknown-${index}`)));
    expect(reads()).toBe(1);
  });

  test("is read again for unknown keys once in 5 seconds, however many there are", async () => {
    await findClient("first-key");
    for (let second = 0; second < 20; second++) {
      await findClient(`unknown-${second}`);
      await findClient(`unknown-too-${second}`);
      pass(SECOND);
    }
    expect(reads()).toBe(1 + 3);
  });

  test.each([
    ["is not JSON", "confidential-4711"],
    ["is a JSON list", '["confidential-4711"]'],
    ["is a JSON text", '"confidential-4711"'],
    ["is null", "null"],
    ["is cut off", '{"client":"confidential-4711'],
  ])("that %s is the operator's error, in a sentence that quotes nothing of it", async (_, secret) => {
    secretsManager.current = secret;
    const error = await findClient("first-key").catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      name: "OperatorError",
      message: expect.stringMatching(/^The secret of the API keys must be a JSON object, .*correct it\.$/),
    });
    expect((error as Error).stack).not.toContain("4711");
    expect(error).not.toHaveProperty("cause");
  });

  test("that does not exist is the operator's error", async () => {
    secretsManager.current = undefined;
    await expect(findClient("first-key")).rejects.toMatchObject({
      name: "OperatorError",
      message: expect.stringContaining("does not exist"),
    });
  });

  test("that an operator broke leaves the keys known last at work, and says so in the log", async () => {
    const errors = jest.spyOn(console, "error").mockImplementation(() => {});
    await findClient("first-key");
    secretsManager.current = "confidential-4711";
    pass(5 * MINUTE);
    expect(await findClient("first-key")).toBe("first-client");
    expect(errors.mock.calls).toEqual([
      [expect.objectContaining({ event: "api-keys-unreadable", errorName: "OperatorError" })],
    ]);
    expect(JSON.stringify(errors.mock.calls)).not.toContain("4711");
  });
});

describe("while Secrets Manager is out of reach", () => {
  test("the keys known last go on working, and the log says so", async () => {
    expect(await findClient("first-key")).toBe("first-client");
    secretsManager.down = true;
    pass(5 * MINUTE);
    expect(await findClient("first-key")).toBe("first-client");
    expect(await findClient("unknown")).toBeUndefined();
    expect(warnings.mock.calls[0]).toEqual([expect.objectContaining({ event: "secret-not-refreshed" })]);
    expect(JSON.stringify(warnings.mock.calls)).not.toMatch(/first-key|unknown/);
  });

  test("unknown keys cost one re-read in 5 s, and known ones nothing", async () => {
    await findClient("first-key");
    pass(5_000);
    secretsManager.down = true;
    await findClient("unknown");
    const { length } = secretsManager.requests;
    for (let guess = 0; guess < 10; guess++) {
      expect(await findClient(`unknown-${guess}`)).toBeUndefined();
      expect(await findClient("first-key")).toBe("first-client");
    }
    expect(secretsManager.requests).toHaveLength(length);
  });

  test("from the start, no key can be told from another: the request fails", async () => {
    secretsManager.down = true;
    await expect(findClient("first-key")).rejects.toThrow();
  });

  test("a failure is not remembered: keys work as soon as it is back", async () => {
    secretsManager.down = true;
    await expect(findClient("first-key")).rejects.toThrow();
    secretsManager.down = false;
    expect(await findClient("first-key")).toBe("first-client");
  });
});
