import type { IncomingMessage } from "node:http";
import { LambdaEnvironment } from "./lambda-environment.ts";
import type { FunctionTemplate } from "./template.ts";

/** The function's reserved concurrency is used up; Lambda responds with a 429 (TooManyRequestsException). */
export class TooManyInvocations extends Error {
  override readonly name = "TooManyInvocations";
}

/** Further invocations wait: without a limit, a burst starts more processes than a laptop can run. */
const MAX_ENVIRONMENTS = 4;

/** An invocation that waits for an environment. */
interface Waiting {
  resolve: (environment: LambdaEnvironment) => void;
  reject: (error: Error) => void;
}

/** A function of the template: environments are started when needed and reused. */
export class LocalFunction {
  private readonly template: FunctionTemplate;
  private readonly variables: Record<string, string>;
  private readonly onLog: (line: string) => void;
  private readonly onEnd: () => void;
  private readonly maxEnvironments: number;
  private readonly environments = new Set<LambdaEnvironment>();
  private readonly idle: LambdaEnvironment[] = [];
  private readonly queue: Waiting[] = [];
  private starting = 0;
  private running = 0;
  private stopped = false;

  /**
   * @param variables the variables that AWS would add to the function's own
   * @param onEnd called after each invocation
   * @param maxEnvironments how many environments it may have
   */
  constructor(
    template: FunctionTemplate,
    variables: Record<string, string>,
    onLog: (line: string) => void,
    onEnd: () => void = () => {},
    maxEnvironments: number = MAX_ENVIRONMENTS,
  ) {
    this.template = template;
    this.variables = variables;
    this.onLog = onLog;
    this.onEnd = onEnd;
    this.maxEnvironments = maxEnvironments;
  }

  /**
   * Invokes the function in an idle environment, a new one, or the next that becomes idle. More invocations than the
   * function's reserved concurrency are rejected, as on AWS.
   *
   * @param event the payload
   * @param signal ends the wait for an environment and for the response; the function itself is not interrupted
   * @returns the response; the environment is idle again once the body has been read to its end
   * @throws InvocationError if the function fails, runs out of time, or its process ends; TooManyInvocations; the
   *   signal's reason
   */
  async invoke(event: unknown, signal?: AbortSignal): Promise<IncomingMessage> {
    const limit = this.template.reservedConcurrency ?? Number.POSITIVE_INFINITY;
    if (this.running >= limit) {
      throw new TooManyInvocations(`${limit} at once are allowed`);
    }
    this.running++;
    const environment = await this.acquire(signal).catch((error) => {
      this.running--;
      throw error;
    });
    const end = () => {
      this.running--;
      this.release(environment);
      this.onEnd();
    };
    const invocation = environment.invoke(JSON.stringify(event), this.template.timeoutSeconds);
    const released = invocation.then((response) => response.once("close", end), end);
    return untilAborted(
      released.then(() => invocation),
      signal,
      () => invocation.then((response) => response.resume()).catch(() => {}),
    );
  }

  /** Starts an environment before the first invocation, and resolves when it is initialized. */
  async prestart(): Promise<void> {
    const environment = await this.startEnvironment();
    this.release(environment);
    await environment.ready;
  }

  /** Ends all environments. */
  stop(): void {
    this.stopped = true;
    for (const environment of this.environments) {
      environment.stop();
    }
  }

  private async acquire(signal: AbortSignal | undefined): Promise<LambdaEnvironment> {
    for (let idle = this.idle.pop(); idle; idle = this.idle.pop()) {
      if (idle.alive) {
        return idle;
      }
    }
    if (this.environments.size + this.starting < this.maxEnvironments) {
      return this.startEnvironment();
    }
    const { promise, resolve, reject } = Promise.withResolvers<LambdaEnvironment>();
    const waiting = { resolve, reject };
    this.queue.push(waiting);
    return untilAborted(promise, signal, () => {
      const place = this.queue.indexOf(waiting);
      if (place >= 0) {
        this.queue.splice(place, 1); // it never runs
      } else {
        promise.then((environment) => this.release(environment)).catch(() => {});
      }
    });
  }

  private async startEnvironment(): Promise<LambdaEnvironment> {
    this.starting++;
    try {
      const environment = await LambdaEnvironment.start(this.template, this.variables, this.onLog);
      this.environments.add(environment);
      environment.exited.then(() => this.environments.delete(environment));
      if (this.stopped) {
        environment.stop();
      }
      return environment;
    } finally {
      this.starting--;
    }
  }

  private release(environment: LambdaEnvironment): void {
    if (!environment.alive) {
      this.environments.delete(environment);
    }
    const next = this.queue.shift();
    if (!next) {
      this.idle.push(environment);
    } else if (environment.alive) {
      next.resolve(environment);
    } else {
      this.startEnvironment().then(next.resolve, next.reject);
    }
  }
}

/** Also rejects when a signal is aborted; `onAbort` then handles the value that the promise resolves to. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, onAbort: () => void): Promise<T> {
  if (!signal) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const abort = () => {
      onAbort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
