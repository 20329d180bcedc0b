import { json } from "node:stream/consumers";
import { LocalSecret, SecretsError } from "./local-secret.ts";
import { servePrograms } from "./loopback.ts";

export interface SecretsServer {
  endpoint: string;
  stop(): void;
}

/**
 * Implements the operations of Secrets Manager that the functions and `npm run keys` use (Secrets Manager API
 * Reference): GetSecretValue, PutSecretValue and UpdateSecretVersionStage. It listens on loopback and does not check
 * credentials.
 *
 * @param values name → value of each secret's first version; changes are lost when the server stops
 */
export async function startSecretsServer(values: Record<string, string>): Promise<SecretsServer> {
  const secrets = new Map(Object.entries(values).map(([name, value]) => [name, new LocalSecret(value)]));
  const { origin, stop } = await servePrograms(async (request, response) => {
    response.setHeader("content-type", "application/x-amz-json-1.1");
    try {
      const operation = String(request.headers["x-amz-target"]).split(".").at(-1);
      const body = (await json(request)) as Record<string, unknown>;
      const name = String(body.SecretId);
      response.end(JSON.stringify({ Name: name, ...carryOut(operation, secrets.get(name), body) }));
    } catch (error) {
      const type = error instanceof SecretsError ? error.type : "InvalidRequestException";
      response.writeHead(400).end(JSON.stringify({ __type: type, message: (error as Error).message }));
    }
  });
  return { endpoint: origin, stop };
}

function carryOut(operation: string | undefined, secret: LocalSecret | undefined, body: Record<string, unknown>) {
  if (!secret) {
    throw new SecretsError("ResourceNotFoundException", "there is no such secret");
  }
  switch (operation) {
    case "GetSecretValue":
      return secret.get(body);
    case "PutSecretValue":
      return secret.put(body);
    case "UpdateSecretVersionStage":
      return secret.moveLabel(body);
    default:
      throw new SecretsError("InvalidRequestException", `the local service does not support ${operation}`);
  }
}
