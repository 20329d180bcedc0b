import { TransactionCanceledException, TransactionInProgressException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { dynamo } from "./client.ts";
import type { Pause } from "./retries.ts";

/** One write of a transaction. */
export type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** What happened to one action of a canceled transaction. */
export type CancellationReason =
  | { kind: "none" }
  /** The action's condition failed. `item` is what is stored, if the action asks for it with `ALL_OLD`. */
  | { kind: "condition"; item: Record<string, unknown> | undefined }
  /** Another transaction is using the item, or throughput is exceeded: the same write may succeed a moment later. */
  | { kind: "busy" };

/** A transaction that was canceled because a condition failed. */
export interface Refusal {
  /** One entry per action, in their order. */
  reasons: CancellationReason[];
  /**
   * Whether an earlier attempt may have been carried out, its response lost: the condition may then have failed because
   * of this very write.
   */
  uncertain: boolean;
  /** The client's error. */
  error: unknown;
}

/**
 * Carries out a transaction, and sends it again while DynamoDB is too busy for it.
 *
 * The client retries lost requests and responses by itself, with one token per attempt of ours, by which DynamoDB
 * recognizes a transaction that it has carried out. That ends where such a retry is answered with "busy": the next
 * attempt has a token of its own (its parameters, such as times, may differ, and a token allows no difference), so its
 * conditions meet what an earlier attempt has written. Every caller therefore has to recognize its own write, by an id,
 * a generation or a holder in what is stored, before it takes a failed condition for somebody else's write.
 *
 * Single writes are transactions too wherever a retry must not fail on its own earlier attempt.
 *
 * @param actions makes the actions of the next attempt
 * @param pause ends the attempts
 * @returns undefined when carried out
 * @throws the client's error, if the database cannot be reached, stays busy, or cancels for a reason that a retry does
 *   not change; the transaction may then have been carried out nevertheless
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
 * @throws the error itself, if it is not a cancellation or has a reason that a retry does not change
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
