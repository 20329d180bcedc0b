import { expect, test } from "@jest/globals";
import { allOf, anyOf, equals, expressions, isAbsent, isBelow } from "../../../shared/dynamo/expressions.ts";

test("conditions are nested without redundant parentheses, which DynamoDB rejects", () => {
  const built = (condition = allOf()) => expressions({ condition }).ConditionExpression;
  expect(built(allOf(anyOf(equals("a", 1)), undefined))).toBe("#0 = :0");
  expect(built(allOf(equals("a", 1), anyOf(isAbsent, isBelow("a", 2))))).toBe(
    "(#0 = :0) AND ((attribute_not_exists(#1)) OR (#0 < :1))",
  );
});
