import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { ANSWER } from "../helpers/database/stored-thread.ts";
import { startScriptedModel } from "../helpers/model/scripted-model.ts";
import { QUESTION } from "./requests.ts";
import { median, medianRatio, round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** Blocks of turns, alternating between the two servers. */
const BLOCKS = 9;
const TURNS_ALONE = 40;
const CLIENTS = 16;
const TURNS_TOGETHER = 320;
const API_KEY = "key-of-the-client";

interface Contender {
  name: string;
  url: string;
  threads: string[];
  /** Per block, the median latency with one client, in milliseconds, and the throughput with 16 clients. */
  latencies: number[];
  turnsPerSecond: number[];
  stop(): Promise<void>;
}

const agent = new Agent({ keepAlive: true });

/**
 * Measures turns through the stack of `npm start`, compared with a bare server that does the same turn. Each runs in its
 * own process with its own database; clients and model run in this process. The model answers immediately, so the times
 * are the service's own.
 */
export async function measureTurns(assembly: string): Promise<Table> {
  const model = await startScriptedModel();
  model.script = () => {
    model.requests.length = 0;
    return { content: ANSWER };
  };
  const service = await start("npm start", "turns-service.ts", assembly, model.baseUrl);
  const bare = await start("bare node:http", "turns-baseline.ts", assembly, model.baseUrl);
  const contenders = [service, bare];
  try {
    for (const contender of contenders) {
      await openThreads(contender);
      await block(contender, CLIENTS, TURNS_TOGETHER);
    }
    for (let run = 0; run < BLOCKS; run++) {
      for (const contender of contenders) {
        contender.latencies.push((await block(contender, 1, TURNS_ALONE)).latency);
        contender.turnsPerSecond.push((await block(contender, CLIENTS, TURNS_TOGETHER)).turnsPerSecond);
      }
    }
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()));
    agent.destroy();
    model.stop();
  }
  const ratios = [
    medianRatio(service.latencies, bare.latencies),
    medianRatio(service.turnsPerSecond, bare.turnsPerSecond),
  ];
  return {
    title: "A turn on a thread with 20 messages",
    columns: ["server", "p50 ms, 1 client", `turns/s, ${CLIENTS} clients`],
    rows: [
      ...contenders.map(({ name, latencies, turnsPerSecond }) => [name, median(latencies), median(turnsPerSecond)]),
      ["ratio", ...ratios],
    ].map(([name = "", ...figures]) => [name, ...figures.map((figure) => round(Number(figure), 2))]),
  };
}

async function start(name: string, program: string, assembly: string, modelUrl: string): Promise<Contender> {
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const { PATH = "" } = process.env;
  const child = fork(join(import.meta.dirname, program), [assembly, dataDir], {
    env: { PATH, API_KEY, OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: "key-of-the-model" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [url] = (await once(child, "message")) as [string];
  const stop = async () => {
    const exited = once(child, "exit");
    child.send("stop");
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { name, url, threads: [], latencies: [], turnsPerSecond: [], stop };
}

/** Creates a thread for each client, with the 20 messages that a turn loads. */
async function openThreads(contender: Contender): Promise<void> {
  for (let client = 0; client < CLIENTS; client++) {
    const { threadId } = await post(contender, "/threads", {});
    contender.threads.push(String(threadId));
    for (let turn = 0; turn < 10; turn++) {
      await post(contender, "/chat", { threadId, message: QUESTION });
    }
  }
}

/** Runs turns with concurrent clients, each sending one turn after the other on its own thread. */
async function block(contender: Contender, clients: number, turns: number) {
  const latencies: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    contender.threads.slice(0, clients).map(async (threadId) => {
      for (let turn = 0; turn < turns / clients; turn++) {
        const before = performance.now();
        await post(contender, "/chat", { threadId, message: QUESTION });
        latencies.push(performance.now() - before);
      }
    }),
  );
  return { latency: median(latencies), turnsPerSecond: turns / ((performance.now() - startedAt) / 1000) };
}

/** @throws Error when the request fails */
async function post({ url }: Contender, path: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json", "x-api-key": API_KEY };
  const sent = request(`${url}${path}`, { agent, method: "POST", headers });
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, "response");
  const result = (await json(response)) as Record<string, unknown>;
  if (result.success !== true) {
    throw new Error(`A turn failed: ${JSON.stringify(result)}`);
  }
  return result;
}
