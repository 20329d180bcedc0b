import { BatchWriteCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { BY_SWEEP, THREAD_SK, threadKey } from "../dynamo/keys.ts";
import { backOff, cancellationReasons } from "../dynamo/transaction.ts";
import { isExpired, sweepAt } from "./thread.ts";

/** Actions one TransactWriteItems takes, and keys one BatchWriteItem takes (Amazon DynamoDB, "Service quotas"). */
const TRANSACTION_ACTIONS = 100;
const BATCH_KEYS = 25;
const ATTEMPTS = 20;

type Key = { threadId: string; sk: string };

/** What a removal has to know of a partition. */
interface Partition {
  thread: { generation: string; version: number; expiresAt: string; deleting: boolean };
  /** The keys of everything but the thread's own item. */
  contents: Key[];
  /** Whether all of it can go in one transaction: by its number of items, and by its size, 1 MB being one page. */
  small: boolean;
}

/**
 * Removes a thread and everything under its id, atomically for whoever looks: up to 99 items beside the thread go in
 * one transaction. A longer thread is first marked deleted, from when on it exists for nobody while its id stays taken,
 * then loses its contents in batches and its own item last; if that is cut off, a later sweep finishes it.
 *
 * The condition "version as read" means that nothing was added since the contents were listed; when something was,
 * they are listed again. Even single writes are transactions: those carry a token, so the SDK's own repetition after a
 * lost answer does not meet its own work.
 *
 * @param only "active" for a caller's DELETE, "expired" for the sweep: a chat that came in between keeps its thread
 * @returns whether a thread was removed
 * @throws the database's error, or a last refusal after {@link ATTEMPTS} tries
 */
export async function removeThread(threadId: string, only: "active" | "expired"): Promise<boolean> {
  for (let attempt = 0; ; attempt++) {
    const partition = await readPartition(threadId);
    if (!partition) {
      return false;
    }
    const { thread, contents, small } = partition;
    const inAnyCase = thread.deleting && only === "expired";
    if (!inAnyCase && (thread.deleting || isExpired(thread, Date.now()) !== (only === "expired"))) {
      return false;
    }
    try {
      if (!thread.deleting && small) {
        await removeAtOnce(threadId, partition, only);
        return true;
      }
      if (!thread.deleting) {
        await markDeleting(threadId, partition, only);
      }
    } catch (error) {
      if (!touchedMeanwhile(error) || attempt === ATTEMPTS) {
        throw error;
      }
      await backOff(attempt);
      continue;
    }
    await removeContents(contents);
    await removeMarked(threadId, thread.generation);
    return true;
  }
}

/**
 * Lists the threads a sweep has to look at. The index is eventually consistent and may name threads that were touched
 * since: {@link removeThread} looks again.
 *
 * @param sweep the sweep's time, ISO 8601
 */
export async function threadIdsDueAt(sweep: string): Promise<string[]> {
  const threadIds: string[] = [];
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(
      new QueryCommand({
        TableName: config.threadsTable,
        IndexName: BY_SWEEP,
        KeyConditionExpression: "sweepAt = :sweep",
        ExpressionAttributeValues: { ":sweep": sweep },
        ProjectionExpression: "threadId",
        ExclusiveStartKey: next,
      }),
    );
    threadIds.push(...(page.Items ?? []).map((item) => String(item.threadId)));
    next = page.LastEvaluatedKey;
  } while (next);
  return threadIds;
}

async function readPartition(threadId: string): Promise<Partition | undefined> {
  const contents: Key[] = [];
  let thread: Partition["thread"] | undefined;
  let next: Record<string, unknown> | undefined;
  let pages = 0;
  do {
    pages++;
    const page = await dynamo.send(
      new QueryCommand({
        TableName: config.threadsTable,
        KeyConditionExpression: "threadId = :id",
        ExpressionAttributeValues: { ":id": threadId },
        ProjectionExpression: "threadId, sk, generation, version, expiresAt, deleting",
        ConsistentRead: true,
        ExclusiveStartKey: next,
      }),
    );
    for (const found of page.Items ?? []) {
      if (found.sk === THREAD_SK) {
        thread = {
          generation: String(found.generation),
          version: Number(found.version),
          expiresAt: String(found.expiresAt),
          deleting: found.deleting === true,
        };
      } else {
        contents.push({ threadId, sk: String(found.sk) });
      }
    }
    next = page.LastEvaluatedKey;
  } while (next);
  return thread && { thread, contents, small: contents.length < TRANSACTION_ACTIONS && pages === 1 };
}

