import { cachedAssembly } from "../../local/cached-assembly.ts";
import { readResources } from "../../packages/lambda-local/cloud-assembly.ts";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { type Inventory, inventoryOf } from "./inventory.ts";

const USAGE = `Computes what a month of prod costs, as a Markdown table, from list prices of 2026-11-21, the units in
docs/performance.md, and what this version's template has.

  npm run cost -- --profile small --chats 1000000 --clients 50 --model-prices 0.10,0.01,0.50

  --profile       standard or small; default: both
  --chats         chats in a month, on threads of ten turns; default: 1000000
  --clients       clients whose usage is looked up once a month; default: 1
  --patients      records that are stored and backed up; default: 100000
  --model-prices  dollars per million tokens: input, cached input, output, and if it differs from input, cache write
`;

/**
 * List prices of us-east-1 in dollars, without free tiers, from each service's pricing page
 * (`aws.amazon.com/<service>/pricing`), retrieved on 2026-11-21.
 */
const PRICES = {
  lambdaGbSecond: 0.0000133334, // arm64
  lambdaMillionRequests: 0.2,
  gatewayMillionRequests: 3.5,
  databaseMillionWrites: 0.625,
  databaseMillionReads: 0.125,
  databaseGbMonth: 0.45, // $0.25 for storage, $0.20 for point-in-time recovery
  backupGbMonth: 0.1,
  streamMillionReads: 0.2, // after the first 2.5 million
  pipeMillionRequests: 0.4, // EventBridge Pipes, after filtering
  secretMonth: 0.4,
  secretTenThousandReads: 0.05,
  keyMonth: 1,
  rotatedKeyMonth: 2, // in addition, from the second rotation on: $1 for each of the first two
  keyTenThousandRequests: 0.03,
  logGb: 0.5,
  logStorageGbMonth: 0.03, // of what is left after compression
  logQueryGb: 0.005,
  metricMonth: 0.3,
  dashboardMonth: 3,
  alarmMetricMonth: 0.1,
  compositeAlarmMonth: 0.5,
  firewallMonth: 5,
  firewallRuleMonth: 1,
  firewallMillionRequests: 0.6,
  transferGb: 0.09,
};

/** The metrics that functions and logs write, with all their dimensions. One is billed for the hours with a value. */
const METRICS = {
  standard: { steady: 8, occasional: 54 },
  small: { steady: 4, occasional: 5 },
};

type Profile = keyof typeof METRICS;

/** Four reads a second and shard, of one shard or the four of a new table, less the 2.5 million that are free. */
const UNKNOWN = `Not included: up to $${streamReads(1)} to $${streamReads(4)} if AWS bills a pipe's reads of a stream, which no price list says (docs/performance.md).

`;

/** The share of hours in which metrics of failures, rejections and alerts have a value. */
const OCCASIONAL_SHARE = 0.1;
const LOG_DAYS = 2_192;
const BACKUP_DAYS = 35;
const TURNS_PER_THREAD = 10;
const CHAT_SECONDS = 4.1; // 4 s of which are the model's
const PATIENT_GIGABYTES = 2_500 / 1e9; // with the lock of the phone number and the indexes
// The function's request and metric lines (1,100 bytes), Lambda's start and report (470), the gateway's access log
// (420), and 26 more that CloudWatch bills for each of the five lines.
const LOG_GIGABYTES_PER_CHAT = 2_200 / 1e9;

/**
 * The tokens of a chat, on average over a thread of ten turns with questions of 170 characters and answers of 810, and
 * those of a verdict, which 5 % of all harmless messages need (packages/safety/README.md). The input of which the provider has
 * cached a prefix is from 1,024 tokens on (OpenAI, "Prompt caching").
 */
const TOKENS = { input: 1_947, cached: 1_558, written: 307, output: 203 };
const VERDICTS = { share: 0.05, input: 973, output: 18 };

interface Usage {
  chats: number;
  clients: number;
  patients: number;
}

/** A model's prices in dollars per million tokens; `written` for tokens that are written to the cache. */
type ModelPrices = Record<"input" | "cached" | "output" | "written", number>;

/** What is billed for one item: units, and the price of each. */
type Bill = [units: number, price: number][];

const gbSeconds = (megabytes: number, seconds: number, times: number) => (megabytes / 1_024) * seconds * times;

