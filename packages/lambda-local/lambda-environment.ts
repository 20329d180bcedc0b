import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { refusingBrowsers } from "./own-page.ts";
import type { FunctionTemplate } from "./template.ts";

const RUNTIME_CLIENT = join(dirname(createRequire(import.meta.url).resolve("aws-lambda-ric")), "index.mjs");
const PRELOAD = new URL("./preload.mjs", import.meta.url).href;

/** The function responded with an error, ran out of time, or its process ended. */
export class InvocationError extends Error {
  override readonly name = "InvocationError";
}

interface Invocation {
  id: string;
  event: string;
  timeoutSeconds: number;
  /** Ends the process when the time is up; set when the invocation is delivered. */
  timer?: NodeJS.Timeout;
  resolve: (response: IncomingMessage) => void;
  reject: (error: Error) => void;
}

/**
 * One execution environment of a Lambda: a process of the real runtime client, and the Runtime API that it calls.
 * Handles one invocation at a time, as on AWS.
 */
export class LambdaEnvironment {
  readonly exited: Promise<unknown>;
  /** Resolves when the function is initialized, or has ended before that. */
  readonly ready: Promise<void>;
  private readonly settleReady: () => void;
  private readonly process: ChildProcess;
  private readonly server: Server;
  private waiting: ServerResponse | undefined;
  private current: Invocation | undefined;
  private dead = false;

  /** Starts the process; it handles its first invocation once the function is initialized. */
  static async start(
    fn: FunctionTemplate,
    variables: Record<string, string>,
    onLog: (line: string) => void,
  ): Promise<LambdaEnvironment> {
    const server = createServer({ keepAliveTimeout: 0 });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new LambdaEnvironment(fn, variables, onLog, server);
  }

  private constructor(
    fn: FunctionTemplate,
    variables: Record<string, string>,
    onLog: (line: string) => void,
    server: Server,
  ) {
    this.server = server;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.settleReady = resolve;
    server.on(
      "request",
      refusingBrowsers((request, response) => this.serve(request, response)),
    );
    this.process = spawn(process.execPath, ["--import", PRELOAD, RUNTIME_CLIENT], {
      env: {
        ...variables,
        ...fn.environment,
        AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        AWS_LAMBDA_FUNCTION_NAME: fn.name,
        AWS_SDK_UA_APP_ID: fn.name, // so that whoever records database calls can tell the functions apart
        AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMegabytes),
        AWS_LAMBDA_LOG_GROUP_NAME: fn.name,
        AWS_LAMBDA_LOG_STREAM_NAME: "local",
        AWS_LAMBDA_LOG_FORMAT: fn.logFormat,
        LAMBDA_TASK_ROOT: fn.codePath,
        _HANDLER: fn.handler,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const output of [this.process.stdout, this.process.stderr]) {
      if (output) {
        createInterface({ input: output }).on("line", onLog);
      }
    }
    // `once` rejects if the process cannot be started.
    this.exited = once(this.process, "exit").then(
      () => this.end("the function's process ended"),
      () => this.end("the function's process could not be started"),
    );
  }

  /** Whether the environment can accept another invocation. */
  get alive(): boolean {
    return !this.dead;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /**
   * Invokes the function.
   *
   * @param event the payload of the invocation, as JSON
   * @param timeoutSeconds after which the environment is stopped. They begin when the function is initialized, as on
   *   AWS: on a busy machine, a process can take that long to start
   * @returns the response as it arrives: a body that must be read to its end, streamed if the function streams
   * @throws InvocationError if the function fails, runs out of time, or its process ends
   */
  async invoke(event: string, timeoutSeconds: number): Promise<IncomingMessage> {
    if (this.dead) {
      throw new InvocationError("the function's process has ended, or the local service is stopping");
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const invocation: Invocation = { id: randomUUID(), event, timeoutSeconds, resolve, reject };
    this.current = invocation;
    this.deliver();
    try {
      const response = await promise;
      return response.once("close", () => clearTimeout(invocation.timer));
    } catch (error) {
      clearTimeout(invocation.timer);
      throw error;
    }
  }

  /** Ends the process; the current invocation fails. */
  stop(reason = "the local service is stopping"): void {
    this.process.kill("SIGKILL");
    this.end(reason);
  }

  private end(reason: string): void {
    if (!this.dead) {
      this.dead = true;
      this.settleReady();
      this.current?.reject(new InvocationError(reason));
      this.server.close();
      this.server.closeAllConnections();
    }
  }

  /** The Runtime API: `next` waits for an invocation, `response` and `error` end it. */
  private serve(request: IncomingMessage, response: ServerResponse): void {
    const action = request.url?.split("/").at(-1);
    if (action === "next") {
      this.waiting = response;
      this.settleReady();
      this.deliver();
      return;
    }
    const invocation = this.current;
    this.current = undefined;
    if (request.url?.includes("/init/")) {
      this.current = invocation; // the process ends, and the invocation fails with it
      request.resume();
    } else if (action === "response") {
      invocation?.resolve(request);
    } else {
      request.resume();
      invocation?.reject(new InvocationError("the function failed"));
    }
    request.once("end", () => response.writeHead(202).end());
  }

  /** Delivers each invocation once: after a broken stream, the runtime client asks for the next before it responds. */
  private deliver(): void {
    const { waiting, current } = this;
    if (waiting && current && !current.timer) {
      this.waiting = undefined;
      const milliseconds = current.timeoutSeconds * 1000;
      current.timer = setTimeout(() => this.stop("the function ran out of time"), milliseconds);
      waiting.writeHead(200, {
        "content-type": "application/json",
        "lambda-runtime-aws-request-id": current.id,
        "lambda-runtime-deadline-ms": String(Date.now() + milliseconds),
        "lambda-runtime-invoked-function-arn": "arn:aws:lambda:local:000000000000:function:local",
      });
      waiting.end(current.event);
    }
  }
}
