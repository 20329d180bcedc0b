import { randomInt } from "node:crypto";
import type { Clock } from "../config.ts";
import { type Tenant, tenantNamed } from "../tenant.ts";

/**
 * Every key format of all tables. Each partition key, and the key of the index by phone number, begins with the tenant,
 * so no query or write reaches another tenant's items. The index by sweep spans tenants; only the sweep may read it. So
 * does the index by due time, which only the delivery of events may read.
 *
 * | access pattern                     | table    | how
 * |------------------------------------|----------|---
 * | a thread's own item                | threads  | GetItem threadKey(tenant, id)
 * | a thread and its last turns        | threads  | Query threadPartition(tenant, id), descending: the thread first
 * | append a turn                      | threads  | TransactWriteItems turnKey(…) + threadKey(…)
 * | reserve or read an idempotency key | threads  | Put or GetItem idempotencyKeyOf(…), beside threadKey(…)
 * | delete a thread and its contents   | threads  | Query threadPartition(…), then BatchWriteItem over its keys
 * | threads due at a sweep             | threads  | Query index by-sweep: each shard, sweepAt up to now
 * | requests for a person to check     | threads  | handoffTaskKey(…), beside its thread, in the index by-sweep too
 * | threads of a patient               | threads  | Query patientThreadsPartition(tenant, id), descending
 * | replay a creation                  | threads  | Put or GetItem creationRecordKey(…), beside what is created
 * | erasures to complete               | threads  | erasureTaskKey(tenant, id), in the index by-sweep too
 * | a patient                          | patients | GetItem patientKey(tenant, id)
 * | a patient by phone number          | patients | Query index by-phone-number, then GetItem phoneLockKey(…)
 * | patients by identifier, or by name | patients | Query index by-phone-number, where lookupKey(…) is too
 * | one record per phone number        | patients | TransactWriteItems patientKey(…) + phoneLockKey(…)
 * | that a patient was erased          | patients | erasureKey(tenant, id): a condition of the patient's new threads
 * | a client's usage of a quota        | quotas   | UpdateItem quotaKey(tenant, client, quota, window)
 * | record an event                    | events   | Put eventKey(tenant, shard, id), beside its cause
 * | feedback on an answer              | threads  | Put feedbackKey(…), beside threadKey(…) and feedbackCounterKey(…)
 * | feedback of a thread               | threads  | Query threadPartition(…), feedbackPrefix(…)
 * | count feedback                     | feedback | UpdateItem feedbackCounterKey(tenant, day, values)
 * | feedback counts of some days       | feedback | Query feedbackDays(tenant, from, to)
 * | events of a time                   | events   | Query each eventsPartition(tenant, shard), ascending
 * | a tenant's webhooks                | events   | Query webhooksPartition(tenant); GetItem webhookKey(tenant, id)
 * | an event to send to a webhook      | events   | deliveryKey(tenant, webhookId, eventId)
 * | events and deliveries that are due | events   | Query index by-due: each shard, dueAt up to now
 */

/** The index of threads by shard and by the sweep that will delete them; keys only. */
export const BY_SWEEP = "by-sweep";

/**
 * The number of shards of the index by sweep. A partition key of an index accepts 1,000 writes per second ("Best
 * practices for designing and using partition keys effectively"); docs/performance.md says how many new threads per
 * second this number allows. It may be raised: an item keeps its shard, and a sweep reads all of them. It may be
 * lowered once the higher shards are empty.
 */
export const SWEEP_SHARDS = 40;

/** The index of patients by tenant and phone number, with whole records, and of their other look-ups. */
export const BY_PHONE_NUMBER = "by-phone-number";

/** Sort key of the thread's own item. "~" sorts after every letter, so a descending query returns the thread first. */
export const THREAD_SK = "~thread";

/** The TTL attribute of a note of an erasure, in epoch seconds. */
export const ERASURE_ENDS_AT = "erasureEndsAt";

export const CREATION_RECORD_SK = "~idempotency";

const ERASURE = "erasure";
const HANDOFF = "handoff";
const SEPARATOR = "#";

/** Joins a tenant, which may have any name, and parts without `#`, so that different arguments give different keys. */
function keyOf(tenant: Tenant, ...parts: string[]): string {
  return [encodeURIComponent(tenant.toWellFormed()), ...parts].join(SEPARATOR);
}

/** The partition key of everything that belongs to a thread. */
export function threadPartition(tenant: Tenant, threadId: string): string {
  return keyOf(tenant, threadId);
}

/** An item due at a sweep: a thread, the erasure of a patient, or a thread's request for a person. */
export type Due = { tenant: Tenant } & (
  | { threadId: string }
  | { erasedPatientId: string }
  | { requestedIn: string; generation: string }
);

