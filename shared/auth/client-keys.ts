import { OperatorError } from "../errors.ts";
import { secretsFailure } from "../request/failure-kind.ts";
import { isQuotas, type Quotas } from "../request/quota-limits.ts";

/** A client, as described in the secret with the API keys. */
export interface ClientEntry {
  /** The current key, then previous ones that are valid during a rotation. Without any, it cannot call the API. */
  keys: string[];
  /** The name of its tenant, unless it is its own tenant. */
  tenant?: string | undefined;
  quotas?: Quotas | undefined;
  /**
   * The secret's entry for a client whose tenant or quotas are invalid. Such a client has no keys, so that a mistake
   * neither shows it another tenant's data nor leaves it without limits.
   */
  invalid?: unknown;
}

/** All clients, by name. */
export type ClientKeys = Map<string, ClientEntry>;

/**
 * Parses the secret with the API keys. A client with only keys is its own tenant; an object can assign it to another
 * tenant, together with other clients, and limit it:
 *
 *     {"one": "key", "two": ["new key", "previous key"],
 *      "three": {"keys": ["key"], "tenant": "two", "quotas": {"requestsPerMinute": 600}}}
 *
 * Invalid keys (other types, empty strings) are skipped, and a client with an invalid tenant or quotas has no keys, so
 * that a mistake in one entry does not lock out other clients.
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
  if (!isObject(content)) {
    throw secretsFailure(
      new OperatorError('The secret with the API keys must be a JSON object, {"client name": "key"}; correct it.'),
    );
  }
  return new Map(Object.entries(content).map(([name, entry]) => [name, entryOf(entry)]));
}

function entryOf(entry: unknown): ClientEntry {
  if (!isObject(entry)) {
    return { keys: keysOf(entry) };
  }
  const { keys, tenant, quotas, ...unknown } = entry;
  const valid =
    (tenant === undefined || isTenantName(tenant)) &&
    (quotas === undefined || isQuotas(quotas)) &&
    Object.keys(unknown).length === 0;
  return valid ? { keys: keysOf(keys), tenant, quotas } : { keys: [], invalid: entry };
}

/** The inverse of {@link parseClientKeys}. */
export function formatClientKeys(clients: ClientKeys): string {
  return JSON.stringify(Object.fromEntries([...clients].map(([name, entry]) => [name, contentOf(entry)])));
}

function contentOf({ keys, tenant, quotas, invalid }: ClientEntry): unknown {
  if (invalid !== undefined) {
    return invalid;
  }
  const limits = quotas && Object.keys(quotas).length > 0 ? quotas : undefined;
  return tenant === undefined && !limits ? (keys.length === 1 ? keys[0] : keys) : { keys, tenant, quotas: limits };
}

/** The name is part of database keys, which are limited to 2 KB. */
function isTenantName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 128;
}

function keysOf(value: unknown): string[] {
  return [value].flat().filter((key): key is string => typeof key === "string" && key !== "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
