import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTemplates } from "../../packages/lambda-local/cloud-assembly.ts";
import { readArguments } from "../../shared/command-line.ts";
import { consequences, holdingData, type Resource } from "./consequences.ts";

const USAGE = `Renews the snapshot of what holds data, infra/released.json, for a release.

  npm run release:snapshot

npm test compares every later commit with the snapshot. A resource that is removed on purpose is also removed from the file
by hand.

Exit code: 0 if the snapshot is that of this commit now, 1 if an update from the last release would be refused, or lose data.
`;

const ROOT = join(import.meta.dirname, "..", "..");
const FILE = join(ROOT, "infra", "released.json");
const CDK = join(ROOT, "node_modules", "aws-cdk", "bin", "cdk");

/** The settings with which a stage has everything that it can have, and which its file leaves to the operator. */
const STAGES: Record<string, Record<string, string>> = {
  dev: {},
  staging: {},
  prod: {
    alarmAddress: "operator@example.test",
    backupCopyVault: "none",
    fallbackModel: "another-model",
    auditArchiveDays: "365",
  },
};

/** The resources of a stage's data stack. */
function synthesized(stage: string, settings: Record<string, string>): Record<string, Resource> {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  try {
    const context = Object.entries({ stage, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const { status } = spawnSync(process.execPath, [CDK, "synth", "--quiet", "--output", folder, ...context], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (status !== 0) {
      throw new Error(`${stage} could not be synthesized`);
    }
    return readTemplates(folder).get(`health-assistant-${stage}-data`)?.Resources ?? {};
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

readArguments(USAGE, {});
const released: Record<string, Record<string, Resource>> = JSON.parse(readFileSync(FILE, "utf8"));
const current = Object.entries(STAGES).map(
  ([stage, settings]) => [stage, holdingData(synthesized(stage, settings))] as const,
);
const refused = current.flatMap(([stage, resources]) =>
  consequences(released[stage] ?? {}, resources).map((sentence) => `${stage}: ${sentence}.\n`),
);
if (refused.length > 0) {
  process.stderr.write(`${refused.join("")}The snapshot was not changed.\n`);
  process.exitCode = 1;
} else {
  writeFileSync(FILE, oneLineEach(Object.fromEntries(current)));
}

/** JSON with a line for each resource, so that a diff shows which one changes. */
function oneLineEach(stages: Record<string, Record<string, Resource>>): string {
  const lines = (entries: [name: string, text: string][], indent: string) =>
    entries.map(([name, text]) => `\n${indent}${JSON.stringify(name)}: ${text}`).join(",");
  const ofStage = (resources: Record<string, Resource>) =>
    `{${lines(
      Object.entries(resources).map(([id, resource]) => [id, JSON.stringify(resource)]),
      "    ",
    )}\n  }`;
  return `{${lines(
    Object.entries(stages).map(([stage, resources]) => [stage, ofStage(resources)]),
    "  ",
  )}\n}\n`;
}
