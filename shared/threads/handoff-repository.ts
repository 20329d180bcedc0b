import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { writeConditionally } from "../dynamo/conditional-write.ts";
import { handoffTaskKey, threadKey } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { transact } from "../dynamo/transact.ts";
import { recordEvent } from "../events/outbox.ts";
import { countWithoutRequestId } from "../observability/metrics.ts";
import type { Tenant } from "../tenant.ts";
import { type Hold, isOverdue, subjectOf, type Thread } from "./thread.ts";
import { activeThread } from "./thread-items.ts";
import { readThread } from "./thread-repository.ts";

const RETRIES = 20;

/** The attributes of a thread's open request for a person. */
export const REQUEST = ["answerBy", "promised", "requestReason", "requestedAt"] as const;

/** The condition that a thread is active. */
const ACTIVE = "expiresAt > :now AND attribute_not_exists(deleting)";

/**
 * Puts a thread into the hands of a person, which ends an open request for one. An answer that the model is asked for
 * at this time is not stored any more, because its commit depends on `holds`. `version` stays the same: nothing is
 * added to the partition that a deletion could leave behind.
 *
 * @param by the name that users are shown
 * @returns the thread; undefined if there is none. If the same person holds it already, it is unchanged
 * @throws the database's error if it is unreachable or stays busy
 */
export async function holdThread(
  tenant: Tenant,
  threadId: string,
  by: string | null,
): Promise<(Thread & { hold: Hold }) | undefined> {
  const now = new Date().toISOString();
  const thread = await update(tenant, threadId, {
    UpdateExpression: `SET heldSince = :now, holds = if_not_exists(holds, :zero) + :one${
      by === null ? "" : ", heldBy = :by"
    } REMOVE ${[...REQUEST, "unanswered"].join(", ")}${by === null ? ", heldBy" : ""}`,
    ConditionExpression: `${ACTIVE} AND (attribute_not_exists(heldSince) OR ${
      by === null ? "attribute_exists(heldBy)" : "attribute_not_exists(heldBy) OR heldBy <> :by"
    })`,
    ExpressionAttributeValues: { ":now": now, ":zero": 0, ":one": 1, ...(by !== null && { ":by": by }) },
  });
  const { hold } = thread ?? {};
  if (thread && !hold) {
    return holdThread(tenant, threadId, by); // given back between the write and the read
  }
  return thread && hold && { ...thread, hold };
}

/**
 * Gives a thread back to the model.
 *
 * @returns the thread; undefined if there is none. If nobody holds it, it is unchanged
 * @throws as {@link holdThread}
 */
export async function returnThread(tenant: Tenant, threadId: string): Promise<Thread | undefined> {
  return update(tenant, threadId, {
    UpdateExpression: "REMOVE heldSince, heldBy",
    ConditionExpression: `${ACTIVE} AND attribute_exists(heldSince)`,
    ExpressionAttributeValues: { ":now": new Date().toISOString() },
  });
}

interface Change {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeValues: Record<string, unknown>;
}

/** Changes a thread, unless it is gone or has been changed so already, also by an attempt whose response was lost. */
async function update(tenant: Tenant, threadId: string, change: Change): Promise<Thread | undefined> {
  let changed: Record<string, unknown> | undefined;
  const write = async () => {
    const command = { TableName: config.threadsTable, Key: threadKey(tenant, threadId), ...change };
    changed = (await dynamo.send(new UpdateCommand({ ...command, ReturnValues: "ALL_NEW" }))).Attributes;
  };
  const refusal = await writeConditionally(write, retries({ attempts: RETRIES }));
  return refusal ? readThread(tenant, threadId) : activeThread(changed);
}

/**
 * Records the event `handoff.unanswered` if nobody has taken over in time, and ends the task of checking this. A task
 * for a later time, which belongs to a newer request, is kept.
 *
 * @throws the database's error if it is unreachable or stays busy
 */
export async function checkRequest(tenant: Tenant, threadId: string, generation: string): Promise<void> {
  const pause = retries({ attempts: RETRIES });
  const Key = handoffTaskKey(tenant, threadId, generation);
  for (;;) {
    const now = Date.now();
    const thread = await readThread(tenant, threadId);
    const isOpen = thread?.generation === generation && isOverdue(thread, now) && !thread.unanswered;
    const task = {
      Delete: {
        TableName: config.threadsTable,
        Key,
        ConditionExpression: "attribute_not_exists(pk) OR sweepAt <= :now",
        ExpressionAttributeValues: { ":now": new Date(now).toISOString() },
      },
    };
    const refusal = await transact(() => ({ task, ...(isOpen && unanswered(tenant, thread, now)) }), pause);
    if (!refusal || refusal.failed.task) {
      if (!refusal && isOpen) {
        countUnanswered(thread);
      }
      return;
    }
    await pause(refusal.error); // the request was answered in the meantime, or an earlier attempt of ours recorded it
  }
}

/** Counts a request for a person once its event `handoff.unanswered` is recorded. */
export function countUnanswered({ promised }: Thread): void {
  countWithoutRequestId("UnansweredHandoffs", 1, { told: promised ? "yes" : "no" });
}

function unanswered(tenant: Tenant, thread: Thread, now: number) {
  const { threadId, generation, answerBy, expiresAt } = thread;
  const event = { type: "handoff.unanswered", ...subjectOf(thread), expiresAt } as const;
  return {
    thread: {
      Update: {
        TableName: config.threadsTable,
        Key: threadKey(tenant, threadId),
        UpdateExpression: "SET unanswered = :yes",
        ConditionExpression: `generation = :generation AND answerBy = :answerBy AND attribute_not_exists(unanswered) AND ${ACTIVE}`,
        ExpressionAttributeValues: {
          ":yes": true,
          ":generation": generation,
          ":answerBy": answerBy,
          ":now": new Date(now).toISOString(),
        },
      },
    },
    event: recordEvent(tenant, event, now),
  };
}
