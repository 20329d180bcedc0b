import { OperatorError } from "../errors.ts";
import { secretsFailure } from "../failure-kind.ts";

/**
 * The keys of each client, by client name: the current key first, then previous ones that remain valid during a
 * rotation. A client without a key cannot call the API.
 */
export type ClientKeys = Map<string, string[]>;

/**
 * Parses the secret with the API keys: `{"one client": "key", "another": ["new key", "previous key"]}`. Invalid keys
 * (other types, empty strings) are skipped, so that a mistake in one entry does not lock out other clients.
 *
 * @throws OperatorError when the secret is not a JSON object; the message does not quote it
 */
export function parseClientKeys(secret: string): ClientKeys {
  let content: unknown;
  try {
    content = JSON.parse(secret);
  } catch {
    content = undefined;
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw secretsFailure(
      new OperatorError('The secret with the API keys must be a JSON object, {"client name": "key"}; correct it.'),
    );
  }
  return new Map(Object.entries(content).map(([name, keys]) => [name, [keys].flat().filter(isKey)]));
}

/** The inverse of {@link parseClientKeys}. */
export function formatClientKeys(clients: ClientKeys): string {
  return JSON.stringify(
    Object.fromEntries([...clients].map(([name, keys]) => [name, keys.length === 1 ? keys[0] : keys])),
  );
}

function isKey(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
