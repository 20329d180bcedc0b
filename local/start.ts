import { createWriteStream, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { RequestLine } from "./gateway.ts";
import { type LocalService, startService } from "./service.ts";
import { type LocalSettings, readSettings, SetupError } from "./settings.ts";
import { synthesize } from "./synthesize.ts";

/** `npm start`: synthesizes the template and serves it until Ctrl-C. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const logFile = join(settings.dataDir, "functions.log");
  const logs = createWriteStream(logFile, { fd: openLog(settings.dataDir, logFile) });
  print("Synthesizing the template …");
  const assembly = await synthesize("cdk.out");
  const service = await startService(settings, assembly, {
    onRequest: (line) => print(requestLine(line)),
    onLog: (line) => {
      logs.write(`${line}\n`);
      printProblem(line);
    },
  });
  print(banner(settings, service, logFile));
  let stopping = false;
  const stop = () => {
    if (!stopping) {
      stopping = true;
      print("Stopping …");
      service.stop().then(() => process.exit(0));
    }
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  if (process.env.npm_lifecycle_event === "start") {
    stopWithParent(stop);
  }
}

/** A killed npm tells its child nothing; without this, the service would go on and hold the port. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 500).unref();
}

/** Makes the data folder and opens the log, which shows right away whether the folder can be used. */
function openLog(dataDir: string, logFile: string): number {
  try {
    mkdirSync(dataDir, { recursive: true });
    return openSync(logFile, "w");
  } catch {
    throw new SetupError(`The data folder ${dataDir} cannot be written; set DATA_DIR to one that can.`);
  }
}

function banner(
  { apiKey, model, dynamoDbEndpoint, dataDir }: LocalSettings,
  { baseUrl, apiKeys, template }: LocalService,
  logFile: string,
): string {
  const modelName = [...template.functions.values()].find(({ environment }) => environment.OPENAI_MODEL)?.environment
    .OPENAI_MODEL;
  return `
Conversational Health Assistant Service

  playground ${new URL("/", baseUrl)}
  reference  ${baseUrl}/docs
  base URL   ${baseUrl}
  API key    ${apiKey}
  keys       npm run keys -- list --endpoint ${apiKeys.endpoint} --secret-id ${apiKeys.secretId}
  model      ${model ? `${modelName} at ${model.baseUrl ?? "OpenAI"}` : "offline (set OPENAI_API_KEY or OPENAI_BASE_URL for a real one)"}
  database   ${dynamoDbEndpoint ?? `${dataDir}/dynamodb.db`}
  logs       ${logFile}

Try:

  curl ${baseUrl}/chat -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' \\
    -d '{"message": "What helps against a headache?"}'

Ctrl-C stops everything.
`;
}

function requestLine({ method, path, status, milliseconds }: RequestLine): string {
  const time = new Date().toISOString().slice(11, 19);
  return `${time}  ${method.padEnd(6)} ${path.slice(0, 60).padEnd(28)} ${status}  ${milliseconds} ms`;
}

/** Shows what a function logged as a warning or an error, in short; the whole line is in the file. */
function printProblem(line: string): void {
  try {
    const { level, message } = JSON.parse(line);
    if (level === "ERROR" || level === "WARN") {
      const { event, reason, errorName, code, status } = message;
      print(
        `          ${level.toLowerCase()}: ${event ?? "failure"} ${reason ?? [errorName, code, status].filter(Boolean).join(" ")}`,
      );
    }
  } catch {
    print(`          ${line}`);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  const told = error instanceof SetupError ? error.message : ((error as Error).stack ?? String(error));
  process.stderr.write(`${told}\n`);
  process.exit(1);
}
