import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { documentedTable } from "../helpers/documented-table.ts";
import { type Kind, stageAssemblies } from "../helpers/template/stages.ts";
import { Template } from "../helpers/template/template.ts";

/** The most resources of a stack ("CloudFormation quotas"), and as many as leave room for what is to come. */
const [MOST, GOAL] = [500, 350];

/** The largest template in bytes ("CloudFormation quotas", template body in S3), and as much as leaves room. */
const [MOST_BYTES, GOAL_BYTES] = [1_000_000, 600_000];

const folder = await stageAssemblies();
const resourcesOf = (kind: Kind, isData: boolean) =>
  new Template(join(folder, kind), (stack) => stack.endsWith("-data") === isData).resources;
const count = (kind: Kind, isData: boolean) => Object.keys(resourcesOf(kind, isData)).length;
const documentOf = (name: string) => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");

/** The rows of the table, and the kinds of stacks that have their settings. */
const ROWS: [row: string, kind: Kind][] = [
  ["dev", "dev"],
  ["staging", "staging"],
  ["prod", "options"],
  ["prod, small", "small"],
];

test("docs/performance.md has the number of resources of each stack", () => {
  expect(documentedTable("stage, resources")).toEqual(
    ROWS.map(([row, kind]) => [row, { "data stack": count(kind, true), "service stack": count(kind, false) }]),
  );
});

test("as many functions as the documents say still fit into the largest stack, which has room for more", () => {
  const largest = Math.max(...ROWS.map(([, kind]) => count(kind, false)));
  expect(largest).toBeLessThanOrEqual(GOAL);
  const ofOne = Object.keys(resourcesOf("staging", false)).filter((id) =>
    /SearchPatients|patientssearch/.test(id),
  ).length;
  expect(documentOf("performance.md")).toContain(
    `A function with a path takes ${ofOne} resources, so ${Math.floor((MOST - largest) / ofOne)} more fit`,
  );
});

test("the largest template is as large as docs/performance.md says, and far from what CloudFormation accepts", () => {
  const sizes = globSync("*/*.template.json", { cwd: folder }).map((file) => statSync(join(folder, file)).size);
  const largest = Math.max(...sizes);
  expect(largest).toBeLessThanOrEqual(GOAL_BYTES);
  const [, documented = "", most] =
    /largest template has (\d+) KB of at most ([\d,]+)/.exec(documentOf("performance.md")) ?? [];
  expect(Math.abs(largest / 1_000 - Number(documented))).toBeLessThanOrEqual(largest / 10_000);
  expect(most).toBe((MOST_BYTES / 1_000).toLocaleString("en"));
});

test("docs/operations.md has the number of methods, each of which has a throttle", () => {
  const methods = new Template(join(folder, "prod")).ofType("AWS::ApiGateway::Method").length;
  expect(documentOf("operations.md").match(/\d+ methods/g)).toEqual([`${methods} methods`, `${methods} methods`]);
});

test("docs/operations.md has the number of alarms of each profile", () => {
  const alarms = (kind: Kind) =>
    ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"].flatMap((type) =>
      new Template(join(folder, kind)).ofType(type),
    ).length;
  expect(documentOf("operations.md")).toContain(
    `${alarms("atOnce")} per stage in the profile \`standard\`, ${alarms("small")} in \`small\``,
  );
});
