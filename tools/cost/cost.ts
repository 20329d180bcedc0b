import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readResources } from "../../local/cloud-assembly.ts";
import { synthesize } from "../../local/synthesize.ts";
import { readArguments, usageError } from "../command-line.ts";
import { countBilled, type Resources } from "./count.ts";
import { awsItems, hourAtCeiling, type Item, laterItems, type ModelPrices, modelItems } from "./items.ts";
import { threadTokens } from "./model-tokens.ts";

const USAGE = `Computes the cost of a month from the synthesized template and measured units, as a Markdown table.

  npm run cost -- --profile small --chats 1000000 --clients 50 --model-prices 0.10,0.01,0.50

  --profile       standard or small; default: both
  --stage         the stage whose settings to use, except for the profile; default: prod
  --chats         chats in a month, on threads of ten turns; default: 1000000
  --clients       clients whose usage is looked up once a month; default: 1
  --patients      records that are stored and backed up; default: 100000
  --model-prices  dollars per million tokens: input, cached input, output, and if it differs from input, cache write
`;

async function main(): Promise<number> {
  const options = readOptions();
  const tokens = threadTokens();
  for (const profile of options.profiles) {
    const counts = countBilled(await resourcesOf(options.stage, profile));
    const items = awsItems(counts, options.chats, options.clients, options.patients);
    print(`### ${profile}: ${options.chats.toLocaleString("en")} chats in a month\n`);
    print(table(items));
    print(table(laterItems(counts, options.chats), false));
    if (options.prices) {
      print(table(modelItems(options.chats, tokens, options.prices), false));
      for (const many of new Set([counts.concurrentChats, 200].filter((each) => each !== undefined))) {
        print(
          `${many} concurrent chats for an hour: at most $${hourAtCeiling(many, counts, tokens, options.prices).toFixed(2)}\n`,
        );
      }
    }
  }
  return 0;
}

function table(items: Item[], withSum = true): string {
  const rows = items.map(({ name, calculation, dollars }) => `| ${name} | ${calculation} | ${dollars.toFixed(2)} |`);
  const sum = (list: Item[]) => list.reduce((total, { dollars }) => total + dollars, 0).toFixed(2);
  return [
    "| item | calculation | $ |",
    "|---|---|---|",
    ...rows,
    ...(withSum ? [`| **total** | $${sum(items.filter(({ fixed }) => fixed))} of it fixed | **${sum(items)}** |`] : []),
    "",
  ].join("\n");
}

async function resourcesOf(stage: string, profile: string): Promise<Resources> {
  const output = mkdtempSync(join(tmpdir(), "cost-"));
  try {
    await synthesize(output, { stage, profile, alarmAddress: "operator@example.test", backupCopyVault: "none" });
    return readResources(output);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

function readOptions() {
  const { values } = readArguments(USAGE, {
    options: {
      profile: { type: "string" },
      stage: { type: "string", default: "prod" },
      chats: { type: "string", default: "1000000" },
      clients: { type: "string", default: "1" },
      patients: { type: "string", default: "100000" },
      "model-prices": { type: "string" },
    },
  });
  const { profile, stage, chats, clients, patients, "model-prices": given } = values;
  const prices = given?.split(",").map(Number);
  if (profile !== undefined && !["standard", "small"].includes(profile)) {
    usageError(USAGE, "--profile must be standard or small.");
  }
  for (const [name, value] of Object.entries({ chats, clients, patients })) {
    if (!/^\d{1,12}$/.test(value)) {
      usageError(USAGE, `--${name} must be a whole number.`);
    }
  }
  if (prices && (![3, 4].includes(prices.length) || !prices.every((price) => Number.isFinite(price) && price >= 0))) {
    usageError(USAGE, "--model-prices must be three or four numbers separated by commas.");
  }
  const [input = 0, cached = 0, output = 0, written = input] = prices ?? [];
  const modelPrices: ModelPrices | undefined = prices && { input, cached, output, written };
  const profiles = profile ? [profile] : ["standard", "small"];
  const numbers = { chats: Number(chats), clients: Number(clients), patients: Number(patients) };
  return { profiles, stage, ...numbers, prices: modelPrices };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main();
