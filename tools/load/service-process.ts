import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = join(import.meta.dirname, "..", "..", "local", "start.ts");

/** The service as `npm start` runs it, in a separate process, with a data directory that is deleted afterwards. */
export interface ServiceProcess {
  baseUrl: string;
  apiKey: string;
  /** Whether the process is still running. */
  running(): boolean;
  stop(): Promise<void>;
}

/**
 * Starts the service on a free port of the loopback interface, with the offline model.
 *
 * @throws Error if it does not start; it has then printed why
 */
export async function startServiceProcess(): Promise<ServiceProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const apiKey = "key-of-the-load";
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, HOST: "127.0.0.1", PORT: "0", DATA_DIR: dataDir, API_KEY: apiKey, CHAT_CONCURRENCY: "40" };
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const running = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await exited;
    clearTimeout(timer);
    rmSync(dataDir, { recursive: true, force: true });
  };
  const announced = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, url] = /^\s+base URL\s+(http\S+)$/.exec(line) ?? [];
      if (url) {
        resolve(url);
      }
    });
  });
  const baseUrl = await Promise.race([announced, exited.then(() => undefined)]);
  if (!baseUrl) {
    await stop();
    throw new Error("The service did not start.");
  }
  return { baseUrl, apiKey, running, stop };
}
