import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { checkStages, KINDS, type Kind } from "../helpers/template/stages.ts";

interface Finding {
  ruleName: string;
  acknowledgedId: string;
  acknowledgedAt: string;
  reason: string;
}

interface Report {
  pluginName: string;
  violations: Finding[];
  suppressedViolations: Finding[];
}

const folder = mkdtempSync(join(tmpdir(), "checked-"));
beforeAll(() => checkStages(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const assembly = (kind: string) => join(folder, kind);

/** The findings of the checks, by plugin. */
function reportsOf(kind: string): Report[] {
  return JSON.parse(readFileSync(join(assembly(kind), "validation-report.json"), "utf8")).pluginReports;
}

const acknowledged = (kind: Kind) => reportsOf(kind).flatMap(({ suppressedViolations }) => suppressedViolations);

/** Every acknowledgment made by the constructs, as `<path> <rule>`. */
function acknowledgementsOf(kind: Kind): string[] {
  const files = readdirSync(assembly(kind)).filter((name) => name.endsWith(".metadata.json"));
  const metadata: Record<string, { type: string; data: object }[]>[] = files.map((file) =>
    JSON.parse(readFileSync(join(assembly(kind), file), "utf8")),
  );
  return metadata
    .flatMap(Object.entries<{ type: string; data: object }[]>)
    .flatMap(([path, entries]) =>
      entries
        .filter(({ type }) => type === "aws:cdk:acknowledged-rules")
        .flatMap(({ data }) => Object.keys(data).map((id) => `${path.slice(1)} ${id}`)),
    );
}

describe.each(KINDS)("%s", (kind) => {
  test("has no unacknowledged finding or warning of AWS Solutions, HIPAA Security or the CDK", () => {
    const reports = reportsOf(kind);
    expect(reports.map(({ pluginName }) => pluginName).sort()).toEqual(["AwsSolutions", "HIPAA.Security"]);
    expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
  });

  test("has no acknowledgment without a finding", () => {
    const used = acknowledged(kind).map(({ acknowledgedAt, acknowledgedId }) => `${acknowledgedAt} ${acknowledgedId}`);
    expect(acknowledgementsOf(kind).sort()).toEqual([...new Set(used)].sort());
  });

  test("acknowledges findings at a construct, never for the whole stack, with a reason in full sentences", () => {
    for (const { acknowledgedAt, reason } of acknowledged(kind)) {
      expect(acknowledgedAt.split("/").length).toBeGreaterThan(2);
      expect(reason).toMatch(/^[A-Z].{60,}\.$/);
    }
  });
});
