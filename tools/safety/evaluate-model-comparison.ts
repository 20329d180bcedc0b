import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { LocalService } from "../../local/service.ts";
import { CREDENTIALS, REGION } from "../../packages/lambda-local/database.ts";
import { screen } from "../../packages/safety/screen.ts";
import { figuresOf, type Judged } from "../../packages/safety/training/figures.ts";
import { CORPUS, filesAt, type Labeled, readSource } from "../../packages/safety/training/labeled.ts";
import type { Caller } from "../../shared/request/caller.ts";
import { type CallerContext, RequestContext, type TokenUsage } from "../../shared/request/request-context.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { sampleOf } from "./evaluate-model-report.ts";

/** Dollars for a million tokens. */
export interface Prices {
  input: number;
  output: number;
}

/** What each of the three finds in one message. */
interface Compared {
  message: Labeled;
  set: string;
  screen: Judged["finding"];
  model: Judged["finding"];
  /** Whether the model gave no verdict in time, or none that can be read. */
  isMissing: boolean;
  both: Judged["finding"];
  /** Of the verdict, which both together need only if the screen is not certain of what it finds. */
  usage: Pick<TokenUsage, "inputTokens" | "outputTokens">;
}

const NO_TOKENS = { inputTokens: 0, outputTokens: 0 };

/**
 * Compares, on the sets that are put aside, the screen alone, the model alone, which is asked for its verdict on each
 * message, and both as the service has them: whether the classifier is worth its place beside a model.
 *
 * @param service with the model
 * @param chat sends a message to it, and returns what was found
 * @param sample messages of each set; 0 for all
 * @returns a table, and the tokens of the verdicts for 1,000 messages
 */
export async function compare(
  service: LocalService,
  chat: (message: string) => Promise<Judged["finding"]>,
  sample: number,
  prices: Prices | undefined,
): Promise<string> {
  const ask = await verdicts(service);
  const compared: Compared[] = [];
  for (const set of readdirSync(CORPUS).filter((name) => name.startsWith("put-aside"))) {
    const messages = filesAt(join(CORPUS, set)).flatMap((file) => readSource(file).messages);
    for (const message of sampleOf(messages, sample || messages.length)) {
      const { finding } = screen(message.text);
      compared.push({ message, set, screen: finding, ...(await ask(message.text)), both: await chat(message.text) });
    }
  }
  return `${tableOf(compared)}\n${costsOf(compared, prices)}`;
}

/** Returns a function that asks the model for its verdict as the service does, from this process. */
async function verdicts({ template, apiKeys }: LocalService) {
  const environment = [...template.functions.values()].find((fn) => fn.environment.MODEL_KEY_SECRET)?.environment;
  Object.assign(process.env, environment, {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: apiKeys.endpoint,
  });
  Object.assign(console, { info: () => {}, warn: () => {}, error: () => {} }); // what a function would log
  const { askVerdict } = await import("../../shared/chat/verdict.ts"); // which reads these variables
  const caller: Caller = { client: "evaluation", tenant: tenantNamed("evaluation"), operation: "evaluation" };
  return async (message: string): Promise<Pick<Compared, "model" | "isMissing" | "usage">> => {
    const context: CallerContext = Object.assign(new RequestContext("", "", Date.now() + 29_000), { caller });
    const verdict = await askVerdict(context, [], message, new AbortController().signal);
    const model: Judged["finding"] = verdict?.alert && {
      alert: verdict.alert,
      certainty: "certain",
      categoryCertain: verdict.named,
    };
    return { model, isMissing: verdict === undefined, usage: context.usage ?? NO_TOKENS };
  };
}

/** The shares that get an alert, and those that are told whom to call in any way. A verdict alone is an alert or nothing. */
function tableOf(compared: Compared[]): string {
  const resultsOf = (who: "screen" | "model" | "both") =>
    figuresOf(compared.map((each) => ({ message: each.message, finding: each[who], rows: [each.set, "all sets"] })));
  const [screened, judged, both] = [resultsOf("screen"), resultsOf("model"), resultsOf("both")];
  const line = (name: string, ...cells: string[]) => name.padEnd(24) + cells.map((cell) => cell.padStart(14)).join("");
  const linesOf = (kind: "harmless" | "alerts") =>
    [...screened[kind].keys()].toSorted().map((name) => {
      const [first, second, third] = [screened, judged, both].map((figures) => figures[kind].get(name));
      const counts = [first?.certain, first?.told, second?.certain, third?.certain, third?.told];
      const all = first?.all ?? 0;
      return line(`  ${name}`, String(all), ...counts.map((count = 0) => ((100 * count) / all).toFixed(1)));
    });
  const header = line("%", "n", "screen: alert", "told", "model: alert", "both: alert", "told");
  return `${[header, "Harmless", ...linesOf("harmless"), "Emergencies and crises", ...linesOf("alerts")].join("\n")}\n`;
}

/** The verdicts are what the model costs beside its answers, which each of the three needs. */
function costsOf(compared: Compared[], prices: Prices | undefined): string {
  const asked = {
    "model alone": compared,
    both: compared.filter((each) => each.screen && each.screen.certainty !== "certain"),
  };
  const lines = Object.entries(asked).map(([name, all]) => {
    const per1000 = (count: (usage: Compared["usage"]) => number) =>
      Math.round((1_000 * all.reduce((sum, { usage }) => sum + count(usage), 0)) / compared.length);
    const [input, output] = [per1000(({ inputTokens }) => inputTokens), per1000(({ outputTokens }) => outputTokens)];
    const dollars = prices && ((input * prices.input + output * prices.output) / 1_000_000).toFixed(3);
    const missing = all.filter(({ isMissing }) => isMissing).length;
    return `  ${name}: ${all.length} of ${compared.length} asked, ${missing} without a verdict; ${input} tokens in, ${output} out${dollars ? `, $${dollars}` : ""}\n`;
  });
  return `Verdicts, for 1,000 messages\n${lines.join("")}`;
}
