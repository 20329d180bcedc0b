import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { eventually } from "../eventually.ts";
import { API_KEY, type TestService } from "./service.ts";

/** Clients in the format of the secret (`shared/auth/client-keys.ts`). */
export type Clients = Record<string, { keys: string[]; tenant?: string; quotas?: Record<string, number> }>;

/**
 * Adds clients to a service and waits until every function knows their keys. The service's own client remains.
 *
 * @param service started with `SECRETS_CACHE_SECONDS: "1"`, as the shared one is
 */
export async function addClients(service: TestService, clients: Clients): Promise<void> {
  const { endpoint, secretId: SecretId } = service.apiKeys;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SecretsManagerClient({ endpoint, region: "us-east-1", credentials });
  const SecretString = JSON.stringify({ local: API_KEY, ...clients });
  await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  client.destroy();
  const key = Object.values(clients)[0]?.keys[0] ?? ""; // which a function reads together with the others
  await eventually(
    () => Promise.all(PROBES.map(([method, path, body]) => service.call(method, path, { key, body }))),
    (replies) => replies.every(({ status }) => status !== 401),
  );
}

/** Requests without effects, one for each function: another test file may have started any of them. */
const PROBES: [method: string, path: string, body?: unknown][] = [
  ["GET", "/threads/none"],
  ["DELETE", "/threads/none"],
  ["GET", "/patients/none"],
  ["GET", "/patients/none/fhir"],
  ["POST", "/patients", {}],
  ["PATCH", "/patients/none", {}],
  ["DELETE", "/patients/none"],
  ["POST", "/patients/search", {}],
  ["GET", "/patients/none/threads"],
  ["GET", "/patients/none/export"],
  ["POST", "/threads", { phone: 1 }],
  ["GET", "/threads/none/messages"],
  ["GET", "/threads/none/handoff"],
  ["GET", "/feedback"],
  ["GET", "/sources"],
  ["GET", "/events"],
  ["POST", "/chat", {}],
  ["GET", "/webhooks"],
  ["POST", "/openai/v1/chat/completions", {}],
];
