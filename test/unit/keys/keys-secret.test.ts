import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type SecretsServer, startSecretsServer } from "../../../local/secrets-server.ts";
import { add, revoke, rotate } from "../../../tools/keys/changes.ts";
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

/** A client as another operator would have it. */
function newClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    endpoint: server.endpoint,
    region: "local",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    maxAttempts: 2,
  });
}

const keys = async () => Object.fromEntries(await readClientKeys(client, SECRET));

/** Does something each time before a client's call of an operation goes out. */
function ahead(operation: string, act: () => Promise<unknown>): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === operation) {
        await act();
      }
      return next(args);
    },
    { step: "initialize" },
  );
}

/** Writes the whole secret, as one does by hand: without a look at what is there. */
const writeByHand = (content: object) =>
  newClient().send(new PutSecretValueCommand({ SecretId: SECRET, SecretString: JSON.stringify(content) }));

describe("a change of the keys", () => {
  test("is the secret's current version, and the one before it is its previous version", async () => {
    await changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key-of-the-second"));
    expect(await keys()).toEqual({ first: ["key-of-the-first"], second: ["key-of-the-second"] });
    const previous = await client.send(new GetSecretValueCommand({ SecretId: SECRET, VersionStage: "AWSPREVIOUS" }));
    expect(previous.SecretString).toBe('{"first":"key-of-the-first"}');
  });

  test("that cannot be made leaves the secret as it was", async () => {
    const failing = changeClientKeys(client, SECRET, (clients) => revoke(clients, "nobody"));
    await expect(failing).rejects.toMatchObject({ name: "KeysError" });
    expect(await keys()).toEqual({ first: ["key-of-the-first"] });
  });

  test("does not overwrite a secret that cannot be read", async () => {
    await newClient().send(new PutSecretValueCommand({ SecretId: SECRET, SecretString: "confidential-4711" }));
    const failing = changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key"));
    await expect(failing).rejects.toMatchObject({ name: "OperatorError" });
    await expect(failing).rejects.not.toThrow("4711");
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: SECRET }));
    expect(SecretString).toBe("confidential-4711");
  });
});

describe("two operators at the same time", () => {
  test("lose none of each other's keys, however many they are", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `client-${index}`);
    await Promise.all(
      names.map((name) => changeClientKeys(newClient(), SECRET, (clients) => add(clients, name, `key of ${name}`))),
    );
    const expected = names.map((name) => [name, [`key of ${name}`]]);
    expect(await keys()).toEqual({ first: ["key-of-the-first"], ...Object.fromEntries(expected) });
  });

  test("cannot both add a client: the second is told", async () => {
    const results = await Promise.allSettled(
      ["one", "other"].map((key) => changeClientKeys(newClient(), SECRET, (clients) => add(clients, "second", key))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const winner = results[0]?.status === "fulfilled" ? "one" : "other";
    expect(await keys()).toEqual({ first: ["key-of-the-first"], second: [winner] });
  });

  test("lose nothing when one of them writes the secret by hand, just before the other's change", async () => {
    let times = 0;
    ahead("UpdateSecretVersionStageCommand", async () => {
      if (times++ === 0) {
        await writeByHand({ first: "key-by-hand", third: "third-by-hand" });
      }
    });
    await changeClientKeys(client, SECRET, (clients) => rotate(clients, "first", "rotated"));
    expect(times).toBe(2);
    expect(await keys()).toEqual({ first: ["rotated", "key-by-hand"], third: ["third-by-hand"] });
  });

  test("are told when one never gets through", async () => {
    let times = 0;
    ahead("UpdateSecretVersionStageCommand", () => writeByHand({ first: `by-hand-${++times}` }));
    await expect(changeClientKeys(client, SECRET, (clients) => rotate(clients, "first", "new"))).rejects.toMatchObject({
      name: "KeysError",
      message: expect.stringContaining("nothing was changed"),
    });
    expect(await keys()).toEqual({ first: [`by-hand-${times}`] });
  });
});

