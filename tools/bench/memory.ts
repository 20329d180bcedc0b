import { readFileSync } from "node:fs";
import { LambdaEnvironment } from "../../local/lambda-environment.ts";
import { storedThread } from "../../test/helpers/database/stored-thread.ts";
import type { TestEnvironment } from "../../test/helpers/service/in-process.ts";
import type { BenchedFunction } from "./functions.ts";
import { send, TENANT } from "./requests.ts";
import { median, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const CHARACTERS = 4_000;
const TURNS = 20;
const RUNS = 3;

/**
 * The limits of the heap with which Lambda's runtime starts Node, such as 6 and 116 MB for a function of 128 MB: a
 * twentieth for each half of the young generation, and the rest for the old one.
 */
function heapLimits(memory: number): string {
  const semiSpace = Math.floor(memory / 20);
  return `--max-semi-space-size=${semiSpace} --max-old-space-size=${memory - 2 * semiSpace}`;
}

/** Greetings for which the safety screen reads the rules of every language: a short one in Latin letters needs six. */
const GREETINGS = ["hola", "kumusta na po kayo", "你好吗", "你好嗎", "안녕하세요", "مرحبا", "привет"];

/**
 * Measures the peak memory of the chat function's process, with the runtime client and Node itself, while it streams answers
 * with a long context. Linux only.
 */
export async function measureMemory(functions: BenchedFunction[], environment: TestEnvironment): Promise<Table> {
  const chat = functions.find(({ endpoint }) => endpoint.name === "chat") as BenchedFunction;
  const { method, path } = chat.endpoint;
  const NODE_OPTIONS = heapLimits(chat.template.memoryMegabytes);
  const template = { ...chat.template, environment: { ...environment.variables, NODE_OPTIONS } };
  const long = { question: "q".repeat(CHARACTERS), answer: "word ".repeat(CHARACTERS / 5) };
  environment.model.script = () => ({ content: long.answer });
  const stages: [after: string, messages: string[]][] = [
    ["initialization", []],
    ["the first turn", [long.question]],
    [`${TURNS} turns`, Array(TURNS - 1).fill(long.question)],
    ["a message in every language", GREETINGS],
  ];
  const peaks = stages.map((): number[] => []);
  for (let run = 0; run < RUNS; run++) {
    const threadId = String(10_000 + run);
    const items = storedThread(TENANT, threadId, Date.now());
    await environment.seed(items.map((item) => ("question" in item ? { ...item, ...long } : item)));
    const process_ = await LambdaEnvironment.start(template, {}, () => {});
    try {
      await process_.ready;
      for (const [stage, [, messages]] of stages.entries()) {
        for (const message of messages) {
          await send(process_, { method, path, body: { threadId, message }, accept: "text/event-stream" });
        }
        peaks[stage]?.push(peakMegabytes(process_.pid));
      }
    } finally {
      process_.stop();
      environment.model.requests.length = 0;
    }
  }
  return {
    title: "Memory of the chat function, 20 messages of 4,000 characters as context, streamed",
    columns: ["after", "peak resident MB"],
    rows: stages.map(([after], index) => [after, round(median(peaks[index] ?? []))]),
  };
}

function peakMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
