/**
 * Every key format of both tables, in one place.
 *
 * | access pattern                          | table    | how                                                            |
 * |-----------------------------------------|----------|----------------------------------------------------------------|
 * | a thread, to show it                    | threads  | GetItem threadKey(id)                                          |
 * | a thread and its last exchanges         | threads  | Query threadId = id, descending: the thread comes first        |
 * | append an exchange                      | threads  | TransactWriteItems exchangeKey(…) + threadKey(id)              |
 * | reserve or look up an idempotency key   | threads  | Put or GetItem idempotencyKeyOf(…), beside threadKey(id)       |
 * | delete a thread and all it holds        | threads  | Query threadId = id, then TransactWriteItems over those keys   |
 * | threads that a sweep has to look at     | threads  | Query index by-sweep, sweepAt = the sweep's time               |
 * | a patient                               | patients | GetItem patientKey(id)                                         |
 * | a patient by phone number               | patients | Query index by-phone-number, then GetItem phoneClaimKey(phone) |
 * | one record per phone number             | patients | TransactWriteItems patientKey(id) + phoneClaimKey(phone)       |
 */

/** The index of threads by the sweep that will collect them; keys only. */
export const BY_SWEEP = "by-sweep";
/** The index of patients by their 11 digits; whole records. */
export const BY_PHONE_NUMBER = "by-phone-number";

/** Sort key of the thread itself. Whatever else lives in its partition has to sort before `exchange`. */
export const THREAD_ITEM = "thread";

export function threadKey(threadId: string) {
  return { threadId, item: THREAD_ITEM };
}

/** @param number counts a thread's exchanges from 0; padded so that keys sort as numbers do */
export function exchangeKey(threadId: string, generation: string, number: number) {
  return { threadId, item: `${exchangePrefix(generation)}${String(number).padStart(8, "0")}` };
}

/** What the sort keys of one generation's exchanges begin with. */
export function exchangePrefix(generation: string): string {
  return `exchange#${generation}#`;
}

/**
 * What a request with an `Idempotency-Key` left behind. It lives in its thread's partition, and so dies with the thread.
 *
 * @param key as a hash
 */
export function idempotencyKeyOf(threadId: string, generation: string, key: string) {
  return { threadId, item: `by-key#${generation}#${key}` };
}

export function patientKey(id: string) {
  return { id };
}

/** The claim that makes a phone number unique. No patient's id looks like it: those are UUIDs. */
export function phoneClaimKey(phoneNumber: string) {
  return { id: `phone#${phoneNumber}` };
}
