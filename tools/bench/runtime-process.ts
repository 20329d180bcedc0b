import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";

const RUNTIME_CLIENT = join(dirname(createRequire(import.meta.url).resolve("aws-lambda-ric")), "index.mjs");
const PRELOAD = join(import.meta.dirname, "..", "..", "local", "preload.mjs");

/** Separates a streamed response's metadata from its body (AWS, "Lambda proxy integration response streaming"). */
const DELIMITER = "\0".repeat(8);

/** An invocation's response, and the time from delivering the event to the last byte of the response. */
export interface Invocation {
  response: string;
  milliseconds: number;
}

/**
 * A process of the real Lambda runtime client, as in `local/lambda-environment.ts`, with a Runtime API that measures
 * time. Initialization ends when the process requests its first event.
 */
export class RuntimeProcess {
  /** From starting the process to its request for the first event. */
  readonly initMilliseconds: number;
  private readonly process: ChildProcess;
  private readonly server: Server;
  private waiting: ServerResponse | undefined;
  private asked = Promise.withResolvers<void>();
  private answered = Promise.withResolvers<Invocation>();
  private invokedAt = 0;

  /**
   * Starts a process, and waits until the function is initialized.
   *
   * @param nodeOptions options of Node
   * @throws Error when initialization fails
   */
  static async start(
    codePath: string,
    variables: Record<string, string>,
    nodeOptions: string[] = [],
  ): Promise<RuntimeProcess> {
    const server = createServer({ keepAliveTimeout: 0 });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...nodeOptions, "--import", PRELOAD, RUNTIME_CLIENT], {
      env: {
        ...variables,
        AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        AWS_LAMBDA_FUNCTION_NAME: "benched",
        AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
        AWS_LAMBDA_LOG_GROUP_NAME: "benched",
        AWS_LAMBDA_LOG_STREAM_NAME: "benched",
        AWS_LAMBDA_LOG_FORMAT: "JSON",
        LAMBDA_TASK_ROOT: codePath,
        _HANDLER: "index.handler",
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    const initMilliseconds = performance.now() - startedAt;
    if (!request.url?.endsWith("/next")) {
      throw new Error(`A function failed during initialization: ${await buffer(request)}`);
    }
    return new RuntimeProcess(child, server, response, initMilliseconds);
  }

  private constructor(child: ChildProcess, server: Server, waiting: ServerResponse, initMilliseconds: number) {
    this.process = child;
    this.server = server;
    this.initMilliseconds = initMilliseconds;
    this.waiting = waiting;
    this.asked.resolve();
    server.on("request", (request, response) => this.serve(request, response));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /**
   * Invokes the function as soon as it requests an event.
   *
   * @throws Error when the function fails or returns a status other than 200 or 201
   */
  async invoke(event: unknown): Promise<Invocation> {
    const payload = JSON.stringify(event);
    await this.asked.promise;
    this.asked = Promise.withResolvers();
    this.answered = Promise.withResolvers();
    this.invokedAt = performance.now();
    this.waiting?.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": crypto.randomUUID(),
      "lambda-runtime-deadline-ms": String(Date.now() + 60_000),
      "lambda-runtime-invoked-function-arn": "arn:aws:lambda:local:000000000000:function:benched",
    });
    this.waiting?.end(payload);
    return this.answered.promise;
  }

  async stop(): Promise<void> {
    const exited = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exited;
    this.server.close();
    this.server.closeAllConnections();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith("/next")) {
      this.waiting = response;
      this.asked.resolve();
      return;
    }
    const body = (await buffer(request)).toString();
    const milliseconds = performance.now() - this.invokedAt;
    response.writeHead(202).end();
    const { statusCode = 200 } = JSON.parse(body.split(DELIMITER)[0] ?? "") as { statusCode?: number };
    if (request.url?.endsWith("/error") || statusCode > 201) {
      this.answered.reject(new Error(`An invocation failed: ${body}`));
    } else {
      this.answered.resolve({ response: body, milliseconds });
    }
  }
}
