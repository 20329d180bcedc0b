import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readResources } from "../../packages/lambda-local/cloud-assembly.ts";
import { awsBill, dollarsOf, laterBill, modelBill, totalOf } from "../../tools/cost/cost.ts";
import { inventoryOf } from "../../tools/cost/inventory.ts";
import { documentedTable } from "../helpers/documented-table.ts";
import { type Kind, stageAssemblies } from "../helpers/template/stages.ts";

const folder = await stageAssemblies();
const inventory = (kind: Kind) => inventoryOf(readResources(join(folder, kind)));
/** Prod as its file leaves it, and with the other profile. */
const KIND: Record<"standard" | "small", Kind> = { standard: "atOnce", small: "small" };

test.each(["standard", "small"] as const)("docs/performance.md has the cost of a million chats: %s", (profile) => {
  const usage = { chats: 1_000_000, clients: 1, patients: 100_000 };
  const aws = awsBill(profile, inventory(KIND[profile]), usage);
  const model = modelBill(usage.chats, { input: 0.1, cached: 0.01, output: 0.5, written: 0.125 }); // gpt-6-luna
  const dollars = (bills: typeof aws) => Object.entries(bills).map(([name, bill]) => [name, dollarsOf(bill)] as const);
  const computed = [
    ...dollars(aws),
    ["total", totalOf(aws)] as const,
    ...dollars({ ...laterBill(inventory(KIND[profile]), usage), ...model }),
  ];
  const documented = documentedTable("item");
  expect(documented.map(([name]) => name)).toEqual(computed.map(([name]) => name));
  for (const [index, [name, value]] of computed.entries()) {
    expect({ name, value: documented[index]?.[1][profile] }).toEqual({ name, value: expect.closeTo(value, 0) });
  }
});

test("what is billed without a request is counted in the template: more of it costs more", () => {
  const base = inventory("atOnce");
  expect(base).toMatchObject({ compositeAlarms: 1, dashboards: 1, firewalls: 1, keys: 2, secrets: 2 });
  expect([base.sweeps, base.deliveries]).toEqual([5 * 6 * 730, 60 * 730]);
  const more = inventory("options");
  expect(more.firewallRules).toBe(base.firewallRules + 1); // the limit on all requests
  expect(more.alarmMetrics).toBeGreaterThan(base.alarmMetrics);
  expect(inventory("prod").secrets).toBe(base.secrets + 1); // the fallback model's key
  expect(inventory("dev")).toMatchObject({ alarmMetrics: 0, compositeAlarms: 0, firewalls: 0 });
});

test.each<[stage: string, profile: "standard" | "small", kind: Kind]>([
  ["dev", "small", "dev"],
  ["staging", "standard", "staging"],
  ["prod", "standard", "atOnce"],
  ["prod, small", "small", "small"],
])("docs/performance.md has the cost of a stage that nobody uses: %s", (stage, profile, kind) => {
  const bill = awsBill(profile, inventory(kind), { chats: 0, clients: 1, patients: 0 });
  const watching = ["CloudWatch, alarms", "firewall"].reduce((total, item) => total + dollarsOf(bill[item] ?? []), 0);
  const [, row] = documentedTable("stage").find(([name]) => name === stage) ?? [];
  expect(row).toEqual({ total: Math.round(totalOf(bill)), "alarms and firewall": Math.round(watching) });
});
