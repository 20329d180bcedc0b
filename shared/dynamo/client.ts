import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { annotate, currentAnnotations } from "../logger.ts";
import { DATABASE_CONNECT_MILLISECONDS, DATABASE_TRIES, DATABASE_TRY_MILLISECONDS } from "../time-limits.ts";

/**
 * The only DynamoDB client of an environment. Its timeouts limit how long a request waits for the database
 * (`time-limits.ts`).
 */
const client = new DynamoDBClient({
  maxAttempts: DATABASE_TRIES,
  requestHandler: {
    connectionTimeout: DATABASE_CONNECT_MILLISECONDS,
    requestTimeout: DATABASE_TRY_MILLISECONDS,
    throwOnRequestTimeout: true,
  },
});

let inFlight = 0;
let waitingSince = 0;

/** Adds the time during which at least one call is in progress, including retries, to the request's log line. */
client.middlewareStack.add(
  (next) => async (args) => {
    if (inFlight++ === 0) {
      waitingSince = performance.now();
    }
    try {
      return await next(args);
    } finally {
      if (--inFlight === 0) {
        const { databaseMs = 0 } = currentAnnotations();
        annotate({ databaseMs: Math.round(Number(databaseMs) + performance.now() - waitingSince) });
      }
    }
  },
  { step: "initialize", name: "databaseMs" },
);

export const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
