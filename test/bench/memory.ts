import { readFileSync } from "node:fs";
import { LambdaEnvironment } from "../../packages/lambda-local/lambda-environment.ts";
import { exchange } from "../helpers/database/exchange.ts";
import { storedThread } from "../helpers/database/stored-thread.ts";
import type { TestEnvironment } from "../helpers/service/in-process.ts";
import type { BenchedFunction } from "./functions.ts";
import { send, TENANT } from "./requests.ts";
import { median, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const CHARACTERS = 4_000;
const TURNS = 20;
const RUNS = 3;

/** Greetings for which the safety screen reads the rules of every language: a short one in Latin letters needs six. */
const GREETINGS = ["hola", "kumusta na po kayo", "你好吗", "你好嗎", "안녕하세요", "مرحبا", "привет"];

/**
 * Measures the peak memory of the chat function's process, with the runtime client and Node itself, while it streams
 * answers with a long context.
 *
 * Only on Linux, which reports it in `/proc`.
 */
export async function measureMemory(functions: BenchedFunction[], environment: TestEnvironment): Promise<Table> {
  const chat = functions.find(({ endpoint }) => endpoint.name === "chat") as BenchedFunction;
  const { method, path } = chat.endpoint;
  // As Lambda's runtime starts Node: a twentieth of the memory for each half of the young generation, the rest for the
  // old.
  const { memoryMegabytes } = chat.template;
  const semiSpace = Math.floor(memoryMegabytes / 20);
  const NODE_OPTIONS = `--max-semi-space-size=${semiSpace} --max-old-space-size=${memoryMegabytes - 2 * semiSpace}`;
  const template = { ...chat.template, environment: { ...environment.variables, NODE_OPTIONS } };
  const answer = "word ".repeat(CHARACTERS / 5);
  const long = exchange("q".repeat(CHARACTERS), answer);
  environment.model.script = () => ({ content: answer });
  const messages = [...Array(TURNS).fill("q".repeat(CHARACTERS)), ...GREETINGS];
  const peaks: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const threadId = String(10_000 + run);
    const items = storedThread(TENANT, threadId, Date.now());
    await environment.seed(items.map((item) => ("question" in item ? { ...item, ...long } : item)));
    const process_ = await LambdaEnvironment.start(template, {}, () => {});
    try {
      await process_.ready;
      for (const message of messages) {
        await send(process_, { method, path, body: { threadId, message }, accept: "text/event-stream" });
      }
      peaks.push(peakMegabytes(process_.pid));
    } finally {
      process_.stop();
      environment.model.requests.length = 0;
    }
  }
  return {
    title: "Memory of the chat function, 20 messages of 4,000 characters as context, streamed",
    columns: ["after", "peak resident MB"],
    rows: [[`${TURNS} turns and a message in every language`, round(median(peaks))]],
  };
}

function peakMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
