import { readFileSync } from "node:fs";
import { chatEndpoint } from "../../shared/chat/endpoints.ts";
import type { TestEnvironment } from "../../test/helpers/service/in-process.ts";
import type { BenchedFunction } from "./functions.ts";
import { nextThreadId, proxyEvent, threadItems } from "./requests.ts";
import { RuntimeProcess } from "./runtime-process.ts";
import { median, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const CHARACTERS = 4_000;
const TURNS = 20;
const RUNS = 3;

/**
 * The limits of the heap with which Lambda's runtime starts Node, such as 6 and 116 MB for a function of 128 MB: a
 * twentieth for each half of the young generation, and the rest for the old one.
 */
function heapLimits(memory: number): string[] {
  const semiSpace = Math.floor(memory / 20);
  return [`--max-semi-space-size=${semiSpace}`, `--max-old-space-size=${memory - 2 * semiSpace}`];
}

/** Greetings for which the safety screen reads the rules of every language: a short one in Latin letters needs six. */
const GREETINGS = ["hola", "kumusta na po kayo", "你好吗", "你好嗎", "안녕하세요", "مرحبا", "привет"];

/** Measures the peak memory of the chat function's process while it streams answers with a long context. */
export async function measureMemory(functions: BenchedFunction[], environment: TestEnvironment): Promise<Table> {
  const title = "Memory of the chat function, 20 messages of 4,000 characters as context, streamed";
  const columns = ["after", "peak resident MB"];
  if (process.platform !== "linux") {
    return {
      title,
      columns,
      rows: [],
      notes: ["Skipped: only Linux reports a process's peak memory (/proc/<pid>/status)."],
    };
  }
  const codePath = functions.find(({ name }) => name === "chat")?.codePath ?? "";
  const { memory = 256 } = chatEndpoint.lambda ?? {};
  const long = { question: "q".repeat(CHARACTERS), answer: "word ".repeat(CHARACTERS / 5) };
  environment.model.script = () => ({ content: long.answer });
  const peaks: [init: number[], first: number[], all: number[], languages: number[]] = [[], [], [], []];
  for (let run = 0; run < RUNS; run++) {
    const threadId = nextThreadId();
    await environment.seed(threadItems(threadId, long));
    const eventOf = (message: string) =>
      proxyEvent({
        path: "/chat",
        method: "POST",
        headers: { Accept: "text/event-stream" },
        body: { threadId, message },
      });
    const process_ = await RuntimeProcess.start(codePath, environment.variables, heapLimits(memory));
    try {
      peaks[0].push(peakMegabytes(process_.pid));
      for (let turn = 0; turn < TURNS; turn++) {
        await process_.invoke(eventOf(long.question));
        if (turn === 0) {
          peaks[1].push(peakMegabytes(process_.pid));
        }
      }
      peaks[2].push(peakMegabytes(process_.pid));
      for (const greeting of GREETINGS) {
        await process_.invoke(eventOf(greeting));
      }
      peaks[3].push(peakMegabytes(process_.pid));
    } finally {
      await process_.stop();
      environment.model.requests.length = 0;
    }
  }
  return {
    title,
    columns,
    rows: ["initialization", "the first turn", `${TURNS} turns`, "a message in every language"].map((after, index) => [
      after,
      round(median(peaks[index] ?? [])),
    ]),
    notes: [
      `VmHWM of the process, medians of ${RUNS} runs, including the runtime client and Node itself, with Lambda's limits of the heap.`,
    ],
  };
}

function peakMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
