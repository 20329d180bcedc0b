import { expect, test } from "@jest/globals";
import { awsBill, dollarsOf, laterBill, modelBill, totalOf } from "../../tools/cost/cost.ts";
import { documentedTable } from "../helpers/documented-table.ts";

test.each(["standard", "small"] as const)("docs/performance.md has the cost of a million chats: %s", (profile) => {
  const usage = { chats: 1_000_000, clients: 1, patients: 100_000 };
  const aws = awsBill(profile, usage);
  const model = modelBill(usage.chats, { input: 0.1, cached: 0.01, output: 0.5, written: 0.125 }); // gpt-6-luna
  const dollars = (bills: typeof aws) => Object.entries(bills).map(([name, bill]) => [name, dollarsOf(bill)] as const);
  const computed = [...dollars(aws), ["total", totalOf(aws)] as const, ...dollars({ ...laterBill(usage), ...model })];
  const documented = documentedTable("item");
  expect(documented.map(([name]) => name)).toEqual(computed.map(([name]) => name));
  for (const [index, [name, value]] of computed.entries()) {
    expect({ name, value: documented[index]?.[1][profile] }).toEqual({ name, value: expect.closeTo(value, 0) });
  }
});
