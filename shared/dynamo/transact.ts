import { TransactionCanceledException, TransactionInProgressException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { dynamo } from "./client.ts";
import { type Change, type Condition, expressions, isAbsent } from "./expressions.ts";
import { type Pause, retries } from "./retries.ts";

/** One write of a transaction. */
export type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The writes of a transaction by name. What is undefined is left out; a list has a single name. */
export type Actions<Name extends string> = Partial<Record<Name, Action | Action[] | undefined>>;

/** A transaction that was canceled because a condition failed. */
export interface FailedConditions<Name extends string = string> {
  /** The writes whose conditions failed, with the stored item. */
  failed: Partial<Record<Name, { item: Record<string, unknown> | undefined }>>;
  /** Whether an earlier attempt may have been executed, so that the condition failed because of this very write. */
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
 * @param actions returns the actions of the next attempt, whose times may differ
 * @param pause waits before a retry, or ends the attempts
 * @returns undefined if the transaction was executed
 * @throws the client's error, if the database is unreachable, stays busy, or cancels for a reason that is not
 *   retryable; the transaction may have been executed nevertheless
 */
export async function transact<Name extends string>(
  actions: () => Actions<Name>,
  pause: Pause = retries(),
): Promise<FailedConditions<Name> | undefined> {
  let uncertain = false;
  for (;;) {
    const named = Object.entries<Action | Action[] | undefined>(actions()).flatMap(([name, some = []]) =>
      [some].flat().map((action) => ({ name: name as Name, action })),
    );
    try {
      await dynamo.send(new TransactWriteCommand({ TransactItems: named.map(({ action }) => action) }));
      return undefined;
    } catch (error) {
      if (error instanceof TransactionInProgressException) {
        uncertain = true;
      } else {
        const names = named.map(({ name }) => name);
        const failed = failedConditions(error, names);
        uncertain ||= ((error as TransactionCanceledException).$metadata.attempts ?? 1) > 1;
        if (Object.keys(failed).length > 0) {
          return { failed, uncertain, error };
        }
      }
      await pause(error);
    }
  }
}

/** The stored item is part of the refusal if the condition fails. */
const ALL_OLD = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;

export function put(TableName: string, Item: Record<string, unknown>, condition?: Condition) {
  return { Put: { TableName, Item, ...expressions({ condition }), ...ALL_OLD } };
}

/** Puts an item on condition that there is none with its key. */
export function putNew(TableName: string, Item: Record<string, unknown>) {
  return put(TableName, Item, isAbsent);
}

export function update(TableName: string, Key: Record<string, unknown>, change: Change, condition?: Condition) {
  return { Update: { TableName, Key, ...expressions({ change, condition }), ...ALL_OLD } };
}

export function deleteItem(TableName: string, Key: Record<string, unknown>, condition?: Condition) {
  return { Delete: { TableName, Key, ...expressions({ condition }), ...ALL_OLD } };
}

/** A condition on an item that the transaction does not write. */
export function check(TableName: string, Key: Record<string, unknown>, condition: Condition) {
  return { ConditionCheck: { TableName, Key, ...expressions({ condition }), ...ALL_OLD } };
}

/** The reasons besides a failed condition for which a transaction may be repeated. */
const RETRYABLE = new Set(["None", "TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"]);

/**
 * Reads which conditions failed (Amazon DynamoDB API Reference, TransactWriteItems, "Cancellation reasons").
 *
 * @param names the name of each action, in order
 * @throws the error itself, if it is not a cancellation or has a reason that is not retryable
 */
function failedConditions<Name extends string>(error: unknown, names: Name[]): FailedConditions<Name>["failed"] {
  if (!(error instanceof TransactionCanceledException) || !error.CancellationReasons) {
    throw error;
  }
  const failed: FailedConditions<Name>["failed"] = {};
  for (const [index, { Code = "None", Item }] of error.CancellationReasons.entries()) {
    const name = names[index];
    if (Code === "ConditionalCheckFailed" && name !== undefined) {
      failed[name] = { item: Item && unmarshall(Item) };
    } else if (!RETRYABLE.has(Code)) {
      throw error;
    }
  }
  return failed;
}
