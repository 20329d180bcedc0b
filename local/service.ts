import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { EnvironmentVariable } from "../shared/environment.ts";
import { modelVariables } from "../shared/model/model-features.ts";
import { CREDENTIALS, type Database, openDatabase, REGION } from "./database.ts";
import { createGateway, type RequestLine } from "./gateway.ts";
import { startInvokeServer } from "./invoke-server.ts";
import { LocalFunction } from "./lambda-function.ts";
import type { OfflineModel } from "./offline-model.ts";
import { refusingOtherSites } from "./own-page.ts";
import { withRootPage } from "./root-page.ts";
import { intervalSecondsOf, runAligned } from "./schedule.ts";
import { startSecretsServer } from "./secrets-server.ts";
import { type LocalSettings, SetupError } from "./settings.ts";
import { readTemplate, type ServiceTemplate } from "./template.ts";
import { withWebhookInbox } from "./webhook-inbox.ts";

/** Variables of this process that the functions' processes need too, to run and to reach a real model. */
const PASSED_ON = ["PATH", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/**
 * How long the gateway keeps idle connections, longer than clients do: most close them after 4 to 60 s. A connection
 * that the server closes at the moment when a client reuses it is an ECONNRESET for that client.
 */
const KEEP_ALIVE_MILLISECONDS = 90_000;
/** How long requests in progress may take to finish when the service is stopped; Docker kills after 10 s. */
const GRACE_MILLISECONDS = 8_000;
/** How long new items of a stream are collected for its reader's next run. */
const STREAM_MILLISECONDS = 250;

export interface LocalService {
  /** Such as http://127.0.0.1:3000/v1. */
  baseUrl: string;
  /** The endpoint of the database in use. */
  dynamoDbEndpoint: string;
  /** Its SQLite file; undefined if it is that of DYNAMODB_ENDPOINT. */
  databaseFile: string | undefined;
  /** The endpoint for invoking functions without the gateway. */
  lambdaEndpoint: string;
  /** The endpoint of the API keys, for `npm run keys`. */
  apiKeys: { endpoint: string; secretId: string };
  template: ServiceTemplate;
  /** Resolves when the database that the service has started exits while the service is running. */
  databaseDied: Promise<void>;
  /** Stops everything that was started, after the requests in progress have been answered. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** The path whose function is started immediately, such as `/chat`; none by default. */
  firstPath?: string;
  /** The offline model's wait before each piece of a streamed answer, in milliseconds; 0 by default. */
  answerPause?: number;
  onRequest(line: RequestLine): void;
  /** Receives each line that a function logs. */
  onLog(line: string): void;
}

/**
 * Serves a synthesized template on this machine.
 *
 * @param assembly the folder that `cdk synth` wrote
 * @throws SetupError if something on this machine prevents it; everything that was started is stopped again
 */
export async function startService(
  settings: LocalSettings,
  assembly: string,
  { onRequest, onLog, firstPath, answerPause }: ServiceOptions,
): Promise<LocalService> {
  const started: { stop(): unknown }[] = [];
  const stop = async () => {
    for (const part of started.splice(0).reverse()) {
      await part.stop();
    }
  };
  const keep = <T extends { stop(): unknown }>(part: T): T => {
    started.push(part);
    return part;
  };
  try {
    const template = readTemplate(assembly, settings.corsOrigin);
    const [database, offlineModel] = await bothStarted(
      openDatabase(template.tables, settings.dataDir, settings).then(keep),
      settings.model ? undefined : loadOfflineModel(answerPause).then(keep),
    );
    override(template, settings, offlineModel);
    const secrets = keep(await startSecretsServer(secretValues(template, settings)));
    const functions = new Map<string, LocalFunction>();
    const lambda = keep(await startInvokeServer(functions));
    const variables = functionVariables(database, secrets.endpoint, lambda.endpoint);
    const wakers = startStreams(template, functions);
    const readers = template.streamReaders.map(({ functionId }) => functionId);
    for (const [id, fn] of template.functions) {
      // The runs of a stream's reader wait for others' servers, each in a process of its own.
      const most = readers.includes(id) ? fn.reservedConcurrency : undefined;
      functions.set(id, keep(new LocalFunction(fn, variables, onLog, wakers.get(id), most)));
    }
    const first = template.routes.find(({ path }) => path === firstPath);
    const prestarted = functions.get(first?.functionId ?? "")?.prestart();
    const catchUp = database.isNew ? undefined : Promise.resolve(prestarted).catch(() => {});
    keep({ stop: startSchedules(template, functions, settings, catchUp) });
    const routes = createGateway(template, functions, (line) => {
      onRequest(line);
      if (line.method === "DELETE" && line.status === 200) {
        database.overwriteDeleted();
      }
    });
    const gateway = createServer(
      { keepAliveTimeout: KEEP_ALIVE_MILLISECONDS },
      refusingOtherSites(
        withWebhookInbox(
          withRootPage(
            routes,
            join(assembly, "playground.json"),
            `/${template.stageName}/docs`,
            settings.apiKey,
            offlineModel,
          ),
        ),
        settings,
      ),
    );
    const address = await listen(gateway, settings);
    keep({ stop: () => closeGracefully(gateway) });
    return {
      baseUrl: `${address}/${template.stageName}`,
      dynamoDbEndpoint: database.endpoint,
      databaseFile: database.file,
      lambdaEndpoint: lambda.endpoint,
      apiKeys: { endpoint: secrets.endpoint, secretId: apiKeysSecret(template) },
      template,
      databaseDied: database.died,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for both, so that one can be stopped if the other fails. */
async function bothStarted<A, B>(one: Promise<A>, other: Promise<B> | undefined): Promise<[A, B | undefined]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Loaded only when needed, while the database starts. */
async function loadOfflineModel(pauseMilliseconds: number | undefined): Promise<OfflineModel> {
  const { startOfflineModel } = await import("./offline-model.ts");
  return startOfflineModel(pauseMilliseconds);
}

/** Sets the functions' own variables for this machine's model and, if configured, other times. */
function override(template: ServiceTemplate, settings: LocalSettings, offlineModel: OfflineModel | undefined): void {
  const model = offlineModel ?? settings.model;
  const name = model?.name ?? modelOf(template);
  const { fallbackModel } = settings;
  const values: { [Name in EnvironmentVariable]?: string | undefined } = {
    ...modelVariables("OPENAI", name, model?.baseUrl ?? ""),
    ...(fallbackModel && modelVariables("FALLBACK", fallbackModel.name, fallbackModel.baseUrl ?? "")),
    ...settings.modelFeatures,
    ...settings.variables,
    THREAD_IDLE_SECONDS: settings.idleSeconds?.toString(),
    SWEEP_INTERVAL_SECONDS: settings.sweepIntervalSeconds?.toString(),
    SECRETS_CACHE_SECONDS: settings.secretsCacheSeconds?.toString(),
  };
  for (const { environment } of template.functions.values()) {
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined && name in environment) {
        environment[name] = value;
      }
    }
    if (settings.fallbackModel && "FALLBACK_MODEL" in environment) {
      environment.FALLBACK_KEY_SECRET ??= "local-fallback-key"; // the template has a secret only if it has a fallback model
    }
  }
}

/** Returns the name of the model that a template's functions call. */
export function modelOf(template: ServiceTemplate): string {
  return variableOf(template, "OPENAI_MODEL");
}

/** Returns the secrets by their names in the functions' variables. */
function secretValues(template: ServiceTemplate, settings: LocalSettings): Record<string, string> {
  const values: Record<string, string> = { [apiKeysSecret(template)]: JSON.stringify({ local: settings.apiKey }) };
  for (const { environment } of template.functions.values()) {
    if (environment.MODEL_KEY_SECRET) {
      values[environment.MODEL_KEY_SECRET] = settings.model?.key ?? "no-key-needed";
    }
    if (environment.FALLBACK_KEY_SECRET) {
      values[environment.FALLBACK_KEY_SECRET] = settings.fallbackModel?.key ?? "no-key-needed";
    }
  }
  return values;
}

const apiKeysSecret = (template: ServiceTemplate) => variableOf(template, "API_KEYS_SECRET");

/** Returns the value of a variable that the template gives its functions. */
export function variableOf(template: ServiceTemplate, name: EnvironmentVariable): string {
  return [...template.functions.values()].map(({ environment }) => environment[name]).find(Boolean) ?? "";
}

/** The variables that the platform adds to every function. The endpoints make the unmodified SDK use this machine. */
function functionVariables(
  database: Database,
  secretsEndpoint: string,
  lambdaEndpoint: string,
): Record<string, string> {
  const passedOn = PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsEndpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambdaEndpoint,
    TZ: ":UTC",
    WEBHOOKS_TO_LOOPBACK: "true", // where the receivers of a developer are
    ...Object.fromEntries(passedOn),
  };
}

/**
 * Returns, for each function that uses a table with a stream, what to do after each of its invocations: it runs the
 * function that reads the stream, without records. That function then looks for new items itself. As on AWS, no run
 * waits for another, but they start some time after each other: many requests would otherwise keep the processor busy
 * with runs that find nothing.
 */
function startStreams(template: ServiceTemplate, functions: Map<string, LocalFunction>): Map<string, () => void> {
  const wakers = new Map<string, () => void>();
  for (const { functionId, table } of template.streamReaders) {
    let state: "idle" | "paused" | "again" = "idle";
    const wake = async () => {
      if (state !== "idle") {
        state = "again";
        return;
      }
      do {
        state = "paused";
        void invokeAndForget(functions.get(functionId), {});
        await setTimeout(STREAM_MILLISECONDS, undefined, { ref: false });
      } while ((state as string) === "again");
      state = "idle";
    };
    for (const [id, { environment }] of template.functions) {
      if (id !== functionId && Object.values(environment).includes(table)) {
        wakers.set(id, wake);
      }
    }
  }
  return wakers;
}

/** Invokes a function whose response nobody needs. It logs its failures itself, and its next run catches up. */
async function invokeAndForget(fn: LocalFunction | undefined, event: unknown): Promise<void> {
  await fn
    ?.invoke(event)
    .then((response) => once(response.resume(), "close"))
    .catch(() => {});
}

/**
 * Runs each schedule. If it invokes a function several times, it does so one after the other, in one process.
 *
 * @param catchUp when to run each once for everything that became due while the service was not running; undefined if
 *   nothing can have
 */
function startSchedules(
  template: ServiceTemplate,
  functions: Map<string, LocalFunction>,
  settings: LocalSettings,
  catchUp: Promise<unknown> | undefined,
): () => void {
  let ended = false;
  const ends = template.schedules.map(({ functionId, expression, inputs }) => {
    const run = async () => {
      for (const input of inputs) {
        const event = { source: "aws.events", "detail-type": "Scheduled Event", time: new Date().toISOString() };
        await invokeAndForget(ended ? undefined : functions.get(functionId), input ?? event);
      }
    };
    void catchUp?.then(run);
    const sweeps = template.functions.get(functionId)?.environment.SWEEP_INTERVAL_SECONDS !== undefined;
    const interval = sweeps ? settings.sweepIntervalSeconds : undefined;
    return runAligned(interval ?? intervalSecondsOf(expression), run);
  });
  return () => {
    ended = true;
    for (const end of ends) {
      end();
    }
  };
}

/** Accepts no more connections, lets requests in progress finish, and closes every connection. */
async function closeGracefully(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  // A connection that becomes idle from now on would stay open until the client closes it.
  const closingIdle = setInterval(() => server.closeIdleConnections(), 20);
  await Promise.race([closed, setTimeout(GRACE_MILLISECONDS, undefined, { ref: false })]);
  clearInterval(closingIdle);
  server.closeAllConnections();
}

async function listen(gateway: Server, { host, port }: LocalSettings): Promise<string> {
  gateway.listen(port, host);
  try {
    await once(gateway, "listening");
  } catch (error) {
    throw new SetupError(
      (error as NodeJS.ErrnoException).code === "EADDRINUSE"
        ? `Port ${port} is in use; stop the program that uses it, or set PORT to another port.`
        : `The service cannot listen on ${host}, port ${port} (${(error as NodeJS.ErrnoException).code}); set HOST to an address of this machine, and PORT to a port that you may use.`,
    );
  }
  return `http://${isIPv6(host) ? `[${host}]` : host}:${(gateway.address() as AddressInfo).port}`;
}
