import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { setTimeout } from "node:timers/promises";
import { CREDENTIALS, type Database, REGION } from "./database.ts";
import { createGateway, type RequestLine } from "./gateway.ts";
import { startInvokeServer } from "./invoke-server.ts";
import { LocalFunction } from "./lambda-function.ts";
import { refusingOtherSites } from "./own-page.ts";
import { intervalSecondsOf, runAligned } from "./schedule.ts";
import { startSecretsServer } from "./secrets-server.ts";
import { SetupError } from "./setup-error.ts";
import type { ServiceTemplate } from "./template.ts";

/** Variables of this process that are for the functions' processes too: to run, to start sooner, to reach other servers. */
const PASSED_ON = ["PATH", "NODE_COMPILE_CACHE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/**
 * How long the gateway keeps idle connections, longer than clients do: most close them after 4 to 60 s. A connection
 * that the server closes at the moment when a client reuses it is an ECONNRESET for that client.
 */
const KEEP_ALIVE_MILLISECONDS = 90_000;
/** How long requests in progress may take to finish when the platform is stopped; Docker kills after 10 s. */
const GRACE_MILLISECONDS = 8_000;
/** How long new items of a stream are collected for its reader's next run. */
const STREAM_MILLISECONDS = 250;

/** A running app. */
export interface Platform {
  /** Such as http://127.0.0.1:3000/v1. */
  baseUrl: string;
  /** The endpoint for invoking functions without the gateway. */
  lambdaEndpoint: string;
  /** The endpoint of Secrets Manager. */
  secretsEndpoint: string;
  /** Stops everything but the database, after the requests in progress have been answered. */
  stop(): Promise<void>;
}

export interface PlatformOptions {
  /** Where the gateway listens; 127.0.0.1 by default. */
  host?: string;
  /** 0, the default, is any port that is free. */
  port?: number;
  /** The origin of other sites' pages that may call the app, or `*`; none by default. */
  corsOrigin?: string | undefined;
  /** The secrets' values, by the names that the functions' variables have for them; none by default. */
  secrets?: Record<string, string>;
  /** Variables that each function gets besides its own. */
  variables?: Record<string, string>;
  /** The path whose function is started immediately, such as `/chat`; none by default. */
  firstPath?: string | undefined;
  /** How often a function's schedule runs, in seconds; undefined for what the template says. */
  intervalSeconds?(functionId: string): number | undefined;
  /** What answers before the gateway does, such as pages of this machine's own. */
  before?(gateway: RequestListener): RequestListener;
  onRequest?(line: RequestLine): void;
  /** Receives each line that a function logs. */
  onLog?(line: string): void;
}

/**
 * Runs the functions of a template, and what calls them: the gateway, schedules, streams, and other functions.
 *
 * @param database has the template's tables; whoever opened it stops it, after the platform
 * @throws SetupError if something on this machine prevents it; everything that was started is stopped again
 */
export async function startPlatform(
  template: ServiceTemplate,
  database: Database,
  options: PlatformOptions = {},
): Promise<Platform> {
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
    const secrets = keep(await startSecretsServer(options.secrets ?? {}));
    const functions = new Map<string, LocalFunction>();
    const lambda = keep(await startInvokeServer(functions));
    const variables = { ...functionVariables(database, secrets.endpoint, lambda.endpoint), ...options.variables };
    for (const [id, fn] of createFunctions(template, functions, variables, options.onLog)) {
      functions.set(id, keep(fn));
    }
    const first = template.routes.find(({ path }) => path === options.firstPath);
    const prestarted = functions.get(first?.functionId ?? "")?.prestart();
    const catchUp = database.isNew ? undefined : Promise.resolve(prestarted).catch(() => {});
    keep({ stop: startSchedules(template, functions, options, catchUp) });
    const gateway = createServer(
      { keepAliveTimeout: KEEP_ALIVE_MILLISECONDS },
      requestListener(template, functions, database, options),
    );
    const address = await listen(gateway, options);
    keep({ stop: () => closeGracefully(gateway) });
    return {
      baseUrl: `${address}/${template.stageName}`,
      lambdaEndpoint: lambda.endpoint,
      secretsEndpoint: secrets.endpoint,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The functions, which are also what the streams' wakers run: they look for them in `functions`. */
function createFunctions(
  template: ServiceTemplate,
  functions: Map<string, LocalFunction>,
  variables: Record<string, string>,
  onLog: (line: string) => void = () => {},
): [id: string, fn: LocalFunction][] {
  const wakers = startStreams(template, functions);
  const readers = template.streamReaders.map(({ functionId }) => functionId);
  return [...template.functions].map(([id, fn]) => {
    // The runs of a stream's reader wait for others' servers, each in a process of its own.
    const most = readers.includes(id) ? fn.reservedConcurrency : undefined;
    return [id, new LocalFunction(fn, variables, onLog, wakers.get(id), most)];
  });
}

/** What the gateway's server does with a request, from the outside to the inside. */
function requestListener(
  template: ServiceTemplate,
  functions: Map<string, LocalFunction>,
  database: Database,
  { host = "127.0.0.1", corsOrigin, before = (gateway) => gateway, onRequest }: PlatformOptions,
): RequestListener {
  const routes = createGateway(template, functions, (line) => {
    onRequest?.(line);
    if (line.method === "DELETE" && line.status === 200) {
      database.overwriteDeleted();
    }
  });
  return refusingOtherSites(before(routes), { host, corsOrigin });
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
    let initialized: Promise<void> | undefined;
    const wake = async () => {
      if (state !== "idle") {
        state = "again";
        return;
      }
      state = "paused";
      initialized ??= functions
        .get(functionId)
        ?.prestart()
        .catch(() => {});
      await initialized; // of the runs that are due meanwhile, each would start a process of its own
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
 * @param catchUp when to run each once for everything that became due while the app was not running; undefined if
 *   nothing can have
 */
function startSchedules(
  template: ServiceTemplate,
  functions: Map<string, LocalFunction>,
  { intervalSeconds }: PlatformOptions,
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
    return runAligned(intervalSeconds?.(functionId) ?? intervalSecondsOf(expression), run);
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

async function listen(gateway: Server, { host = "127.0.0.1", port = 0 }: PlatformOptions): Promise<string> {
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
