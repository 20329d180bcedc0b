import type { Counts } from "./count.ts";
import type { ThreadTokens } from "./model-tokens.ts";
import { OCCASIONAL_SHARE, PRICES, USAGE } from "./prices.ts";

/** One line of the table: its name, the calculation, dollars, and whether it is billed even without a single chat. */
export interface Item {
  name: string;
  calculation: string;
  dollars: number;
  fixed: boolean;
}

const MILLION = 1_000_000;

/**
 * The AWS costs of a month.
 *
 * @param chats in that month, on threads of ten turns each
 * @param clients whose usage is looked up once a month in the log, because no metric is split by client
 * @param patients whose records are stored and backed up
 */
export function awsItems(counts: Counts, chats: number, clients = 1, patients = 0): Item[] {
  const threads = chats / USAGE.turnsPerThread;
  const requests = chats + threads;
  const ratings = chats * USAGE.feedbackShare;
  const secretReads = Math.min(chats, USAGE.secretReadsPerMonth) * USAGE.secretsPerChat;
  const gbSeconds = (megabytes: number, seconds: number, times: number) =>
    (megabytes / 1_024) * seconds * times * PRICES.lambdaGbSecond;
  const writes = chats * USAGE.writesPerChat + threads * (USAGE.writesPerNewThread + USAGE.writesPerSweptThread);
  const reads = chats * USAGE.readsPerChat + threads * (USAGE.readsPerNewThread + USAGE.readsPerSweptThread);
  const sweepReads = USAGE.sweepsPerMonth * USAGE.sweepLookups * 0.5;
  const firewall = counts.firewallRules > 0;
  const logGigabytes = logGigabytesOf(chats);
  const patientGigabytes = (patients * USAGE.patientBytes) / 1e9;
  const copies = counts.copyDays > 0;
  return [
    item(
      "Lambda, chat",
      `${USAGE.chatSeconds} s × ${counts.chatMegabytes} MB × ${chats.toLocaleString("en")}`,
      gbSeconds(counts.chatMegabytes, USAGE.chatSeconds, chats),
    ),
    item(
      "Lambda, opening threads and requests",
      `${USAGE.createThreadSeconds} s × ${counts.createThreadMegabytes} MB × ${threads.toLocaleString("en")}`,
      gbSeconds(counts.createThreadMegabytes, USAGE.createThreadSeconds, threads) +
        (requests / MILLION) * PRICES.lambdaMillionRequests,
    ),
    item(
      "API Gateway",
      `${requests.toLocaleString("en")} requests`,
      (requests / MILLION) * PRICES.gatewayMillionRequests,
    ),
    item(
      "DynamoDB",
      `${Math.round(writes).toLocaleString("en")} write units, ${Math.round(reads).toLocaleString("en")} read units`,
      (writes / MILLION) * PRICES.databaseMillionWrites + (reads / MILLION) * PRICES.databaseMillionReads,
    ),
    item(
      "sweeps",
      `${USAGE.sweepsPerMonth.toLocaleString("en")} × ${USAGE.sweepSeconds} s × ${counts.sweepMegabytes} MB`,
      gbSeconds(counts.sweepMegabytes, USAGE.sweepSeconds, USAGE.sweepsPerMonth) +
        (sweepReads / MILLION) * PRICES.databaseMillionReads,
      true,
    ),
    item(
      "delivery of events, nothing due",
      `${USAGE.deliveriesPerMonth.toLocaleString("en")} × ${USAGE.deliverySeconds} s × ${counts.deliveryMegabytes} MB`,
      gbSeconds(counts.deliveryMegabytes, USAGE.deliverySeconds, USAGE.deliveriesPerMonth) +
        ((USAGE.deliveriesPerMonth * USAGE.deliveryLookups * 0.5) / MILLION) * PRICES.databaseMillionReads,
      true,
    ),
    item(
      "delivery of events, expired threads",
      `at most ${threads.toLocaleString("en")} × ${USAGE.deliverySeconds} s × ${counts.deliveryMegabytes} MB`,
      gbSeconds(counts.deliveryMegabytes, USAGE.deliverySeconds, threads) +
        (threads / MILLION) * PRICES.lambdaMillionRequests,
    ),
    item(
      "feedback",
      `on ${USAGE.feedbackShare * 100} % of all answers, ${USAGE.writesPerFeedback} write units each`,
      gbSeconds(counts.feedbackMegabytes, USAGE.feedbackSeconds, ratings) +
        (ratings / MILLION) * (PRICES.lambdaMillionRequests + PRICES.gatewayMillionRequests) +
        (ratings / MILLION) * USAGE.writesPerFeedback * PRICES.databaseMillionWrites +
        (ratings / MILLION) * USAGE.readsPerFeedback * PRICES.databaseMillionReads,
    ),
    item("Secrets Manager, secrets", `${counts.secrets}`, counts.secrets * PRICES.secretMonth, true),
    item(
      "Secrets Manager and KMS, reads",
      `${secretReads.toLocaleString("en")} reads`,
      (secretReads / 10_000) * (PRICES.secretTenThousandReads + PRICES.keyTenThousandRequests),
    ),
    item("KMS, keys", `${counts.keys}`, counts.keys * PRICES.keyMonth, true),
    item(
      "patients, storage",
      `${patients.toLocaleString("en")} × ${USAGE.patientBytes} bytes`,
      patientGigabytes * PRICES.databaseGbMonth,
    ),
    item(
      "patients, backups",
      `${counts.backupDays} nights${copies ? `, and ${counts.copyDays} in another region` : ""}`,
      patientGigabytes *
        ((counts.backupDays + counts.copyDays) * PRICES.backupGbMonth + (copies ? 30 * PRICES.transferToRegionGb : 0)),
    ),
    item(
      "CloudWatch, logs",
      `${USAGE.logBytesPerChat} bytes a chat, and a month of storage`,
      logGigabytes * (PRICES.logGb + PRICES.logStorageGbMonth),
    ),
    item(
      "CloudWatch, usage by client",
      `${clients} ${clients === 1 ? "query" : "queries"} over the month's log`,
      clients * logGigabytes * PRICES.logQueryGb,
    ),
    item(
      "CloudWatch, metrics",
      `${counts.steadyMetrics}, and ${counts.occasionalMetrics} in a tenth of all hours`,
      (counts.steadyMetrics + counts.occasionalMetrics * OCCASIONAL_SHARE) * PRICES.metricMonth,
      true,
    ),
    item("CloudWatch, dashboards", `${counts.dashboards}`, counts.dashboards * PRICES.dashboardMonth, true),
    item(
      "CloudWatch, alarms",
      `${counts.alarmMetrics} metrics, ${counts.compositeAlarms} composite`,
      counts.alarmMetrics * PRICES.alarmMetricMonth + counts.compositeAlarms * PRICES.compositeAlarmMonth,
      true,
    ),
    item(
      "firewall",
      firewall ? `${counts.firewallRules} rules` : "none",
      firewall ? PRICES.firewallMonth + counts.firewallRules * PRICES.firewallRuleMonth : 0,
      true,
    ),
    item(
      "firewall, requests",
      firewall ? `${requests.toLocaleString("en")} requests` : "none",
      firewall ? (requests / MILLION) * PRICES.firewallMillionRequests : 0,
    ),
    item(
      "data transfer",
      `${USAGE.transferBytesPerChat} bytes a chat`,
      ((chats * USAGE.transferBytesPerChat) / 1e9) * PRICES.transferGb,
    ),
  ];
}

