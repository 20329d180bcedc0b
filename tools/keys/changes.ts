import { randomBytes } from "node:crypto";
import type { ClientKeys } from "../../shared/auth/client-keys.ts";

/** What an operator asked for cannot be done; the message is one sentence that says why, and what to do. */
export class KeysError extends Error {
  override readonly name = "KeysError";
}

/** A client's name goes into logs and, as a dimension, into metrics. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** @returns 256 random bits, in letters and digits that need no quoting in a shell, a header or a query string */
export function newKey(): string {
  return randomBytes(32).toString("hex");
}

/**
 * Gives a new client its first key.
 *
 * @throws KeysError when the name is taken or cannot be one
 */
export function add(clients: ClientKeys, name: string, key: string): ClientKeys {
  if (!NAME.test(name)) {
    throw new KeysError("A client's name has up to 64 letters, digits, dots, hyphens and underscores.");
  }
  if (clients.has(name)) {
    throw new KeysError(`There is a client ${name} already; give it a new key with rotate.`);
  }
  return new Map([...clients, [name, [key]]]);
}

/**
 * Gives a client a new key, beside which the one it has goes on working.
 *
 * @throws KeysError when there is no such client, or the overlap of its last rotation has not been ended
 */
export function rotate(clients: ClientKeys, name: string, key: string): ClientKeys {
  const keys = keysOf(clients, name);
  if (keys.length > 1) {
    throw new KeysError(`The client ${name} still has its previous key; end that with end-overlap first.`);
  }
  return new Map([...clients, [name, [key, ...keys]]]);
}

/**
 * Takes a client's previous key away.
 *
 * @throws KeysError when there is no such client, or it has no previous key
 */
export function endOverlap(clients: ClientKeys, name: string): ClientKeys {
  const keys = keysOf(clients, name);
  if (keys.length < 2) {
    throw new KeysError(`The client ${name} has no previous key.`);
  }
  return new Map([...clients, [name, keys.slice(0, 1)]]);
}

/**
 * Takes all its keys away from a client, and the client with them.
 *
 * @throws KeysError when there is no such client
 */
export function revoke(clients: ClientKeys, name: string): ClientKeys {
  keysOf(clients, name);
  return new Map([...clients].filter(([other]) => other !== name));
}

function keysOf(clients: ClientKeys, name: string): string[] {
  const keys = clients.get(name);
  if (!keys) {
    throw new KeysError(`There is no client ${name}; list shows those there are.`);
  }
  return keys;
}
