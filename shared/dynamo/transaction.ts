import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";

/** What became of one action of a transaction that was cancelled. */
export type CancellationReason =
  | { kind: "none" }
  /** The action's condition did not hold; `item` is what stands there, undefined if nothing does. */
  | { kind: "condition"; item: Record<string, unknown> | undefined }
  /** Another transaction touched the item, or capacity was short: the same write may succeed a moment later. */
  | { kind: "busy" };

const BUSY = new Set(["TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"]);

/**
 * Reads why a transaction was cancelled (Amazon DynamoDB API Reference, TransactWriteItems, "Cancellation reasons").
 *
 * @param error what the client threw
 * @returns one entry per action, in their order
 * @throws the error itself, when it is no cancellation or has a reason that repeating the write cannot mend
 */
export function cancellationReasons(error: unknown): CancellationReason[] {
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

/**
 * Waits before a transaction is tried again: a random part of a growing span, so that writers that collided once do
 * not collide again ("full jitter", AWS Architecture Blog, "Exponential Backoff And Jitter").
 *
 * @param attempt 0 before the second try
 */
export async function backOff(attempt: number): Promise<void> {
  const span = Math.min(400, 10 * 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * span));
}
