import type { EnvironmentVariable } from "./environment.ts";
import { OperatorError } from "./errors.ts";

/**
 * The functions' settings, from the environment that `infra/` gives them. Read on first use, not at import, so that a
 * missing one is the error of the request that needs it, and tests may set them.
 */
export const config = {
  get threadsTable(): string {
    return text("THREADS_TABLE");
  },
  get patientsTable(): string {
    return text("PATIENTS_TABLE");
  },
  /** Name or ARN of the secret that holds the API keys (`shared/auth/client-keys.ts`). */
  get apiKeysSecret(): string {
    return text("API_KEYS_SECRET");
  },
  /** How long a secret is used before it is read again. */
  get secretsCacheSeconds(): number {
    return positive("SECRETS_CACHE_SECONDS");
  },
  /** The model that is asked first. */
  get model(): ModelSettings {
    return { name: text("OPENAI_MODEL"), baseUrl: optional("OPENAI_BASE_URL"), keySecret: text("MODEL_KEY_SECRET") };
  },
  /** The model that is asked when the first cannot answer; undefined when there is none. */
  get fallbackModel(): ModelSettings | undefined {
    const name = optional("FALLBACK_MODEL");
    return name === undefined
      ? undefined
      : { name, baseUrl: optional("FALLBACK_BASE_URL"), keySecret: text("FALLBACK_KEY_SECRET") };
  },
  get modelLimits(): ModelLimits {
    return {
      connectMilliseconds: positive("MODEL_CONNECT_MILLISECONDS"),
      firstTokenMilliseconds: positive("MODEL_FIRST_TOKEN_MILLISECONDS"),
      totalMilliseconds: positive("MODEL_TOTAL_MILLISECONDS"),
      contextTokens: positive("MODEL_CONTEXT_TOKENS"),
    };
  },
  get helpLines(): HelpLines {
    return {
      emergencyNumber: text("EMERGENCY_NUMBER"),
      crisisLine: text("CRISIS_LINE"),
      poisonControl: text("POISON_CONTROL"),
      abuseLine: text("ABUSE_LINE"),
    };
  },
  /**
   * What metrics name as their service: in a stack, its name, so that stages in one account are told apart. The variable
   * is the one that Powertools for AWS Lambda reads for this ("Environment variables").
   */
  get serviceName(): string {
    return optional("METRICS_SERVICE") ?? "health-assistant";
  },
  /** Whether only the metrics are written that a small stage watches. */
  get essentialMetricsOnly(): boolean {
    return optional("METRICS") === "essential";
  },
  get clock(): Clock {
    return { idleSeconds: positive("THREAD_IDLE_SECONDS"), sweepIntervalSeconds: positive("SWEEP_INTERVAL_SECONDS") };
  },
};

/** Where a model is found. */
export interface ModelSettings {
  /** As its provider calls it. */
  name: string;
  /** Undefined for OpenAI's own. */
  baseUrl: string | undefined;
  /** Name or ARN of the secret that holds the provider's key as plain text. */
  keySecret: string;
}

/** How long a model may take, and how much it is given. */
export interface ModelLimits {
  /** For a connection, TLS included. */
  connectMilliseconds: number;
  /** Until the first word of a streamed answer. */
  firstTokenMilliseconds: number;
  /** For everything: all tries, all models. */
  totalMilliseconds: number;
  /** Instructions, record, conversation and message together, as estimated. */
  contextTokens: number;
}

/** Whom a person in danger is told to call, as the deployment's country has it. */
export interface HelpLines {
  emergencyNumber: string;
  crisisLine: string;
  poisonControl: string;
  abuseLine: string;
}

/**
 * How long a secret is used before it is read again: after this, a key that was revoked is worth nothing. Shorter would
 * stop it sooner, and make a request wait for Secrets Manager more often: docs/operations.md, "Keys", has the price.
 */
export const SECRETS_CACHE_SECONDS = 60;

/** What a new stack's model key secret holds until an operator puts the provider's key there. */
export const MODEL_KEY_PLACEHOLDER = "replace-with-the-model-providers-key";

/** The times a thread lives by, in seconds. */
export interface Clock {
  /** A thread without a message for this long is expired (specification, Limits: 30 minutes). */
  idleSeconds: number;
  /** Sweeps run at multiples of this (specification, Limits: every 10 minutes). */
  sweepIntervalSeconds: number;
}

function text(name: EnvironmentVariable): string {
  const value = process.env[name];
  if (!value) {
    throw new OperatorError(`The environment variable ${name} is not set; deploy the stack again, it sets it.`);
  }
  return value;
}

function optional(name: EnvironmentVariable): string | undefined {
  return process.env[name] || undefined;
}

function positive(name: EnvironmentVariable): number {
  const value = Number(text(name));
  if (!Number.isInteger(value) || value < 1) {
    throw new OperatorError(`The environment variable ${name} must be a whole number, at least 1.`);
  }
  return value;
}
