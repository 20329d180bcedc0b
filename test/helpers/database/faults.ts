import { setTimeout } from "node:timers/promises";
import type { Answer, Call, Fault } from "./fault-proxy.ts";

/** The call never arrives. */
export const requestLost: Fault = () => undefined;

/** The call is executed, but its response never arrives. */
export const responseLost: Fault = async ({ forward }) => {
  await forward();
  return undefined;
};

/** The call is executed, but only half of its response arrives. */
export const responseCutOff: Fault = async ({ forward }) => ({ ...(await forward()), cutOff: true });

/** The call is executed, but the response reports a DynamoDB failure. */
export const failedAfterwards: Fault = async (call) => {
  await call.forward();
  return internalError(call);
};

/** The call never gets a response. */
export const neverAnswered: Fault = () => new Promise(() => {});

/** The call arrives late. */
export function delayed(milliseconds: number): Fault {
  return after(() => setTimeout(milliseconds));
}

/** DynamoDB rejects the call with an error of this name (Amazon DynamoDB Developer Guide, "Error handling"). */
export function rejected(name: string, status = 400): Fault {
  return () => rejection(name, {}, status);
}

export const throttled = rejected("ProvisionedThroughputExceededException");
export const throttledAccount = rejected("RequestLimitExceeded");
export const internalError = rejected("InternalServerError", 500);
export const unavailable = rejected("ServiceUnavailable", 503);

/** The first attempt of the same transaction is still in progress. */
export const inProgress = rejected("TransactionInProgressException");

/** The transaction is canceled, with this reason for each of its actions. */
export function canceled(reason: string): Fault {
  return ({ body }) =>
    rejection("TransactionCanceledException", {
      message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reason}]`,
      CancellationReasons: body.TransactItems.map(() => ({ Code: reason })),
    });
}

/** Another transaction is using the same item. */
export const conflict: Fault = (call) =>
  call.operation === "TransactWriteItems"
    ? canceled("TransactionConflict")(call)
    : rejection("TransactionConflictException");

/** The secondary index does not contain the latest writes to its table yet. */
export const staleIndex: Fault = ({ body, forward }) =>
  body.IndexName ? { status: 200, body: { Items: [], Count: 0, ScannedCount: 0 } } : forward();

/** Runs an action before the call is executed: after the caller's last read and before its write. */
export function after(event: (call: Call) => unknown): Fault {
  return async (call) => {
    await event(call);
    return call.forward();
  };
}

function rejection(name: string, details: Record<string, unknown> = {}, status = 400): Answer {
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...details } };
}
