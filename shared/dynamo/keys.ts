/**
 * Every key format of both tables.
 *
 * | access pattern                        | table    | how                                                           |
 * |---------------------------------------|----------|---------------------------------------------------------------|
 * | a thread's own item                   | threads  | GetItem threadKey(id)                                         |
 * | a thread and its last turns           | threads  | Query threadId = id, descending: the thread comes first       |
 * | append a turn                         | threads  | TransactWriteItems turnKey(…) + threadKey(id)                 |
 * | reserve or look up an idempotency key | threads  | Put or GetItem idempotencyKeyOf(…), beside threadKey(id)      |
 * | delete a thread and its contents      | threads  | Query threadId = id, then TransactWriteItems over those keys  |
 * | threads that a sweep has to look at   | threads  | Query index by-sweep, sweepAt = the sweep's time              |
 * | a patient                             | patients | GetItem patientKey(id)                                        |
 * | a patient by phone number             | patients | Query index by-phone-number, then GetItem phoneLockKey(phone) |
 * | one record per phone number           | patients | TransactWriteItems patientKey(id) + phoneLockKey(phone)       |
 */

/** The index of threads by the sweep that will delete them; keys only. */
export const BY_SWEEP = "by-sweep";
/** The index of patients by their 11 digits; whole records. */
export const BY_PHONE_NUMBER = "by-phone-number";

/** Sort key of the thread's own item. "~" sorts after every letter, so a descending query returns the thread first. */
export const THREAD_SK = "~thread";

export function threadKey(threadId: string) {
  return { threadId, sk: THREAD_SK };
}

/** @param number counts a thread's turns from 0; padded so that keys sort as numbers do */
export function turnKey(threadId: string, generation: string, number: number) {
  return { threadId, sk: `${turnPrefix(generation)}${String(number).padStart(8, "0")}` };
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
export function idempotencyKeyOf(threadId: string, generation: string, key: string) {
  return { threadId, sk: `idempotency#${generation}#${key}` };
}

export function patientKey(id: string) {
  return { id };
}

/** The lock that makes a phone number unique. It cannot collide with a patient's id, which is a UUID. */
export function phoneLockKey(phoneNumber: string) {
  return { id: `phone#${phoneNumber}` };
}
