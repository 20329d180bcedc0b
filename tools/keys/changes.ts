import { randomBytes } from "node:crypto";
import type { ClientEntry, ClientKeys } from "../../shared/auth/client-keys.ts";
import { isQuota, QUOTA_LIMITS, type Quotas } from "../../shared/request/quota-limits.ts";
import { OperationError } from "../aws/explain.ts";

/** A client's name appears in logs and as a metric dimension. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** @returns 256 random bits in hexadecimal, which needs no quoting in a shell, a header or a query string */
export function newKey(): string {
  return randomBytes(32).toString("hex");
}

/**
 * Adds a client with its first key.
 *
 * @throws OperationError when the name is taken or invalid
 */
export function add(clients: ClientKeys, name: string, key: string, settings: ClientSettings = {}): ClientKeys {
  checkName("client", name);
  if (clients.has(name)) {
    throw new OperationError(`The client ${name} already exists; use rotate to give it a new key.`);
  }
  return new Map([...clients, [name, changed({ keys: [key] }, name, settings)]]);
}

/** The settings of a client that commands can change, besides its keys. */
export interface ClientSettings {
  /** The tenant's name; if it is the client's own name, the client is its own tenant. */
  tenant?: string | undefined;
  /** Limits by the name of the quota; "none" removes one. */
  quotas?: Record<string, string>;
}

/**
 * Changes a client's tenant and quotas. Its keys, and settings that are not given, do not change.
 *
 * @throws OperationError when the client does not exist, there is nothing to change, or a name or limit is invalid
 */
export function set(clients: ClientKeys, name: string, settings: ClientSettings): ClientKeys {
  const entry = entryOf(clients, name);
  if (settings.tenant === undefined && Object.keys(settings.quotas ?? {}).length === 0) {
    throw new OperationError("There is nothing to change; specify --tenant or --quota.");
  }
  return new Map([...clients, [name, changed(entry, name, settings)]]);
}

function changed(entry: ClientEntry, name: string, { tenant, quotas = {} }: ClientSettings): ClientEntry {
  if (tenant !== undefined) {
    checkName("tenant", tenant);
  }
  const limits: Record<string, number> = { ...entry.quotas };
  for (const [quota, limit] of Object.entries(quotas)) {
    if (!Object.hasOwn(QUOTA_LIMITS, quota)) {
      throw new OperationError(`There is no quota ${quota}; the quotas are ${Object.keys(QUOTA_LIMITS).join(", ")}.`);
    }
    if (limit === "none") {
      delete limits[quota];
    } else if (/^\d+$/.test(limit) && isQuota(quota, Number(limit))) {
      limits[quota] = Number(limit);
    } else {
      const highest = QUOTA_LIMITS[quota as keyof Quotas];
      throw new OperationError(`The quota ${quota} must be a whole number from 1 to ${highest}, or none.`);
    }
  }
  return {
    keys: entry.keys,
    tenant: tenant === undefined ? entry.tenant : tenant === name ? undefined : tenant,
    quotas: Object.keys(limits).length > 0 ? limits : undefined,
  };
}

function checkName(what: "client" | "tenant", name: string): void {
  if (!NAME.test(name)) {
    throw new OperationError(
      `A ${what} name can have up to 64 letters, digits, dots, hyphens and underscores, and starts with a letter or digit.`,
    );
  }
}

/**
 * Gives a client a new key. The current key remains valid until {@link endOverlap}.
 *
 * @throws OperationError when the client does not exist, or still has a previous key from its last rotation
 */
export function rotate(clients: ClientKeys, name: string, key: string): ClientKeys {
  const { keys, ...rest } = entryOf(clients, name);
  if (keys.length > 1) {
    throw new OperationError(`The client ${name} still has its previous key; remove it with end-overlap first.`);
  }
  return new Map([...clients, [name, { ...rest, keys: [key, ...keys] }]]);
}

/**
 * Removes a client's previous key.
 *
 * @throws OperationError when the client does not exist or has no previous key
 */
export function endOverlap(clients: ClientKeys, name: string): ClientKeys {
  const { keys, ...rest } = entryOf(clients, name);
  if (keys.length < 2) {
    throw new OperationError(`The client ${name} has no previous key.`);
  }
  return new Map([...clients, [name, { ...rest, keys: keys.slice(0, 1) }]]);
}

/**
 * Removes a client and all its keys.
 *
 * @throws OperationError when the client does not exist
 */
export function revoke(clients: ClientKeys, name: string): ClientKeys {
  if (!clients.has(name)) {
    throw unknown(name);
  }
  return new Map([...clients].filter(([other]) => other !== name));
}

function entryOf(clients: ClientKeys, name: string): ClientEntry {
  const entry = clients.get(name);
  if (!entry) {
    throw unknown(name);
  }
  if (entry.invalid !== undefined) {
    throw new OperationError(
      `The secret has an invalid tenant or quota for ${name}; correct it there, or revoke the client.`,
    );
  }
  return entry;
}

function unknown(name: string): OperationError {
  return new OperationError(`The client ${name} does not exist; use list to see all clients.`);
}
