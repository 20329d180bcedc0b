import { expect, test } from "@jest/globals";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { functionOf } from "../../shared/contract/endpoint.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { DESCRIPTION } from "../../tools/keys/keys-secret.ts";
import { Template } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const functions = [...readTemplate(assembly).functions.values()];

test("the secret of the API keys is the only one whose description begins as npm run keys expects", () => {
  const startsAsExpected = ({ Description }: { Description?: string }) => Description?.startsWith(DESCRIPTION) ?? false;
  const [id] = new Template(assembly).one("AWS::SecretsManager::Secret", startsAsExpected);
  expect(id).toBe(functions.map(({ environment }) => environment.API_KEYS_SECRET).find(Boolean));
  // Secrets Manager API Reference, "Filter"
  expect(DESCRIPTION).toMatch(/^[a-zA-Z0-9 :_@/+=.\-!]+$/);
});

test("a revoked key stops working within a minute, because every function that reads secrets rereads them that often", () => {
  const reading = functions.filter(({ environment }) => environment.API_KEYS_SECRET ?? environment.MODEL_KEY_SECRET);
  const authenticated = endpoints.filter((endpoint) => !endpoint.public);
  expect(reading).toHaveLength(new Set(authenticated.map(functionOf)).size);
  for (const { environment } of reading) {
    expect(environment.SECRETS_CACHE_SECONDS).toBe("60");
  }
});