/** The inverse of {@link threadKey}, {@link erasureTaskKey} and {@link handoffTaskKey}, for the sweep. */
export function ofDueItem(pk: string, sk: string): Due {
  const [name = "", first = "", second] = pk.split(SEPARATOR);
  const tenant = tenantNamed(decodeURIComponent(name));
  if (first === ERASURE && second !== undefined) {
    return { tenant, erasedPatientId: second };
  }
  const [kind, generation = ""] = sk.split(SEPARATOR);
  return kind === HANDOFF ? { tenant, requestedIn: first, generation } : { tenant, threadId: first };
}

/** The first sweep at or after a time (milliseconds since the epoch), the key of the index by sweep, as ISO 8601. */
export function sweepAt(time: number, clock: Clock): string {
  const interval = clock.sweepIntervalSeconds * 1000;
  return new Date(Math.ceil(time / interval) * interval).toISOString();
}

/** A random shard for a new item in the index by sweep. The item keeps it: later, only its `sweepAt` changes. */
export function randomSweepShard(): string {
  return String(randomInt(SWEEP_SHARDS));
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

/** The number of a turn, from its sort key. */
export function turnNumberOf(sk: string): number {
  return Number(sk.split(SEPARATOR).at(-1));
}

/** The common prefix of the sort keys of one generation's turns. */
export function turnPrefix(generation: string): string {
  return `turn#${generation}#`;
}

/**
 * The idempotency record of a request. It is in its thread's partition, and so is deleted together with the thread.
 *
 * @param key a hash
 */
export function idempotencyKeyOf(tenant: Tenant, threadId: string, generation: string, key: string) {
  return { pk: threadPartition(tenant, threadId), sk: `idempotency#${generation}#${key}` };
}

/** Feedback on the answer of a turn. It is in its thread's partition, and so is deleted together with the thread. */
export function feedbackKey(tenant: Tenant, threadId: string, generation: string, turnNumber: number) {
  return { pk: threadPartition(tenant, threadId), sk: `${feedbackPrefix(generation)}${turnNumber}` };
}

/** The common prefix of the sort keys of one generation's feedback. */
export function feedbackPrefix(generation: string): string {
  return `feedback#${generation}#`;
}

/** The task of checking whether a person has taken over, in its thread's partition, where the sweep finds it. */
export function handoffTaskKey(tenant: Tenant, threadId: string, generation: string) {
  return { pk: threadPartition(tenant, threadId), sk: [HANDOFF, generation].join(SEPARATOR) };
}

/** The links from a patient to the threads about the patient, in the threads table. */
export function patientThreadsPartition(tenant: Tenant, patientId: string): string {
  return keyOf(tenant, "patient", patientId);
}

/** A generation begins with the time of its creation, so the links sort by that. */
export function patientThreadKey(tenant: Tenant, patientId: string, generation: string, threadId: string) {
  return { pk: patientThreadsPartition(tenant, patientId), sk: [generation, threadId].join(SEPARATOR) };
}

/** The inverse of the sort key in {@link patientThreadKey}. */
export function ofPatientThread(sk: string): { generation: string; threadId: string } {
  const [generation = "", threadId = ""] = sk.split(SEPARATOR);
  return { generation, threadId };
}

/**
 * The key of the idempotency record of a request that creates a patient or a thread, in the threads table.
 *
 * @param key a hash
 */
export function creationRecordKey(tenant: Tenant, operation: string, key: string) {
  return { pk: keyOf(tenant, "idempotency", operation, key), sk: CREATION_RECORD_SK };
}

/** The task of an incomplete erasure, in the threads table, where the sweep finds it by its `sweepAt`. */
export function erasureTaskKey(tenant: Tenant, patientId: string) {
  return { pk: keyOf(tenant, ERASURE, patientId), sk: "~erasure" };
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

/**
 * What a patient is looked up by besides the phone number: an item of its own for each, since a record has one key in
 * the index.
 *
 * @param lookup a hash
 */
export function lookupKey(tenant: Tenant, patientId: string, lookup: string) {
  return { pk: keyOf(tenant, "lookup", `${patientId}.${lookup}`) };
}

/** The key of a look-up in the index by phone number. */
export function lookupIndexKey(tenant: Tenant, lookup: string) {
  return { phoneKey: keyOf(tenant, "lookup", lookup) };
}

/** The note that a patient was erased, which prevents a restore from bringing the record back. */
export function erasureKey(tenant: Tenant, patientId: string) {
  return { pk: keyOf(tenant, ERASURE, patientId) };
}

/** The counter of a client's quota, for a time window or, with "", without a window. */
export function quotaKey(tenant: Tenant, client: string, quota: string, window: string) {
  return { pk: keyOf(tenant, encodeURIComponent(client.toWellFormed()), quota, window) };
}

/** The number of partitions of a tenant's events: each accepts 1,000 writes per second. */
export const EVENT_SHARDS = 10;

const EVENTS = "events";
const WEBHOOKS = "webhooks";
const DELIVERIES = "deliveries";

/** What the partition keys of all tenants' events, or webhooks, and no others match: a tenant's part has no `#`. */
export const EVENTS_PATTERN = keyPattern(EVENTS, "*");
export const WEBHOOKS_PATTERN = keyPattern(WEBHOOKS);

/** The attributes of webhooks, without their secrets, that functions which send nothing may name in a query. */
export const WEBHOOK_TYPE_ATTRIBUTES = ["pk", "sk", "events", "disabled"];

function keyPattern(...parts: string[]): string {
  return ["*", ...parts].join(SEPARATOR);
}

/** A part of a tenant's events, in the events table. */
export function eventsPartition(tenant: Tenant, shard: number): string {
  return keyOf(tenant, EVENTS, String(shard));
}

/**
 * An event, in the events table.
 *
 * @param id begins with the time of the event, so the events of a shard sort by that
 */
export function eventKey(tenant: Tenant, shard: number, id: string) {
  return { pk: eventsPartition(tenant, shard), sk: id };
}

/** The beginning of the sort keys of events and of no other items of the table: the stream is filtered by it. */
export const EVENT_PREFIX = "evt_";

/** The beginning of the sort keys of webhooks. */
export const WEBHOOK_PREFIX = "wh_";

/** A tenant's webhooks and their number, in the events table. */
export function webhooksPartition(tenant: Tenant): string {
  return keyOf(tenant, WEBHOOKS);
}

export function webhookKey(tenant: Tenant, id: string) {
  return { pk: webhooksPartition(tenant), sk: id };
}

/** The number of a tenant's webhooks. */
export function webhookCountKey(tenant: Tenant) {
  return { pk: webhooksPartition(tenant), sk: "~count" };
}

/** An event that has to be sent to a webhook. */
export function deliveryKey(tenant: Tenant, webhookId: string, eventId: string) {
  return { pk: keyOf(tenant, DELIVERIES, webhookId), sk: `delivery#${eventId}` };
}

/** The index of events and deliveries by shard and by the time when they are due; keys only. */
export const BY_DUE = "by-due";

/** The number of shards of the index by due time, each of which accepts 1,000 writes per second. */
export const DUE_SHARDS = 10;

/** The attributes of an item in the index by due time, in a random shard. */
export function dueAttributes(time: number) {
  return { dueShard: String(randomInt(DUE_SHARDS)), dueAt: new Date(time).toISOString() };
}

/** An event for whose webhooks there are no deliveries yet. */
export interface DueEvent {
  tenant: Tenant;
  shard: number;
  eventId: string;
}

/** A delivery that has to be tried. */
export interface DueDelivery {
  tenant: Tenant;
  webhookId: string;
  eventId: string;
}

/** The inverse of {@link eventKey} and {@link deliveryKey}. */
export function ofDueKey({ pk, sk }: { pk: string; sk: string }): DueEvent | DueDelivery {
  const [name = "", kind, part = ""] = pk.split(SEPARATOR);
  const tenant = tenantNamed(decodeURIComponent(name));
  return kind === EVENTS
    ? { tenant, shard: Number(part), eventId: sk }
    : { tenant, webhookId: part, eventId: sk.slice(sk.indexOf(SEPARATOR) + 1) };
}

/**
 * The count of feedback with the same values, in the feedback table.
 *
 * @param day ISO 8601, so that the counts of a tenant sort by it
 */
export function feedbackCounterKey(tenant: Tenant, day: string, values: string[]) {
  return { pk: keyOf(tenant, "feedback"), sk: [day, ...values.map(encodeURIComponent)].join(SEPARATOR) };
}

/** The range of the counts from one day to another; "~" sorts after everything that follows a day. */
export function feedbackDays(tenant: Tenant, from: string, to: string) {
  return { pk: keyOf(tenant, "feedback"), first: from, last: `${to}~` };
}

/** A tenant's sources and the library, in the sources table. */
export function sourcesPartition(tenant: Tenant): string {
  return keyOf(tenant, "sources");
}

export function sourceKey(tenant: Tenant, id: string) {
  return { pk: sourcesPartition(tenant), sk: id };
}

/** The version, number and size of a tenant's sources. No source has this id. */
export function libraryKey(tenant: Tenant) {
  return { pk: sourcesPartition(tenant), sk: LIBRARY_SK };
}

export const LIBRARY_SK = "~library";

/** Returns the kind of an item of the patients table, by its key, and the part that names its tenant. */
export function ofPatientsPartition(pk: string): { tenantPart: string; kind: string; id: string } {
  const [tenantPart = "", kind = "", id = ""] = pk.split(SEPARATOR);
  return { tenantPart, kind, id };
}