/** The items of AWS's bill for a month of the first year, and what later years add. */
export function awsBill(
  profile: Profile,
  { alarmMetrics, compositeAlarms, dashboards, firewalls, firewallRules, keys, secrets, sweeps, deliveries }: Inventory,
  { chats, clients, patients }: Usage,
): Record<string, Bill> {
  const { steady, occasional } = METRICS[profile];
  const p = PRICES;
  const threads = chats / TURNS_PER_THREAD;
  const requests = (chats + threads) / 1e6;
  const ratings = chats * 0.05;
  // 5 environments read the API keys once a minute, and the model's key a tenth as often.
  const secretReads = (Math.min(chats, 5 * 43_800) * 1.1) / 10_000;
  const logs = chats * LOG_GIGABYTES_PER_CHAT;
  const records = patients * PATIENT_GIGABYTES;
  return {
    "Lambda, chat": [[gbSeconds(256, CHAT_SECONDS, chats), p.lambdaGbSecond]],
    "Lambda, opening threads and requests": [
      [gbSeconds(512, 0.1, threads), p.lambdaGbSecond],
      [requests, p.lambdaMillionRequests],
    ],
    "API Gateway": [[requests, p.gatewayMillionRequests]],
    DynamoDB: [
      [(6.2 * chats + (3 + 30) * threads) / 1e6, p.databaseMillionWrites], // a turn; a thread's creation and its sweep
      [(4 * chats + (1 + 3.5) * threads) / 1e6, p.databaseMillionReads],
    ],
    // 0.2 s to find nothing due, 0.1 for a group of threads, 0.1 of cold start; 8 lookups of half a read unit
    sweeps: [
      [gbSeconds(1_769, 0.4, sweeps), p.lambdaGbSecond],
      [(sweeps * 8 * 0.5) / 1e6, p.databaseMillionReads],
    ],
    // 15 ms of processor time, 100 ms at its share of a processor, and one wait for the database
    "delivery of events, nothing due": [
      [gbSeconds(256, 0.12, deliveries), p.lambdaGbSecond],
      [(deliveries * 10 * 0.5) / 1e6, p.databaseMillionReads],
    ],
    "delivery of events, expired threads": [
      [gbSeconds(256, 0.12, threads), p.lambdaGbSecond],
      [threads / 1e6, p.lambdaMillionRequests + p.pipeMillionRequests],
    ],
    feedback: [
      [gbSeconds(256, 0.2, ratings), p.lambdaGbSecond],
      [ratings / 1e6, p.lambdaMillionRequests + p.gatewayMillionRequests],
      [(12 * ratings) / 1e6, p.databaseMillionWrites],
      [(4 * ratings) / 1e6, p.databaseMillionReads],
    ],
    "Secrets Manager, secrets": [[secrets, p.secretMonth]],
    "Secrets Manager and KMS, reads": [[secretReads, p.secretTenThousandReads + p.keyTenThousandRequests]],
    "KMS, keys": [[keys, p.keyMonth]],
    "patients, storage": [[records, p.databaseGbMonth]],
    "patients, backups": [[records * BACKUP_DAYS, p.backupGbMonth]],
    "CloudWatch, logs": [[logs, p.logGb + p.logStorageGbMonth]],
    "CloudWatch, usage by client": [[clients * logs, p.logQueryGb]],
    "CloudWatch, metrics": [[steady + occasional * OCCASIONAL_SHARE, p.metricMonth]],
    "CloudWatch, dashboards": [[dashboards, p.dashboardMonth]],
    "CloudWatch, alarms": [
      [alarmMetrics, p.alarmMetricMonth],
      [compositeAlarms, p.compositeAlarmMonth],
    ],
    firewall: [
      [firewalls, p.firewallMonth],
      [firewallRules, p.firewallRuleMonth],
    ],
    "firewall, requests": [[firewalls * requests, p.firewallMillionRequests]],
    "data transfer": [[(chats * 8_700) / 1e9, p.transferGb]],
  };
}

/**
 * What is added after two years, when each key was rotated twice, and when the first logs are old enough to be deleted:
 * the most that it can be, since CloudWatch bills logs as compressed.
 */
export function laterBill({ keys }: Inventory, { chats }: Usage): Record<string, Bill> {
  return {
    "later, rotated keys": [[keys, PRICES.rotatedKeyMonth]],
    "later, stored logs": [[chats * LOG_GIGABYTES_PER_CHAT * (LOG_DAYS / 30 - 1), PRICES.logStorageGbMonth]],
  };
}

