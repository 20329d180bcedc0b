import { randomBytes } from "node:crypto";
import type { ClientKeys } from "../../shared/auth/client-keys.ts";

/** Error thrown when a command cannot be carried out. The message is one sentence for the operator: why, and what to do. */
export class KeysError extends Error {
  override readonly name = "KeysError";
}

/** A client's name appears in logs and as a metric dimension. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** @returns 256 random bits in hexadecimal, which needs no quoting in a shell, a header or a query string */
export function newKey(): string {
  return randomBytes(32).toString("hex");
}

/**
 * Adds a client with its first key.
 *
 * @throws KeysError when the name is taken or invalid
 */
export function add(clients: ClientKeys, name: string, key: string): ClientKeys {
  if (!NAME.test(name)) {
    throw new KeysError(
      "A client name can have up to 64 letters, digits, dots, hyphens and underscores, and starts with a letter or digit.",
    );
  }
  if (clients.has(name)) {
    throw new KeysError(`The client ${name} already exists; use rotate to give it a new key.`);
  }
  return new Map([...clients, [name, [key]]]);
}

/**
 * Gives a client a new key. The current key remains valid until {@link endOverlap}.
 *
 * @throws KeysError when the client does not exist, or still has a previous key from its last rotation
 */
export function rotate(clients: ClientKeys, name: string, key: string): ClientKeys {
  const keys = keysOf(clients, name);
  if (keys.length > 1) {
    throw new KeysError(`The client ${name} still has its previous key; remove it with end-overlap first.`);
  }
  return new Map([...clients, [name, [key, ...keys]]]);
}

/**
 * Removes a client's previous key.
 *
 * @throws KeysError when the client does not exist or has no previous key
 */
export function endOverlap(clients: ClientKeys, name: string): ClientKeys {
  const keys = keysOf(clients, name);
  if (keys.length < 2) {
    throw new KeysError(`The client ${name} has no previous key.`);
  }
  return new Map([...clients, [name, keys.slice(0, 1)]]);
}

/**
 * Removes a client and all its keys.
 *
 * @throws KeysError when the client does not exist
 */
export function revoke(clients: ClientKeys, name: string): ClientKeys {
  keysOf(clients, name);
  return new Map([...clients].filter(([other]) => other !== name));
}

function keysOf(clients: ClientKeys, name: string): string[] {
  const keys = clients.get(name);
  if (!keys) {
    throw new KeysError(`The client ${name} does not exist; use list to see all clients.`);
  }
  return keys;
}