/** The condition that the thread is as it was read and, for a sweep, still expired. */
function unchanged({ thread }: Partition, only: "active" | "expired") {
  return {
    ConditionExpression: `generation = :generation AND version = :version AND attribute_not_exists(deleting)${
      only === "expired" ? " AND expiresAt <= :now" : ""
    }`,
    ExpressionAttributeValues: {
      ":generation": thread.generation,
      ":version": thread.version,
      ...(only === "expired" && { ":now": new Date().toISOString() }),
    },
  };
}

async function removeAtOnce(threadId: string, partition: Partition, only: "active" | "expired"): Promise<void> {
  const TableName = config.threadsTable;
  await dynamo.send(
    new TransactWriteCommand({
      TransactItems: [
        { Delete: { TableName, Key: threadKey(threadId), ...unchanged(partition, only) } },
        ...partition.contents.map((Key) => ({ Delete: { TableName, Key } })),
      ],
    }),
  );
}

/** From here on the thread exists for nobody. Its `sweepAt` moves to the next sweep, which will finish what we may not. */
async function markDeleting(threadId: string, partition: Partition, only: "active" | "expired"): Promise<void> {
  const condition = unchanged(partition, only);
  await dynamo.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Update: {
            TableName: config.threadsTable,
            Key: threadKey(threadId),
            UpdateExpression: "SET deleting = :deleting, sweepAt = :sweep REMOVE metadata, patientId",
            ConditionExpression: condition.ConditionExpression,
            ExpressionAttributeValues: {
              ...condition.ExpressionAttributeValues,
              ":deleting": true,
              ":sweep": sweepAt(Date.now(), config.clock),
            },
          },
        },
      ],
    }),
  );
}

async function removeContents(contents: Key[]): Promise<void> {
  for (let start = 0; start < contents.length; start += BATCH_KEYS) {
    await deleteBatch(contents.slice(start, start + BATCH_KEYS));
  }
}

/** Deletes a marked thread's own item. Two removals may come here at once: the end is the same. */
async function removeMarked(threadId: string, generation: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await dynamo.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Delete: {
                TableName: config.threadsTable,
                Key: threadKey(threadId),
                ConditionExpression: "generation = :generation AND deleting = :deleting",
                ExpressionAttributeValues: { ":generation": generation, ":deleting": true },
              },
            },
          ],
        }),
      );
      return;
    } catch (error) {
      const [refusal] = cancellationReasons(error);
      if (refusal?.kind === "condition") {
        return; // another removal came first
      }
      if (attempt === ATTEMPTS) {
        throw error;
      }
      await backOff(attempt);
    }
  }
}

/** Whether a write was refused because the thread changed since it was read, or was being written to just then. */
function touchedMeanwhile(error: unknown): boolean {
  return cancellationReasons(error).some(({ kind }) => kind !== "none");
}

/** Deletes up to 25 items; what DynamoDB leaves unprocessed under load is sent again. */
async function deleteBatch(keys: Key[]): Promise<void> {
  const TableName = config.threadsTable;
  let requests = keys.map((Key) => ({ DeleteRequest: { Key: Key as Record<string, unknown> } }));
  for (let attempt = 0; requests.length > 0; attempt++) {
    const { UnprocessedItems } = await dynamo.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
    requests = (UnprocessedItems?.[TableName] ?? []) as typeof requests;
    if (requests.length > 0) {
      if (attempt === ATTEMPTS) {
        throw new Error("DynamoDB left items of a batch unprocessed in every try");
      }
      await backOff(attempt);
    }
  }
}
