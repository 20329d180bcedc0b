import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readTemplate } from "../../local/template.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { findKeysSecret } from "../../tools/keys/find-secret.ts";

interface Secret {
  ARN: string;
  Description: string;
  Tags: { Key: string; Value: string }[];
}

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const file = readdirSync(assembly).find((name) => name.endsWith(".template.json")) ?? "";
const { Resources } = JSON.parse(readFileSync(join(assembly, file), "utf8")) as {
  Resources: Record<string, { Type: string; Properties: Secret }>;
};
const functions = [...readTemplate(assembly).functions.values()];

/** The secrets of the synthesized stack as Secrets Manager would list them, with logical ids as ARNs. */
const ofStack: Secret[] = Object.entries(Resources)
  .filter(([, { Type }]) => Type === "AWS::SecretsManager::Secret")
  .map(([ARN, { Properties }]) => ({ ...Properties, ARN }));
const apiKeys = functions.map(({ environment }) => environment.API_KEYS_SECRET).find(Boolean) ?? "";

/** The same secrets in another stack that differs in one tag. */
const ofAnother = (tag: string, value: string): Secret[] =>
  ofStack.map((secret) => ({
    ...secret,
    ARN: `${secret.ARN}-${value}`,
    Tags: secret.Tags.map(({ Key, Value }) => ({ Key, Value: Key === tag ? value : Value })),
  }));

/** ListSecrets of Secrets Manager: matches the start of the description, ignoring case; one secret per page. */
let listed: Secret[] = [];
let filters: { Key: string; Values: string[] }[] = [];
const server = createServer(async (request, response) => {
  const { Filters, NextToken = "0" } = (await json(request)) as { Filters: typeof filters; NextToken?: string };
  filters = Filters;
  const beginning = Filters[0]?.Values[0]?.toLowerCase() ?? "";
  const matching = listed.filter(({ Description }) => Description.toLowerCase().startsWith(beginning));
  const next = Number(NextToken) + 1;
  response.setHeader("content-type", "application/x-amz-json-1.1");
  response.end(
    JSON.stringify({
      SecretList: matching.slice(next - 1, next),
      ...(next < matching.length && { NextToken: String(next) }),
    }),
  );
});

let client: SecretsManagerClient;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = new SecretsManagerClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "local",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
  });
});
afterAll(() => {
  client.destroy();
  server.close();
  server.closeAllConnections();
});

describe("the secret of a stage's API keys", () => {
  test("is found among the secrets of its stack, other stages and other services", async () => {
    const strangers = [
      ...ofAnother("stage", "prod"),
      ...ofAnother("service", "other"),
      { ARN: "none", Description: "" },
    ];
    listed = [...strangers, ...ofStack, ...ofAnother("stage", "devil")] as Secret[];
    expect(ofStack.length).toBeGreaterThan(1);
    expect(await findKeysSecret(client, "dev")).toBe(apiKeys);
    expect(await findKeysSecret(client, "prod")).toBe(`${apiKeys}-prod`);
  });

  test("is searched for with characters that a filter allows", async () => {
    await findKeysSecret(client, "dev");
    expect(filters).toEqual([{ Key: "description", Values: [expect.any(String)] }]);
    // Secrets Manager API Reference, "Filter"
    expect(filters[0]?.Values[0]).toMatch(/^!?[a-zA-Z0-9 :_@/+=.\-!]*$/);
  });

  test("is reported as missing when there is none", async () => {
    listed = ofStack;
    await expect(findKeysSecret(client, "staging")).rejects.toMatchObject({
      name: "KeysError",
      message: expect.stringContaining("stage staging"),
    });
  });

  test("must be named when there are several", async () => {
    listed = [...ofStack, ...ofAnother("Name", "twin"), ...ofStack];
    await expect(findKeysSecret(client, "dev")).rejects.toMatchObject({
      name: "KeysError",
      message: expect.stringContaining("--secret-id"),
    });
  });
});

test("a revoked key stops working within a minute, because every function that reads secrets rereads them that often", () => {
  const reading = functions.filter(({ environment }) => environment.API_KEYS_SECRET ?? environment.MODEL_KEY_SECRET);
  expect(reading).toHaveLength(endpoints.filter((endpoint) => !endpoint.public).length);
  for (const { environment } of reading) {
    expect(environment.SECRETS_CACHE_SECONDS).toBe("60");
  }
});
