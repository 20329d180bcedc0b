import { GetCommand, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { dynamo } from "./client.ts";
import { expressions } from "./expressions.ts";

/** @returns the item with a key, read consistently; undefined if there is none */
export async function readItem(TableName: string, Key: Record<string, unknown>) {
  return (await dynamo.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
}

/**
 * Yields the items of a query, read consistently unless it is one of an index. A page has at most 1 MB ("Paginating
 * table query results in DynamoDB").
 */
export async function* queryItems(
  TableName: string,
  selection: Pick<Parameters<typeof expressions>[0], "keys" | "filter" | "attributes">,
  options: Omit<QueryCommandInput, "TableName"> = {},
): AsyncGenerator<Record<string, unknown>, void, void> {
  const query = { TableName, ...expressions(selection), ConsistentRead: options.IndexName === undefined, ...options };
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(new QueryCommand({ ...query, ExclusiveStartKey: next }));
    yield* page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}
