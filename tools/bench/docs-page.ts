import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { median, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const COLD_RUNS = 5;
const WARM_REQUESTS = 50;

/** Measures the time to first byte and the size of the API reference, which is a single file. */
export async function measureDocsPage(assembly: string): Promise<Table> {
  const rows = [];
  for (const coding of ["br", "gzip", "identity"]) {
    const cold: number[] = [];
    const warm: number[] = [];
    let bytes = 0;
    for (let run = 0; run < COLD_RUNS; run++) {
      await withService(assembly, async (url) => {
        const first = await load(url, coding);
        cold.push(first.firstByte);
        bytes = first.bytes;
        for (let request = 0; request < WARM_REQUESTS / COLD_RUNS; request++) {
          warm.push((await load(url, coding)).firstByte);
        }
      });
    }
    rows.push([coding, round(bytes / 1024), round(median(cold)), round(median(warm))]);
  }
  return {
    title: "The reference, GET /docs, over npm start",
    columns: ["content coding", "total KB", "first byte cold ms", "first byte warm ms"],
    rows,
    notes: ["The page loads nothing else. Cold is the function's first request, including process start."],
  };
}

/** Loads the page once, on a new connection. */
async function load(url: string, coding: string): Promise<{ firstByte: number; bytes: number }> {
  const startedAt = performance.now();
  const [response] = (await once(get(url, { agent: false, headers: { "accept-encoding": coding } }), "response")) as [
    IncomingMessage,
  ];
  let firstByte = 0;
  let bytes = 0;
  for await (const chunk of response) {
    firstByte ||= performance.now() - startedAt;
    bytes += chunk.length;
  }
  return { firstByte, bytes };
}

async function withService(assembly: string, run: (url: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-docs-"));
  const settings = readSettings({ PORT: "0", DATA_DIR: dataDir });
  const service = await startService(settings, assembly, { onRequest: () => {}, onLog: () => {} });
  try {
    await run(`${service.baseUrl}/docs`);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
