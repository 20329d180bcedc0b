import { DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";

const database = new DynamoDBClient();

/** Counts the visits of a name. */
export async function handler({ pathParameters: { name } }) {
  const { Attributes } = await database.send(
    new UpdateItemCommand({
      TableName: process.env.VISITS,
      Key: { name: { S: name } },
      UpdateExpression: "ADD visits :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
      ReturnValues: "ALL_NEW",
    }),
  );
  return { statusCode: 200, body: JSON.stringify({ name, visits: Number(Attributes.visits.N) }) };
}
