import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Account, Check } from "./account.ts";

const TOOLS = join(import.meta.dirname, "..");

/** Starts as an attack, so the firewall has to notice it, and may not log it. */
const SUSPICIOUS = "<script>alert(1)</script>";

/** How long a trial waits for AWS, and how often it looks. A backup of a small table takes some minutes. */
const WAIT = { backup: 60 * 60_000, logs: 10 * 60_000, alarm: 5 * 60_000, pause: 15_000 };

/** What has to be tried: each of these starts something in the account, and cleans up or leaves what it says. */
export const TRIALS: Check[] = [
  {
    name: "The live check passes",
    remedy: "Its report says which rule failed; find the request in the logs by its x-request-id.",
    run: async (account) => {
      const args = ["--base-url", account.output("BaseUrl") ?? ""];
      return (await script("live-check/check.ts", args)) === 0 ? undefined : "it fails";
    },
  },
  {
    name: "A backup of patients can be made; it stays in the vault until its retention ends",
    remedy: "The job's message names the permission that the role of infra/backups.ts, or the key's policy, lacks.",
    run: backUp,
  },
  {
    name: "A restore drill succeeds",
    remedy: "The report says what is wrong with the copy, or which call failed.",
    run: async ({ stage }) =>
      (await script("restore/restore.ts", ["--drill", "--stage", stage])) === 0 ? undefined : "it fails",
  },
  {
    name: "An alarm notifies its topic: a notification of the alarm tokens arrives",
    remedy: "Check the policies of the topic and of its key.",
    concerns: ({ settings }) => settings.alarms !== false,
    run: setOffAlarm,
  },
  {
    name: "The firewall counts a suspicious chat, lets it pass, and logs neither its text nor the API key",
    remedy: "Check the data protection and the logging configuration in infra/firewall.ts.",
    concerns: ({ settings }) => settings.firewall === true,
    run: sendSuspiciousChat,
  },
];

/** Runs another script of this project, which prints its own report. */
async function script(file: string, args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [join(TOOLS, file), ...args], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code;
}

async function backUp(account: Account): Promise<string | undefined> {
  const { backup, dynamoDb, patientsTable, vault } = account;
  const { Table } = await dynamoDb.describeTable({ TableName: patientsTable });
  const BackupPlanId = account.one("AWS::Backup::BackupPlan");
  const { BackupSelectionsList = [] } = await backup.listBackupSelections({ BackupPlanId });
  const { BackupJobId } = await backup.startBackupJob({
    BackupVaultName: vault,
    ResourceArn: Table?.TableArn,
    IamRoleArn: BackupSelectionsList[0]?.IamRoleArn,
    Lifecycle: { DeleteAfterDays: Number(account.settings.backupDays) },
  });
  const job = await until(WAIT.backup, async () => {
    const found = await backup.describeBackupJob({ BackupJobId });
    return ["COMPLETED", "ABORTED", "FAILED", "EXPIRED"].includes(found.State ?? "") ? found : undefined;
  });
  return job?.State === "COMPLETED" ? undefined : `the job ended as ${job?.State}: ${job?.StatusMessage}`;
}

async function setOffAlarm({ cloudWatch, name }: Account): Promise<string | undefined> {
  const AlarmName = `${name}-tokens`;
  const StartDate = new Date();
  const set = (StateValue: "ALARM" | "OK") =>
    cloudWatch.setAlarmState({ AlarmName, StateValue, StateReason: "npm run check:account" });
  await set("ALARM");
  const summary = await until(WAIT.alarm, async () => {
    const history = { AlarmName, HistoryItemType: "Action", StartDate } as const;
    const { AlarmHistoryItems = [] } = await cloudWatch.describeAlarmHistory(history);
    return AlarmHistoryItems[0]?.HistorySummary;
  });
  await set("OK");
  return summary?.startsWith("Successfully") ? undefined : (summary ?? "CloudWatch did not notify the topic");
}

async function sendSuspiciousChat(account: Account): Promise<string | undefined> {
  const startTime = Date.now();
  const apiKey = process.env.CHECK_API_KEY ?? "";
  const { status } = await fetch(`${account.output("BaseUrl")}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ message: SUSPICIOUS }),
  });
  if (status !== 200) {
    return `the chat got a ${status}`;
  }
  const query = { logGroupName: `aws-waf-logs-${account.name}`, startTime, filterPattern: '"CrossSiteScripting_BODY"' };
  const events = await until(WAIT.logs, async () => {
    const found = await account.logs.filterLogEvents(query);
    return found.events?.length ? found.events : undefined;
  });
  const lines = (events ?? []).map(({ message = "" }) => message).join("\n");
  return lines === ""
    ? "its log has no such line"
    : lines.includes("alert(1)") || lines.includes(apiKey)
      ? "its log contains the text or the key"
      : undefined;
}

/** Repeats until there is a result. */
async function until<T>(milliseconds: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const end = Date.now() + milliseconds; Date.now() < end; await setTimeout(WAIT.pause)) {
    const found = await look();
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
