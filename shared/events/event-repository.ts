import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { updateItem } from "../dynamo/conditional-write.ts";
import { allOf, differs, equals, expressions, isBetween, isOneOf, isPresent } from "../dynamo/expressions.ts";
import { EVENT_SHARDS, eventKey, eventsPartition } from "../dynamo/keys.ts";
import { queryItems, readItem } from "../dynamo/query.ts";
import type { Tenant } from "../tenant.ts";
import type { StoredEvent } from "./event.ts";

const SHARDS = Array.from({ length: EVENT_SHARDS }, (_, shard) => shard);

/** @returns the event, read consistently; undefined if it has expired */
export async function readEvent(tenant: Tenant, shard: number, id: string): Promise<StoredEvent | undefined> {
  const item = await readItem(config.eventsTable, eventKey(tenant, shard, id));
  return item && toEvent(item);
}

function toEvent({ sk, ...event }: Record<string, unknown>): StoredEvent {
  return { ...event, id: sk } as StoredEvent;
}

/**
 * Lists a tenant's events between two IDs, the oldest first, read consistently.
 *
 * @param after the ID before the first event
 * @param before the ID after the last event
 */
export async function readEvents(tenant: Tenant, after: string, before: string, limit: number): Promise<StoredEvent[]> {
  const shards = await Promise.all(
    SHARDS.map((shard) =>
      dynamo.send(
        new QueryCommand({
          TableName: config.eventsTable,
          ...expressions({
            keys: allOf(
              equals("pk", eventsPartition(tenant, shard)),
              isBetween("sk", `${after}!`, before), // the least text that is greater
            ),
          }),
          ConsistentRead: true,
          Limit: limit,
        }),
      ),
    ),
  );
  const events = shards.flatMap(({ Items = [] }) => Items.map(toEvent));
  return events.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit);
}

/** The most operands of `IN` ("Expressions in DynamoDB"). */
const OPERANDS = 100;

/**
 * Removes the IDs from the events about a patient, and about threads that were about the patient. The notice of the
 * patient's own erasure keeps the patient's ID: its receivers delete their copies by it.
 *
 * There is no index by patient: an erasure is rare, so it reads all events of the tenant, which are those of a few
 * days.
 *
 * @param generations of the patient's threads, besides those that events with the patient's ID name
 */
export async function eraseIds(tenant: Tenant, patientId: string, generations: Iterable<string>): Promise<void> {
  const threads = new Set(generations);
  for (const { generation } of await erased(tenant, "patientId", [patientId])) {
    if (generation !== undefined) {
      threads.add(generation);
    }
  }
  const all = [...threads];
  for (let start = 0; start < all.length; start += OPERANDS) {
    await erased(tenant, "generation", all.slice(start, start + OPERANDS));
  }
}

/** Removes the IDs from the events whose attribute has one of some values. @returns them as they were */
async function erased(
  tenant: Tenant,
  attribute: "patientId" | "generation",
  values: string[],
): Promise<Pick<StoredEvent, "generation">[]> {
  const found = await Promise.all(
    SHARDS.map(async (shard) => {
      const events = queryItems(config.eventsTable, {
        keys: equals("pk", eventsPartition(tenant, shard)),
        filter: allOf(isOneOf(attribute, values), differs("type", "patient.erased")),
        attributes: ["pk", "sk", "generation"],
      });
      const withoutIds: Pick<StoredEvent, "generation">[] = [];
      for await (const { pk, sk, generation } of events) {
        const change = { remove: ["threadId", "patientId", "messageId", "generation"] };
        await updateItem(config.eventsTable, { pk, sk }, change, isPresent); // it may have expired
        withoutIds.push({ generation: generation as string | undefined });
      }
      return withoutIds;
    }),
  );
  return found.flat();
}