describe("when the answer to a change is lost", () => {
  test("the change is known to be made", async () => {
    const once = { done: false };
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const result = await next(args);
        if (context.commandName === "UpdateSecretVersionStageCommand" && !once.done) {
          once.done = true;
          throw Object.assign(new Error("the answer was lost"), { name: "TimeoutError" });
        }
        return result;
      },
      { step: "deserialize" }, // inside of the SDK's own repetition
    );
    await changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key"));
    expect(once.done).toBe(true);
    expect(await keys()).toEqual({ first: ["key-of-the-first"], second: ["key"] });
  });

  test("and the change was not made, that is an error", async () => {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === "UpdateSecretVersionStageCommand") {
          throw Object.assign(new Error("not allowed"), { name: "AccessDeniedException" });
        }
        return next(args);
      },
      { step: "deserialize" },
    );
    const failing = changeClientKeys(client, SECRET, (clients) => add(clients, "second", "key"));
    await expect(failing).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(await keys()).toEqual({ first: ["key-of-the-first"] });
  });
});

describe("the local service's Secrets Manager", () => {
  const put = (more: object) => client.send(new PutSecretValueCommand({ SecretId: SECRET, ...more }));
  const valueAt = async (VersionStage: string) =>
    (await client.send(new GetSecretValueCommand({ SecretId: SECRET, VersionStage }))).SecretString;

  test("knows no secret but its own, and no version that there is not", async () => {
    await expect(client.send(new GetSecretValueCommand({ SecretId: "another" }))).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
    await expect(valueAt("AWSPREVIOUS")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    await expect(
      client.send(new GetSecretValueCommand({ SecretId: SECRET, VersionId: "0".repeat(32) })),
    ).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });

  test("makes what is put the current version, and the one before it the previous", async () => {
    await put({ SecretString: "second" });
    await put({ SecretString: "third" });
    expect([await valueAt("AWSCURRENT"), await valueAt("AWSPREVIOUS")]).toEqual(["third", "second"]);
  });

  test("takes the same version twice, and another under its id never", async () => {
    const ClientRequestToken = "f".repeat(32);
    await put({ SecretString: "second", ClientRequestToken });
    await put({ SecretString: "third" });
    expect(await put({ SecretString: "second", ClientRequestToken })).toMatchObject({ VersionId: ClientRequestToken });
    expect(await valueAt("AWSCURRENT")).toBe("third");
    await expect(put({ SecretString: "other", ClientRequestToken })).rejects.toMatchObject({
      name: "ResourceExistsException",
    });
  });

  test("leaves the current version alone when another label is asked for", async () => {
    const { VersionId } = await put({ SecretString: "draft", VersionStages: ["DRAFT"] });
    expect(await valueAt("AWSCURRENT")).toContain("key-of-the-first");
    const byId = await client.send(new GetSecretValueCommand({ SecretId: SECRET, VersionId }));
    expect(byId).toMatchObject({ SecretString: "draft", VersionStages: ["DRAFT"] });
  });

  test("moves a label from the version that has it, from no other, and to none that there is not", async () => {
    const { VersionId: first } = await client.send(new GetSecretValueCommand({ SecretId: SECRET }));
    const { VersionId: draft } = await put({ SecretString: "draft", VersionStages: ["DRAFT"] });
    const move = (from: string | undefined, to: string | undefined) =>
      client.send(
        new UpdateSecretVersionStageCommand({
          SecretId: SECRET,
          VersionStage: "AWSCURRENT",
          RemoveFromVersionId: from,
          MoveToVersionId: to,
        }),
      );
    await expect(move(undefined, draft)).rejects.toMatchObject({ name: "InvalidParameterException" });
    await expect(move(draft, draft)).rejects.toMatchObject({ name: "InvalidParameterException" });
    await expect(move(first, "0".repeat(32))).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    expect(await valueAt("AWSCURRENT")).toContain("key-of-the-first");
    await move(first, draft);
    expect(await valueAt("AWSCURRENT")).toBe("draft");
    expect(await valueAt("AWSPREVIOUS")).toContain("key-of-the-first");
  });
});
