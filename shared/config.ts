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
  /** Name or ARN of the secret that holds `{"client name": "key", …}`. */
  get apiKeysSecret(): string {
    return text("API_KEYS_SECRET");
  },
  /** Name or ARN of the secret that holds the model provider's key as plain text. */
  get modelKeySecret(): string {
    return text("MODEL_KEY_SECRET");
  },
  get model(): string {
    return text("OPENAI_MODEL");
  },
  /** The model's base URL; undefined means OpenAI's own. */
  get modelBaseUrl(): string | undefined {
    return process.env.OPENAI_BASE_URL || undefined;
  },
  get clock(): Clock {
    return { idleSeconds: seconds("THREAD_IDLE_SECONDS"), sweepIntervalSeconds: seconds("SWEEP_INTERVAL_SECONDS") };
  },
};

/** What a new stack's model key secret holds until an operator puts the provider's key there. */
export const MODEL_KEY_PLACEHOLDER = "replace-with-the-model-providers-key";

/** The times a thread lives by, in seconds. */
export interface Clock {
  /** A thread without a message for this long is expired (specification, Limits: 30 minutes). */
  idleSeconds: number;
  /** Sweeps run at multiples of this (specification, Limits: every 10 minutes). */
  sweepIntervalSeconds: number;
}

function text(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new OperatorError(`The environment variable ${name} is not set; deploy the stack again, it sets it.`);
  }
  return value;
}

function seconds(name: string): number {
  const value = Number(text(name));
  if (!Number.isInteger(value) || value < 1) {
    throw new OperatorError(`The environment variable ${name} must be a whole number of seconds, at least 1.`);
  }
  return value;
}
