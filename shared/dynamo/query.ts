import { GetCommand, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { dynamo } from "./client.ts";

/** @returns the item with a key, read consistently; undefined if there is none */
export async function readItem(TableName: string, Key: Record<string, unknown>) {
  return (await dynamo.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
}

/** Yields the items of a query. A page has at most 1 MB ("Paginating table query results in DynamoDB"). */
export async function* queryItems(input: QueryCommandInput): AsyncGenerator<Record<string, unknown>, void, void> {
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(new QueryCommand({ ...input, ExclusiveStartKey: next }));
    yield* page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}
