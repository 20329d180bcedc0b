import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type SecretsServer, startSecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import { runKeys } from "../../helpers/keys-script.ts";

const SECRET = "the-secret";

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
const stored = async () => (await client.send(new GetSecretValueCommand({ SecretId: SECRET }))).SecretString;

describe("npm run keys explains the failure in one sentence, changes nothing and exits with 1", () => {
  test("when the client does not exist", async () => {
    const before = await stored();
    const sentence = "The client nobody does not exist; use list to see all clients.";
    expect(await run("revoke", "--client", "nobody")).toEqual({ code: 1, stdout: "", stderr: `${sentence}\n` });
    expect(await stored()).toEqual(before);
  });

  test.each([
    ["the secret does not exist", "no-such-secret", /^The secret does not exist in this account and region\.\n$/],
    ["the secret is broken", "broken", /^The secret with the API keys must be a JSON object, .*; correct it\.\n$/],
  ])("when %s", async (_, secretId, sentence) => {
    const failed = await runKeys(["list", "--endpoint", server.endpoint, "--secret-id", secretId]);
    expect(failed).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(sentence) });
    expect(failed.stderr).not.toContain("4711");
  });

  test("when the local service is not running", async () => {
    const failed = await runKeys(["list", "--endpoint", "http://127.0.0.1:1", "--secret-id", SECRET]);
    expect(failed).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("the local service is running") });
  });

  test("when there is no AWS region, or there are no AWS credentials", async () => {
    const nowhere = await runKeys(["list", "--stage", "dev"]);
    expect(nowhere).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("set AWS_REGION") });
    const nobody = await runKeys(["list", "--stage", "dev"], { AWS_REGION: "us-east-1" });
    expect(nobody).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("No AWS credentials") });
  });
});
