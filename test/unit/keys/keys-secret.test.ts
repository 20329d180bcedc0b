import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type SecretsServer, startSecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import { add, rotate } from "../../../tools/keys/changes.ts";
import { changeClientKeys, readClientKeys } from "../../../tools/keys/keys-secret.ts";

const SECRET = "the-secret";

let server: SecretsServer;
let client: SecretsManagerClient;
beforeEach(async () => {
  server = await startSecretsServer({ [SECRET]: JSON.stringify({ first: "key-of-the-first" }) });
  client = newClient();
});
afterEach(() => {
  client.destroy();
  server.stop();
});

/** A separate client, as another operator would use. */
function newClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    endpoint: server.endpoint,
    region: "local",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    maxAttempts: 2,
  });
}

const keys = async () =>
  Object.fromEntries([...(await readClientKeys(client, SECRET))].map(([name, { keys: all }]) => [name, all]));

/** Lets a function handle each call that makes a version current, within the SDK's own retries. */
function intercept(handle: (send: () => Promise<unknown>) => Promise<unknown>): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const send = () => next(args);
      const result = context.commandName === "UpdateSecretVersionStageCommand" ? handle(send) : send();
      return (await result) as Awaited<ReturnType<typeof next>>;
    },
    { step: "deserialize" },
  );
}

/** Overwrites the whole secret without reading it first, as a manual edit does. */
const writeByHand = (content: object) =>
  newClient().send(new PutSecretValueCommand({ SecretId: SECRET, SecretString: JSON.stringify(content) }));

describe("a change of the keys", () => {
  test("becomes the current version, and keeps the one before as AWSPREVIOUS", async () => {
    await changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key-of-the-second"));
    expect(await keys()).toEqual({ first: ["key-of-the-first"], second: ["key-of-the-second"] });
    const previous = await client.send(new GetSecretValueCommand({ SecretId: SECRET, VersionStage: "AWSPREVIOUS" }));
    expect(previous.SecretString).toBe('{"first":"key-of-the-first"}');
  });

  test("does not overwrite a malformed secret", async () => {
    await newClient().send(new PutSecretValueCommand({ SecretId: SECRET, SecretString: "confidential-4711" }));
    const failing = changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key"));
    await expect(failing).rejects.toMatchObject({ name: "OperatorError" });
    await expect(failing).rejects.not.toThrow("4711");
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: SECRET }));
    expect(SecretString).toBe("confidential-4711");
  });
});

describe("concurrent changes", () => {
  test("do not lose each other's keys", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `client-${index}`);
    await Promise.all(
      names.map((name) => changeClientKeys(newClient(), SECRET, (clients) => add(clients, name, `key of ${name}`))),
    );
    const expected = names.map((name) => [name, [`key of ${name}`]]);
    expect(await keys()).toEqual({ first: ["key-of-the-first"], ...Object.fromEntries(expected) });
  });

  test("include a manual edit made just before the new version becomes current", async () => {
    let times = 0;
    intercept(async (send) => {
      if (times++ === 0) {
        await writeByHand({ first: "key-by-hand", third: "third-by-hand" });
      }
      return send();
    });
    await changeClientKeys(client, SECRET, (clients) => rotate(clients, "first", "rotated"));
    expect(times).toBe(2);
    expect(await keys()).toEqual({ first: ["rotated", "key-by-hand"], third: ["third-by-hand"] });
  });

  test("end in an error when one never succeeds", async () => {
    let times = 0;
    intercept(async (send) => {
      await writeByHand({ first: `by-hand-${++times}` });
      return send();
    });
    await expect(changeClientKeys(client, SECRET, (clients) => rotate(clients, "first", "new"))).rejects.toMatchObject({
      name: "OperationError",
      message: expect.stringContaining("nothing was changed"),
    });
    expect(await keys()).toEqual({ first: [`by-hand-${times}`] });
  });
});

describe("when the response to a change is lost", () => {
  test("a change that was applied succeeds", async () => {
    let lost = false;
    intercept(async (send) => {
      const result = await send();
      if (!lost) {
        lost = true;
        throw Object.assign(new Error("the response was lost"), { name: "TimeoutError" });
      }
      return result;
    });
    await changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key"));
    expect(lost).toBe(true);
    expect(await keys()).toEqual({ first: ["key-of-the-first"], second: ["key"] });
  });

  test("a change that was not applied fails", async () => {
    intercept(async () => {
      throw Object.assign(new Error("not allowed"), { name: "AccessDeniedException" });
    });
    const failing = changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key"));
    await expect(failing).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(await keys()).toEqual({ first: ["key-of-the-first"] });
  });
});
