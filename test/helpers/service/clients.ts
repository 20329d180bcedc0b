import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { eventually } from "../eventually.ts";
import { API_KEY, type TestService } from "./service.ts";

/** Clients in the format of the secret (`shared/auth/client-keys.ts`). */
export type Clients = Record<string, { keys: string[]; tenant?: string; quotas?: Record<string, number> }>;

/** A request without effects, for one function. */
type Probe = [method: string, path: string, body?: unknown];

/**
 * Adds clients to a service and waits until the functions that are probed know their keys. The service's own client
 * remains.
 *
 * @param service started with `SECRETS_CACHE_SECONDS: "1"`, as the shared one is
 * @param more probes of further functions, which another test file may have started
 */
export async function addClients(service: TestService, clients: Clients, more: Probe[] = []): Promise<void> {
  const { endpoint, secretId: SecretId } = service.apiKeys;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SecretsManagerClient({ endpoint, region: "us-east-1", credentials });
  const SecretString = JSON.stringify({ local: API_KEY, ...clients });
  await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  client.destroy();
  const key = Object.values(clients)[0]?.keys[0] ?? ""; // which a function reads together with the others
  await eventually(
    () => Promise.all([...PROBES, ...more].map(([method, path, body]) => service.call(method, path, { key, body }))),
    (replies) => replies.every(({ status }) => status !== 401),
  );
}

/** For the functions that most tests with clients of their own call. */
const PROBES: Probe[] = [
  ["GET", "/threads/none"],
  ["DELETE", "/threads/none"],
  ["GET", "/patients/none"],
  ["GET", "/patients/none/fhir"],
  ["POST", "/patients", {}],
  ["POST", "/threads", { phone: 1 }],
  ["POST", "/chat", {}],
  ["GET", "/webhooks"],
  ["POST", "/openai/v1/chat/completions", {}],
];
