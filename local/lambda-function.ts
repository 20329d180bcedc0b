import type { IncomingMessage } from "node:http";
import { LambdaEnvironment } from "./lambda-environment.ts";
import type { FunctionTemplate } from "./template.ts";

/** The function's reserved concurrency is used up; Lambda answers 429 (TooManyRequestsException). */
export class TooManyInvocations extends Error {
  override readonly name = "TooManyInvocations";
}

/** Environments of one function; further invocations wait. Without a cap, a burst starts more processes than a laptop bears. */
const MAX_ENVIRONMENTS = 4;

/** A function of the template: environments are started when they are needed and used again. */
export class LocalFunction {
  private readonly template: FunctionTemplate;
  private readonly variables: Record<string, string>;
  private readonly onLog: (line: string) => void;
  private readonly environments = new Set<LambdaEnvironment>();
  private readonly idle: LambdaEnvironment[] = [];
  private readonly queue: ((environment: LambdaEnvironment) => void)[] = [];
  private starting = 0;
  private running = 0;
  private stopped = false;

  /** @param variables what AWS would put into the environment besides the function's own variables */
  constructor(template: FunctionTemplate, variables: Record<string, string>, onLog: (line: string) => void) {
    this.template = template;
    this.variables = variables;
    this.onLog = onLog;
  }

  /**
   * Invokes the function in an idle environment, or a new one, or the next that becomes idle. More invocations than the
   * function's reserved concurrency are refused, as on AWS.
   *
   * @param event the payload
   * @returns the response; the environment is free again when its body has been read to the end
   * @throws InvocationError when the function fails, runs out of time, or its process ends; TooManyInvocations
   */
  async invoke(event: unknown): Promise<IncomingMessage> {
    if (this.running >= (this.template.reservedConcurrency ?? Number.POSITIVE_INFINITY)) {
      throw new TooManyInvocations("the function's reserved concurrency is used up");
    }
    this.running++;
    const environment = await this.acquire();
    const end = () => {
      this.running--;
      this.release(environment);
    };
    try {
      const response = await environment.invoke(JSON.stringify(event), this.template.timeoutSeconds);
      response.once("close", end);
      return response;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Ends all environments. */
  stop(): void {
    this.stopped = true;
    for (const environment of this.environments) {
      environment.stop();
    }
  }

  private async acquire(): Promise<LambdaEnvironment> {
    const idle = this.idle.pop();
    if (idle?.alive) {
      return idle;
    }
    if (this.environments.size + this.starting >= MAX_ENVIRONMENTS) {
      return new Promise((resolve) => this.queue.push(resolve));
    }
    return this.startEnvironment();
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
      next(environment);
    } else {
      this.startEnvironment().then(next);
    }
  }
}