/** The model provider's charges, without a cache and with every possible prefix cached, and for verdicts. */
export function modelBill(chats: number, { input, cached, output, written }: ModelPrices): Record<string, Bill> {
  const millions = chats / 1e6;
  const answers: Bill[number] = [millions * TOKENS.output, output];
  return {
    "model, nothing cached": [[millions * TOKENS.input, input], answers],
    "model, cached as far as possible": [
      [millions * (TOKENS.input - TOKENS.cached - TOKENS.written), input],
      [millions * TOKENS.cached, cached],
      [millions * TOKENS.written, written],
      answers,
    ],
    "model, verdicts on suspicions": [
      [millions * VERDICTS.share * VERDICTS.input, input],
      [millions * VERDICTS.share * VERDICTS.output, output],
    ],
  };
}

/** What a month of a pipe's reads of a stream costs in dollars, if they are billed. */
function streamReads(shards: number): string {
  const reads = (shards * 4 * 730 * 3_600) / 1e6;
  return ((reads - 2.5) * PRICES.streamMillionReads).toFixed(2);
}

export function dollarsOf(bill: Bill): number {
  return bill.reduce((sum, [units, price]) => sum + units * price, 0);
}

export function totalOf(bills: Record<string, Bill>): number {
  return Object.values(bills).reduce((sum, bill) => sum + dollarsOf(bill), 0);
}

/** What prod's file leaves to the operator, as for the smallest bill. */
const PROD = { stage: "prod", alarmAddress: "operator@example.test", backupCopyVault: "none" };

async function main(): Promise<void> {
  const { profiles, usage, prices } = readOptions();
  for (const profile of profiles) {
    const inventory = inventoryOf(readResources(await cachedAssembly({ ...PROD, profile })));
    const aws = awsBill(profile, inventory, usage);
    const idle = totalOf(awsBill(profile, inventory, { ...usage, chats: 0 }));
    const model = prices && modelBill(usage.chats, prices);
    const rows = [
      ...rowsOf(aws),
      `| **total** | $${idle.toFixed(2)} of it without a chat | **${totalOf(aws).toFixed(2)}** |`,
      ...rowsOf({ ...laterBill(inventory, usage), ...model }),
    ];
    const title = `### ${profile}: ${usage.chats.toLocaleString("en")} chats in a month`;
    process.stdout.write(`${[title, "", "| item | calculation | $ |", "|---|---|---|", ...rows].join("\n")}\n\n`);
    process.stdout.write(UNKNOWN);
    if (prices) {
      const chats = 3_600 / CHAT_SECONDS;
      const { "model, cached as far as possible": _, ...most } = modelBill(chats, prices);
      const perHour = totalOf(awsBill(profile, inventory, { ...usage, chats })) - idle + totalOf(most);
      process.stdout.write(`Each concurrent chat costs at most $${perHour.toFixed(2)} in an hour.\n\n`);
    }
  }
}

function rowsOf(bills: Record<string, Bill>): string[] {
  return Object.entries(bills).map(([name, bill]) => {
    const calculation = bill.map(
      ([units, price]) => `${Number(units.toPrecision(4)).toLocaleString("en")} × $${Number(price.toPrecision(6))}`,
    );
    return `| ${name} | ${calculation.join(" + ")} | ${dollarsOf(bill).toFixed(2)} |`;
  });
}

function readOptions() {
  const { values } = readArguments(USAGE, {
    options: {
      profile: { type: "string" },
      chats: { type: "string", default: "1000000" },
      clients: { type: "string", default: "1" },
      patients: { type: "string", default: "100000" },
      "model-prices": { type: "string" },
    },
  });
  const { profile, chats, clients, patients, "model-prices": given } = values;
  if (profile !== undefined && !Object.hasOwn(METRICS, profile)) {
    usageError(USAGE, "--profile must be standard or small.");
  }
  for (const [name, value] of Object.entries({ chats, clients, patients })) {
    if (!/^\d{1,12}$/.test(value)) {
      usageError(USAGE, `--${name} must be a whole number.`);
    }
  }
  const numbers = given?.split(",").map(Number);
  if (
    numbers &&
    (![3, 4].includes(numbers.length) || !numbers.every((price) => Number.isFinite(price) && price >= 0))
  ) {
    usageError(USAGE, "--model-prices must be three or four numbers separated by commas.");
  }
  const [input = 0, cached = 0, output = 0, written = input] = numbers ?? [];
  return {
    profiles: (profile ? [profile] : Object.keys(METRICS)) as Profile[],
    usage: { chats: Number(chats), clients: Number(clients), patients: Number(patients) },
    prices: numbers && { input, cached, output, written },
  };
}

if (import.meta.main) {
  await main();
}
