import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { DATABASE_CONNECT_MILLISECONDS, DATABASE_TRIES, DATABASE_TRY_MILLISECONDS } from "../time-limits.ts";

/**
 * The only DynamoDB client of an environment. Its limits bound how long a request waits for the database (`time-limits.ts`).
 */
export const dynamo = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: DATABASE_TRIES,
    requestHandler: {
      connectionTimeout: DATABASE_CONNECT_MILLISECONDS,
      requestTimeout: DATABASE_TRY_MILLISECONDS,
      throwOnRequestTimeout: true,
    },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);
