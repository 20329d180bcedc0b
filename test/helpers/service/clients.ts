import { setTimeout } from "node:timers/promises";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { API_KEY, type TestService } from "./service.ts";

/** Clients in the format of the secret (`shared/auth/client-keys.ts`). */
export type Clients = Record<string, { keys: string[]; tenant?: string; quotas?: Record<string, number> }>;

const CACHE_MILLISECONDS = 1_000;

/**
 * Adds clients to a service and waits until every function reads their keys. The service's own client remains.
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
  await setTimeout(CACHE_MILLISECONDS); // until no process of any function has a younger copy of the secret
}
