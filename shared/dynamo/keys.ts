import { type Tenant, tenantNamed } from "../tenant.ts";

/**
 * Every key format of both tables. Each partition key, and the key of the index by phone number, begins with the tenant,
 * so no query or write reaches another tenant's items. The index by sweep spans tenants; only the sweep may read it.
 *
 * | access pattern                        | table    | how                                                              |
 * |---------------------------------------|----------|------------------------------------------------------------------|
 * | a thread's own item                   | threads  | GetItem threadKey(tenant, id)                                    |
 * | a thread and its last turns           | threads  | Query threadPartition(tenant, id), descending: the thread first  |
 * | append a turn                         | threads  | TransactWriteItems turnKey(…) + threadKey(…)                     |
 * | reserve or look up an idempotency key | threads  | Put or GetItem idempotencyKeyOf(…), beside threadKey(…)          |
 * | delete a thread and its contents      | threads  | Query threadPartition(…), then TransactWriteItems over its keys  |
 * | threads that a sweep has to look at   | threads  | Query index by-sweep, sweepAt = the sweep's time                 |
 * | a patient                             | patients | GetItem patientKey(tenant, id)                                   |
 * | a patient by phone number             | patients | Query index by-phone-number, then GetItem phoneLockKey(…)        |
 * | one record per phone number           | patients | TransactWriteItems patientKey(…) + phoneLockKey(…)               |
 * | that a patient was erased             | patients | erasureKey(tenant, id), read by a restore                        |
 */

/** The index of threads by the sweep that will delete them; keys only. */
export const BY_SWEEP = "by-sweep";
/** The index of patients by tenant and phone number; whole records. */
export const BY_PHONE_NUMBER = "by-phone-number";

/** Sort key of the thread's own item. "~" sorts after every letter, so a descending query returns the thread first. */
export const THREAD_SK = "~thread";

const SEPARATOR = "#";

/** Joins a tenant, which may have any name, and parts without `#`: different arguments have different keys. */
function keyOf(tenant: Tenant, ...parts: string[]): string {
  return [encodeURIComponent(tenant.toWellFormed()), ...parts].join(SEPARATOR);
}

/** The partition key of everything that belongs to a thread. */
export function threadPartition(tenant: Tenant, threadId: string): string {
  return keyOf(tenant, threadId);
}

/** The inverse of {@link threadPartition}, for the sweep. */
export function ofThreadPartition(pk: string): { tenant: Tenant; threadId: string } {
  const [name = "", threadId = ""] = pk.split(SEPARATOR);
  return { tenant: tenantNamed(decodeURIComponent(name)), threadId };
}

export function threadKey(tenant: Tenant, threadId: string) {
  return { pk: threadPartition(tenant, threadId), sk: THREAD_SK };
}

/** @param number counts a thread's turns from 0; padded so that keys sort as numbers do */
export function turnKey(tenant: Tenant, threadId: string, generation: string, number: number) {
  return {
    pk: threadPartition(tenant, threadId),
    sk: `${turnPrefix(generation)}${String(number).padStart(8, "0")}`,
  };
}

/** The common prefix of the sort keys of one generation's turns. */
export function turnPrefix(generation: string): string {
  return `turn#${generation}#`;
}

/**
 * The idempotency record of a request. It is in its thread's partition, and so is deleted together with the thread.
 *
 * @param key as a hash
 */
export function idempotencyKeyOf(tenant: Tenant, threadId: string, generation: string, key: string) {
  return { pk: threadPartition(tenant, threadId), sk: `idempotency#${generation}#${key}` };
}

export function patientKey(tenant: Tenant, id: string) {
  return { pk: keyOf(tenant, "patient", id) };
}

/** The lock that makes a phone number unique within a tenant. */
export function phoneLockKey(tenant: Tenant, phoneNumber: string) {
  return { pk: keyOf(tenant, "phone", phoneNumber) };
}

/** A patient's key in the index by phone number. */
export function phoneIndexKey(tenant: Tenant, phoneNumber: string) {
  return { phoneKey: keyOf(tenant, "phone", phoneNumber) };
}

/** The note that a patient was erased, which keeps a restore from bringing the record back. */
export function erasureKey(tenant: Tenant, patientId: string) {
  return { pk: keyOf(tenant, "erasure", patientId) };
}

/** What an item of the patients table is, by its key, and the part that names its tenant. */
export function ofPatientsPartition(pk: string): { tenantPart: string; kind: string; id: string } {
  const [tenantPart = "", kind = "", id = ""] = pk.split(SEPARATOR);
  return { tenantPart, kind, id };
}