/**
 * What a month costs in addition later on: after two years, when each key was rotated twice; and when the first logs are
 * old enough to be deleted. The latter is the most that it can be, since CloudWatch bills logs as compressed.
 */
export function laterItems({ rotatedKeys, logDays }: Counts, chats: number): Item[] {
  return [
    item("later, rotated keys", `${rotatedKeys}`, rotatedKeys * PRICES.rotatedKeyMonth, true),
    item(
      "later, stored logs",
      `those of ${logDays} days instead of 30`,
      logGigabytesOf(chats) * (logDays / 30 - 1) * PRICES.logStorageGbMonth,
    ),
  ];
}

function item(name: string, calculation: string, dollars: number, fixed = false): Item {
  return { name, calculation, dollars, fixed };
}

function logGigabytesOf(chats: number): number {
  return (chats * USAGE.logBytesPerChat) / 1e9;
}

/** A model's prices in dollars per million tokens. */
export interface ModelPrices {
  input: number;
  cached: number;
  output: number;
  /** For tokens that are written to the cache. */
  written: number;
}

/**
 * The model provider's charges for answers, without a cache and with every possible prefix cached, and for verdicts.
 */
export function modelItems(
  chats: number,
  tokens: ThreadTokens,
  { input, cached, output, written }: ModelPrices,
): Item[] {
  const dollars = (perThread: number) => ((chats / USAGE.turnsPerThread) * perThread) / MILLION;
  const perChat = (count: number) => Math.round(count / USAGE.turnsPerThread).toLocaleString("en");
  const plain = tokens.input - tokens.cached - tokens.written;
  const one = (name: string, calculation: string, perThread: number): Item => ({
    name,
    calculation: `${calculation} a chat`,
    dollars: dollars(perThread),
    fixed: false,
  });
  const { suspectedShare } = USAGE;
  return [
    one(
      "model, nothing cached",
      `${perChat(tokens.input)} input and ${perChat(tokens.output)} output tokens`,
      tokens.input * input + tokens.output * output,
    ),
    one(
      "model, cached as far as possible",
      `of the input, ${perChat(tokens.cached)} tokens cached and ${perChat(tokens.written)} written`,
      plain * input + tokens.cached * cached + tokens.written * written + tokens.output * output,
    ),
    {
      name: "model, verdicts on suspicions",
      calculation: `${perChat(tokens.verdictInput)} input and ${perChat(tokens.verdictOutput)} output tokens in ${suspectedShare * 100} % of all chats`,
      dollars: dollars(suspectedShare * (tokens.verdictInput * input + tokens.verdictOutput * output)),
      fixed: false,
    },
  ];
}

/** The maximum cost of chats in an hour in which as many as possible are always running. */
export function hourAtCeiling(ceiling: number, counts: Counts, tokens: ThreadTokens, prices: ModelPrices): number {
  const chats = (ceiling * 3_600) / USAGE.chatSeconds;
  const [uncached, , verdicts] = modelItems(chats, tokens, prices);
  return (
    (uncached?.dollars ?? 0) +
    (verdicts?.dollars ?? 0) +
    awsItems(counts, chats).reduce((sum, { fixed, dollars }) => sum + (fixed ? 0 : dollars), 0)
  );
}
