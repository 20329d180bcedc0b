import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { dynamo } from "./client.ts";
import { type Pause, retries } from "./retries.ts";
import { type FailedConditions, update } from "./transact.ts";

/**
 * Executes a conditional write of one item, and repeats it while the item is part of a transaction.
 *
 * It costs half as many write units as a transaction, but has no token by which DynamoDB recognizes a repetition. If
 * the client repeats a write whose response was lost, the condition meets the result of the first attempt, so the
 * refusal is uncertain. Use it where the caller can tell from the stored item what to do next, whoever has written it.
 *
 * @param write sends an attempt
 * @param pause waits before a retry, or ends the attempts
 * @returns undefined if the write was executed
 * @throws the client's error, if the database is unreachable or the item stays in transactions; the write may have been
 *   executed nevertheless
 */
export async function writeConditionally(
  write: () => Promise<unknown>,
  pause: Pause = retries(),
): Promise<FailedConditions<never> | undefined> {
  let uncertain = false;
  for (;;) {
    try {
      await write();
      return undefined;
    } catch (error) {
      const refused = error instanceof ConditionalCheckFailedException;
      if (!refused && !(error instanceof TransactionConflictException)) {
        throw error;
      }
      uncertain ||= (error.$metadata.attempts ?? 1) > 1;
      if (refused) {
        return { failed: {}, uncertain, error };
      }
      await pause(error);
    }
  }
}

/** Changes one item, as {@link writeConditionally}. The error of a refusal contains the stored item. */
export function updateItem(...change: Parameters<typeof update>): Promise<FailedConditions<never> | undefined> {
  const command = new UpdateCommand(update(...change).Update);
  return writeConditionally(() => dynamo.send(command));
}
