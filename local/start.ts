import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { styleText } from "node:util";
import type { RequestLine } from "../packages/lambda-local/gateway.ts";
import { SetupError } from "../packages/lambda-local/setup-error.ts";
import { readArguments } from "../shared/command-line.ts";
import { cachedAssembly, keepAssembly } from "./cached-assembly.ts";
import { claim } from "./claim.ts";
import { type LogFile, openLogFile } from "./log-file.ts";
import { chooseModel, findModelServers, type RunningServer } from "./model-servers.ts";
import { problemIn } from "./problem-line.ts";
import { type LocalService, modelOf, startService } from "./service.ts";
import { type LocalSettings, readSettings } from "./settings.ts";
import { contextOf } from "./template-context.ts";

const USAGE = `Runs the service on this machine until Ctrl-C.

  npm start
  npm start -- --model ollama            uses the first model of a server on this machine, or ollama/llama3.2, …;
                                         servers: ollama, lm-studio, llama.cpp, vllm

Settings are environment variables, all with defaults: PORT, HOST, API_KEY, DATA_DIR, OPENAI_API_KEY, OPENAI_BASE_URL,
OPENAI_MODEL, DYNAMODB_ENDPOINT, CHAT_CONCURRENCY, THREAD_IDLE_SECONDS, SWEEP_INTERVAL_SECONDS and more (docs/operations.md, "Local settings").
`;

/** The interval at which a running service marks its assembly as used. */
const KEEP_MILLISECONDS = 60 * 60 * 1000;

/** Long enough to see that the offline model's answers are streamed. */
const ANSWER_PAUSE_MILLISECONDS = 40;

/** `npm start`: synthesizes the template and serves it until Ctrl-C. */
async function main(): Promise<void> {
  const { values } = readArguments(USAGE, { options: { model: { type: "string" } } });
  const settings = readSettings(process.env);
  if (values.model !== undefined) {
    settings.model = { ...(await chooseModel(values.model)), key: "no-key-needed" };
  }
  const finding = settings.model ? [] : findModelServers(); // has ended before the service is ready
  process.umask(0o077); // the database and the log contain patients' data: no other user of this machine may read them
  const logFile = join(settings.dataDir, "functions.log");
  const logs = openFolder(settings.dataDir, logFile);
  const startedAt = performance.now();
  const assembly = await cachedAssembly(contextOf(settings), (step) =>
    print(`${String(Math.round((performance.now() - startedAt) / 1000)).padStart(3)} s  ${step}`),
  );
  setInterval(() => keepAssembly(assembly), KEEP_MILLISECONDS).unref();
  const service = await startService(settings, assembly, {
    firstPath: "/chat",
    answerPause: ANSWER_PAUSE_MILLISECONDS,
    onRequest: (line) => print(requestLine(line)),
    onLog: (line) => {
      logs.write(line);
      const problem = problemIn(line);
      if (problem) {
        print(`          ${styleText(problem.startsWith("error") ? "red" : "yellow", problem)}`);
      }
    },
  });
  print(banner(settings, service, logFile, await finding));
  let stopping = false;
  const stop = (exitCode: number) => {
    if (!stopping) {
      stopping = true;
      print("Stopping …");
      service.stop().then(() => process.exit(exitCode));
    }
  };
  process.once("SIGINT", () => stop(0));
  process.once("SIGTERM", () => stop(0));
  service.databaseDied.then(() => {
    printError("The database has ended; everything that was confirmed is stored. Start the service again.");
    stop(1);
  });
  if (process.env.npm_lifecycle_event === "start") {
    stopWithNpm(() => stop(0));
  }
}

/**
 * npm does not notify its child when it is killed. Without this, the service would keep running and using the port. npm
 * runs a script in a shell, which may stay between the two.
 */
function stopWithNpm(stop: () => void): void {
  const parent = process.ppid;
  const watch = (pids: number[]) => setInterval(() => pids.every(isRunning) || stop(), 500).unref();
  execFile("ps", ["-o", "ppid=,args=", "-p", String(parent)], (_error, stdout) => {
    const [, npm] = /^\s*(\d+) \S*sh -c /.exec(stdout) ?? [];
    watch(npm ? [parent, Number(npm)] : [parent]); // also where there is no ps
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Creates the data folder, claims it, and opens the log, which shows whether the folder can be used. */
function openFolder(dataDir: string, logFile: string): LogFile {
  try {
    createFolder(resolve(dataDir));
    if (claim(dataDir)) {
      return openLogFile(logFile, (code) =>
        printError(
          code === "ENOSPC"
            ? `The disk of ${dataDir} is full: requests that store something fail until there is space.`
            : `${logFile} cannot be written (${code}); log lines are lost until it can.`,
        ),
      );
    }
  } catch (error) {
    throw new SetupError(
      (error as NodeJS.ErrnoException).code === "ENOSPC"
        ? `The disk of ${dataDir} is full; free some space, or set DATA_DIR to a folder on another disk.`
        : `The data folder ${dataDir} cannot be written; set DATA_DIR to one that can.`,
    );
  }
  throw new SetupError(
    `Another local service is using the data folder ${dataDir}; stop it, or set DATA_DIR to another folder.`,
  );
}

/**
 * Creates a folder and those above it. Node's own recursion does not end where the system accepts no new folder, such
 * as in `/proc`.
 *
 * @throws Error of the file system
 */
function createFolder(path: string): void {
  if (!existsSync(path)) {
    createFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

function banner(
  { apiKey, model }: LocalSettings,
  { baseUrl, apiKeys, template, databaseFile, dynamoDbEndpoint }: LocalService,
  logFile: string,
  found: readonly RunningServer[],
): string {
  const offline = found.map(
    ({ name, title, models }) => `${title} is running (${models[0]}): npm start -- --model ${name}`,
  );
  const hint = offline.length > 0 ? offline.join("; ") : "set OPENAI_API_KEY or OPENAI_BASE_URL for a real one";
  return `
Conversational Health Assistant Service

  playground ${new URL("/", baseUrl)}
  reference  ${baseUrl}/docs
  base URL   ${baseUrl}
  API key    ${apiKey}
  keys       npm run keys -- list --endpoint ${apiKeys.endpoint} --secret-id ${apiKeys.secretId}
  model      ${model ? `${modelOf(template)} at ${model.baseUrl ?? "OpenAI"}` : `offline (${hint})`}
  database   ${databaseFile ?? dynamoDbEndpoint}
  logs       ${logFile}

What to do next:

  - talk to the assistant in the playground: ${new URL("/", baseUrl)}
  - try the operations one after the other in the reference: ${baseUrl}/docs
  - start from a program in examples/, or watch a whole story with: npm run demo
  - or paste this into another shell:

  curl ${baseUrl}/chat -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' \\
    -d '{"message": "What helps against a headache?"}'

Ctrl-C stops everything.
`;
}

function requestLine({ method, path, status, milliseconds, reason }: RequestLine): string {
  const time = new Date().toISOString().slice(11, 19);
  const shown = styleText(Number(status) < 400 ? "green" : "red", String(status));
  return `${time}  ${method.padEnd(6)} ${path.slice(0, 60).padEnd(28)} ${shown}  ${milliseconds} ms${reason ? `  (${reason})` : ""}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  printError(error instanceof SetupError ? error.message : ((error as Error).stack ?? String(error)));
  process.exit(1);
}
