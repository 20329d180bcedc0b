import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "aws-cdk-lib";
import { CfnAlarm, CfnCompositeAlarm } from "aws-cdk-lib/aws-cloudwatch";
import type { Settings } from "../settings.ts";

/** The rows of the runbook's table of alarms. */
const ROWS = readFileSync(join(import.meta.dirname, "../../docs/runbook.md"), "utf8")
  .split(/^## /m)
  .filter((section) => section.startsWith("Alarms\n"))
  .flatMap((section) => section.match(/^\| `.*\|$/gm) ?? [])
  .map((row) => row.split("|"));

/**
 * What to do about an alarm: the first two sentences of that column of its entry in the runbook, as plain text, and
 * where the rest is. Whoever reads an alarm at night does not have the repository open.
 *
 * @param name such as `sweep-missing`
 * @throws Error if the runbook has no entry for the alarm
 */
export function whatToDo(name: string, { runbookUrl }: Pick<Settings, "runbookUrl">): string {
  const [, , , column] = ROWS.find(([, names]) => names?.includes(`\`${name}\``)) ?? [];
  if (column === undefined) {
    throw new Error(`docs/runbook.md has no entry for the alarm ${name}.`);
  }
  const text = column.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").trim();
  const sentences = text.split(/(?<=[.!?]) (?=[A-Z`])/).slice(0, 2);
  const rest = runbookUrl ? `${runbookUrl}#alarms` : "docs/runbook.md, Alarms";
  return `What to do: ${sentences.join(" ").replaceAll("`", "")} More: ${rest}, ${name}.`;
}

/** Completes the description of each alarm in a stack, which says what is wrong, with what to do about it. */
export function addWhatToDo(stack: Stack, settings: Settings): void {
  for (const alarm of stack.node.findAll()) {
    if (alarm instanceof CfnAlarm || alarm instanceof CfnCompositeAlarm) {
      // A number at the end, for the second of several alarms of one kind, is not part of the name in the runbook.
      const name = String(alarm.alarmName)
        .slice(stack.stackName.length + 1)
        .replace(/-\d+$/, "");
      alarm.alarmDescription = `${alarm.alarmDescription} ${whatToDo(name, settings)}`;
    }
  }
}
