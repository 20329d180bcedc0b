import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface SecretsServer {
  endpoint: string;
  stop(): void;
}

/**
 * Answers GetSecretValue, the one call the functions make (Secrets Manager API Reference).
 *
 * @param secrets name → value of the version that is current; there is no previous one
 */
export async function startSecretsServer(secrets: Record<string, string>): Promise<SecretsServer> {
  const server = createServer(async (request, response) => {
    const { SecretId, VersionStage } = (await json(request)) as { SecretId: string; VersionStage?: string };
    const value = VersionStage === "AWSPREVIOUS" ? undefined : secrets[SecretId];
    response.setHeader("content-type", "application/x-amz-json-1.1");
    if (value === undefined) {
      response.writeHead(400).end(JSON.stringify({ __type: "ResourceNotFoundException" }));
    } else {
      response.end(JSON.stringify({ Name: SecretId, SecretString: value, VersionStages: ["AWSCURRENT"] }));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
