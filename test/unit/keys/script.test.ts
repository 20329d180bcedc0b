import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type SecretsServer, startSecretsServer } from "../../../local/secrets-server.ts";
import { type KeysRun, runKeys } from "../../helpers/keys-script.ts";

const SECRET = "the-secret";
const KEY = /^[0-9a-f]{64}\n$/;

let server: SecretsServer;
let client: SecretsManagerClient;
beforeAll(async () => {
  server = await startSecretsServer({
    [SECRET]: '{"first":"key-of-the-first","broken":5}',
    broken: "confidential-4711",
  });
  client = new SecretsManagerClient({
    endpoint: server.endpoint,
    region: "local",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
  });
});
afterAll(() => {
  client.destroy();
  server.stop();
});

const run = (...args: string[]) => runKeys([...args, "--endpoint", server.endpoint, "--secret-id", SECRET]);
const stored = async (VersionStage = "AWSCURRENT") =>
  JSON.parse(
    (await client.send(new GetSecretValueCommand({ SecretId: SECRET, VersionStage }))).SecretString ?? "",
  ) as Record<string, unknown>;

/** All that a run wrote; nowhere in it may be a key of a client. */
const written = ({ stdout, stderr }: KeysRun) => stdout + stderr;

describe("npm run keys", () => {
  test("adds a client and prints its key, alone, on the standard output", async () => {
    const { code, stdout, stderr } = await run("add", "--client", "clinic-a");
    expect([code, stdout]).toEqual([0, expect.stringMatching(KEY)]);
    expect(stderr).toMatch(/clinic-a was added/);
    expect(stderr).not.toContain(stdout.trim());
    expect(await stored()).toMatchObject({ first: "key-of-the-first", "clinic-a": stdout.trim() });
  });

  test("rotates a client's key, and ends the overlap", async () => {
    const { stdout, code } = await run("rotate", "--client", "first");
    expect([code, stdout]).toEqual([0, expect.stringMatching(KEY)]);
    expect(await stored()).toMatchObject({ first: [stdout.trim(), "key-of-the-first"] });

    const listed = await run("list");
    expect(listed.stdout.split("\n")).toEqual([
      "first     overlap: the new key and the previous one work",
      "broken    no key: can call nothing",
      "clinic-a  one key",
      "",
    ]);
    const ended = await run("end-overlap", "--client", "first");
    expect(ended).toEqual({ code: 0, stdout: "", stderr: expect.stringContaining("within a minute") });
    expect(await stored()).toMatchObject({ first: stdout.trim() });
    expect(written(listed) + written(ended)).not.toContain(stdout.trim());
  });

  test("revokes a client in one write: its key is not in the current version", async () => {
    await client.send(new PutSecretValueCommand({ SecretId: SECRET, SecretString: '{"a":"key-of-a","b":"key-of-b"}' }));
    const { code, stdout } = await run("revoke", "--client", "a");
    expect([code, stdout]).toEqual([0, ""]);
    expect(await stored()).toEqual({ b: "key-of-b" });
    expect(await stored("AWSPREVIOUS")).toEqual({ a: "key-of-a", b: "key-of-b" });
  });

  test("says when there are no clients left", async () => {
    await client.send(new PutSecretValueCommand({ SecretId: SECRET, SecretString: '{"a":"key-of-a"}' }));
    await run("revoke", "--client", "a");
    expect(await run("list")).toEqual({ code: 0, stdout: "There are no clients.\n", stderr: "" });
  });
});

describe("npm run keys, when it cannot do it, says in a sentence why, changes nothing and exits with 1", () => {
  test.each([
    [
      "the client is not there",
      ["revoke", "--client", "nobody"],
      "There is no client nobody; list shows those there are.",
    ],
    [
      "the name cannot be one",
      ["add", "--client", "two words"],
      "A client's name has up to 64 letters, digits, dots, hyphens and underscores.",
    ],
  ])("when %s", async (_, args, sentence) => {
    const before = await stored();
    expect(await run(...args)).toEqual({ code: 1, stdout: "", stderr: `${sentence}\n` });
    expect(await stored()).toEqual(before);
  });

  test.each([
    ["there is no such secret", "no-such-secret", /^There is no such secret in this account and region\.\n$/],
    ["the secret is broken", "broken", /^The secret of the API keys must be a JSON object, .*; correct it\.\n$/],
  ])("when %s", async (_, secretId, sentence) => {
    const failed = await runKeys(["list", "--endpoint", server.endpoint, "--secret-id", secretId]);
    expect(failed).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(sentence) });
    expect(written(failed)).not.toContain("4711");
  });

  test("when the local service is not running", async () => {
    const failed = await runKeys(["list", "--endpoint", "http://127.0.0.1:1", "--secret-id", SECRET]);
    expect(failed).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("is the local service running") });
  });

  test("when it has no region, or nobody is signed in to AWS", async () => {
    const nowhere = await runKeys(["list", "--stage", "dev"]);
    expect(nowhere).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("set AWS_REGION") });
    const nobody = await runKeys(["list", "--stage", "dev"], { AWS_REGION: "us-east-1" });
    expect(nobody).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("no AWS credentials") });
  });
});

describe("npm run keys shows how it is used, and exits with 2,", () => {
  const where = ["--secret-id", SECRET];
  test.each([
    ["without a command", where],
    ["for an unknown command", ["remove", "--client", "a", ...where]],
    ["for two commands", ["add", "revoke", "--client", "a", ...where]],
    ["without a client", ["revoke", ...where]],
    ["with a client for list", ["list", "--client", "a", ...where]],
    ["without a place", ["add", "--client", "a"]],
    ["with two places", ["add", "--client", "a", "--stage", "dev", ...where]],
    ["for an unknown stage", ["add", "--client", "a", "--stage", "live"]],
    ["with a stage of the local service", ["list", "--stage", "dev", "--endpoint", "http://127.0.0.1:1"]],
    ["with an unknown option", ["list", "--all", ...where]],
  ])("%s", async (_, args) => {
    const { code, stdout, stderr } = await runKeys(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("npm run keys -- add --client NAME --stage STAGE");
  });
});
