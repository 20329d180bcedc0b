import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { currentRequest } from "../request/request-context.ts";
import { DATABASE_CONNECT_MILLISECONDS, DATABASE_TRIES, DATABASE_TRY_MILLISECONDS } from "../time-limits.ts";

/** The only client of an environment. Its timeouts limit how long a request waits (`time-limits.ts`). */
const client = new DynamoDBClient({
  maxAttempts: DATABASE_TRIES,
  requestHandler: {
    connectionTimeout: DATABASE_CONNECT_MILLISECONDS,
    requestTimeout: DATABASE_TRY_MILLISECONDS,
    throwOnRequestTimeout: true,
  },
});

// It copies each input and output for a logger that nobody has set, which takes a fortieth of a turn's CPU time.
client.middlewareStack.remove("loggerMiddleware");

/** Measures the time during which at least one call of a request is in progress, including retries. */
client.middlewareStack.add(
  (next) => async (args) => {
    const watch = currentRequest()?.databaseTime;
    watch?.start();
    try {
      return await next(args);
    } finally {
      watch?.stop();
    }
  },
  { step: "initialize", name: "databaseTime" },
);

export const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
