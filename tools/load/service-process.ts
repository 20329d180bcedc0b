import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const PROGRAM = join(import.meta.dirname, "..", "..", "local", "start.ts");

/** The service as `npm start` runs it, in a separate process, with a data directory that is deleted afterwards. */
export interface ServiceProcess {
  baseUrl: string;
  apiKey: string;
  pid: number;
  dataDir: string;
  /** Whether the process is still running. */
  running(): boolean;
  stop(): Promise<void>;
}

/**
 * Starts the service on a free port of the loopback interface.
 *
 * @param settings environment variables, as `npm start` takes them
 * @throws Error with the service's output if it does not start
 */
export async function startServiceProcess(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const apiKey = "key-of-the-load";
  const {
    OPENAI_API_KEY: _,
    OPENAI_BASE_URL: __,
    FALLBACK_MODEL: ___,
    DYNAMODB_ENDPOINT: ____,
    ...inherited
  } = process.env;
  const env = { ...inherited, HOST: "127.0.0.1", PORT: "0", DATA_DIR: dataDir, API_KEY: apiKey, ...settings };
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const stop = async () => {
    await end(child, exited);
    rmSync(dataDir, { recursive: true, force: true });
  };
  const said: string[] = [];
  child.stderr.on("data", (chunk) => said.push(String(chunk)));
  const baseUrl = await Promise.race([announcedUrl(child), exited.then(() => undefined)]);
  if (!baseUrl) {
    await stop();
    throw new Error(`The service did not start: ${said.join("").trim()}`);
  }
  return { baseUrl, apiKey, pid: child.pid ?? 0, dataDir, running: () => child.exitCode === null, stop };
}

/** Waits for the line with the base URL. Later lines are read and discarded. */
function announcedUrl({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (stdout) {
      createInterface({ input: stdout }).on("line", (line) => {
        const [, url] = /^\s+base URL\s+(http\S+)$/.exec(line) ?? [];
        if (url) {
          resolve(url);
        }
      });
    }
  });
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    await Promise.race([exited, setTimeout(10_000)]);
    child.kill("SIGKILL");
    await exited;
  }
}
