import { OperatorError } from "../errors.ts";
import { secretsFailure } from "../failure-kind.ts";

/**
 * The keys of each client by its name: the one it is to use, and after that those that work beside it while the client
 * changes over. A client without a key can call nothing.
 */
export type ClientKeys = Map<string, string[]>;

/**
 * Reads what the secret of the API keys holds: `{"one client": "key", "another": ["new key", "previous key"]}`. What is
 * no key (another type, an empty text) is left out, so that one client's slip does not lock out the others.
 *
 * @throws OperatorError, which quotes nothing of it, when it is no JSON object
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
      new OperatorError('The secret of the API keys must be a JSON object, {"client name": "key"}; correct it.'),
    );
  }
  return new Map(Object.entries(content).map(([name, keys]) => [name, [keys].flat().filter(isKey)]));
}

/** The opposite of {@link parseClientKeys}. */
export function formatClientKeys(clients: ClientKeys): string {
  return JSON.stringify(
    Object.fromEntries([...clients].map(([name, keys]) => [name, keys.length === 1 ? keys[0] : keys])),
  );
}

function isKey(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
