/**
 * Every key format of both tables, in one place.
 *
 * | access pattern                          | table    | how                                                            |
 * |-----------------------------------------|----------|----------------------------------------------------------------|
 * | a thread, to show it                    | threads  | GetItem threadKey(id)                                          |
 * | a thread and its last turns         | threads  | Query threadId = id, descending: the thread comes first        |
 * | append a turn                      | threads  | TransactWriteItems turnKey(…) + threadKey(id)              |
 * | reserve or look up an idempotency key   | threads  | Put or GetItem idempotencyKeyOf(…), beside threadKey(id)       |
 * | delete a thread and all it holds        | threads  | Query threadId = id, then TransactWriteItems over those keys   |
 * | threads that a sweep has to look at     | threads  | Query index by-sweep, sweepAt = the sweep's time               |
 * | a patient                               | patients | GetItem patientKey(id)                                         |
 * | a patient by phone number               | patients | Query index by-phone-number, then GetItem phoneLockKey(phone) |
 * | one record per phone number             | patients | TransactWriteItems patientKey(id) + phoneLockKey(phone)       |
 */

/** The index of threads by the sweep that will collect them; keys only. */
export const BY_SWEEP = "by-sweep";
/** The index of patients by their 11 digits; whole records. */
export const BY_PHONE_NUMBER = "by-phone-number";

/** Sort key of the thread itself. "~" sorts after every letter, so a descending query returns the thread first. */
export const THREAD_SK = "~thread";

export function threadKey(threadId: string) {
  return { threadId, sk: THREAD_SK };
}

/** @param number counts a thread's turns from 0; padded so that keys sort as numbers do */
export function turnKey(threadId: string, generation: string, number: number) {
  return { threadId, sk: `${turnPrefix(generation)}${String(number).padStart(8, "0")}` };
}

/** What the sort keys of one generation's turns begin with. */
export function turnPrefix(generation: string): string {
  return `turn#${generation}#`;
}

/**
 * What a request with an `Idempotency-Key` left behind. It lives in its thread's partition, and so dies with the thread.
 *
 * @param key as a hash
 */
export function idempotencyKeyOf(threadId: string, generation: string, key: string) {
  return { threadId, sk: `idempotency#${generation}#${key}` };
}

export function patientKey(id: string) {
  return { id };
}

/** The lock that makes a phone number unique. No patient's id looks like it: those are UUIDs. */
export function phoneLockKey(phoneNumber: string) {
  return { id: `phone#${phoneNumber}` };
}
