import { TransactionCanceledException, TransactionInProgressException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { dynamo } from "./client.ts";
import type { Pause } from "./retries.ts";

/** One write of a transaction. */
export type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The cancellation reason of one action of a canceled transaction. */
export type CancellationReason =
  | { kind: "none" }
  /** The action's condition failed. `item` is the stored item, if the action requests it with `ALL_OLD`. */
  | { kind: "condition"; item: Record<string, unknown> | undefined }
  /** Another transaction is using the item, or throughput is exceeded. Retryable. */
  | { kind: "busy" };

/** A transaction that was canceled because a condition failed. */
export interface Refusal {
  /** One entry per action, in order. */
  reasons: CancellationReason[];
  /**
   * Whether an earlier attempt may have been executed without its response arriving: the condition may then have failed
   * because of this very write.
   */
  uncertain: boolean;
  /** The client's error. */
  error: unknown;
}

/**
 * Executes a transaction and retries it while DynamoDB is too busy for it.
 *
 * The client retries lost requests and responses by itself, with one token per attempt of ours, by which DynamoDB
 * recognizes a transaction that it has already executed. This ends when such a retry fails as busy: our next attempt
 * has its own token (its parameters, such as times, may differ, and a token allows no difference), so its conditions
 * meet the result of an earlier attempt. Every caller must therefore recognize its own write, by an id, a generation or
 * a holder in the stored item, before it attributes a failed condition to another writer.
 *
 * Single writes are also transactions wherever a retry must not fail because of its own earlier attempt.
 *
 * @param actions returns the actions of the next attempt
 * @param pause waits before a retry, or ends the attempts
 * @returns undefined if the transaction was executed
 * @throws the client's error, if the database is unreachable, stays busy, or cancels for a reason that is not
 *   retryable; the transaction may have been executed nevertheless
 */
export async function transact(actions: () => Action[], pause: Pause): Promise<Refusal | undefined> {
  let uncertain = false;
  for (;;) {
    try {
      await dynamo.send(new TransactWriteCommand({ TransactItems: actions() }));
      return undefined;
    } catch (error) {
      if (error instanceof TransactionInProgressException) {
        uncertain = true;
      } else {
        const reasons = cancellationReasons(error);
        uncertain ||= ((error as TransactionCanceledException).$metadata.attempts ?? 1) > 1;
        if (reasons.some(({ kind }) => kind === "condition")) {
          return { reasons, uncertain, error };
        }
      }
      await pause(error);
    }
  }
}

const BUSY = new Set(["TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"]);

/**
 * Reads why a transaction was canceled (Amazon DynamoDB API Reference, TransactWriteItems, "Cancellation reasons").
 *
 * @throws the error itself, if it is not a cancellation or has a reason that is not retryable
 */
function cancellationReasons(error: unknown): CancellationReason[] {
  if (!(error instanceof TransactionCanceledException) || !error.CancellationReasons) {
    throw error;
  }
  return error.CancellationReasons.map(({ Code, Item }): CancellationReason => {
    if (!Code || Code === "None") {
      return { kind: "none" };
    }
    if (Code === "ConditionalCheckFailed") {
      return { kind: "condition", item: Item && unmarshall(Item) };
    }
    if (BUSY.has(Code)) {
      return { kind: "busy" };
    }
    throw error;
  });
}
