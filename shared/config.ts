import type { EnvironmentVariable } from "./environment.ts";
import { OperatorError } from "./errors.ts";
import type { HelpLines } from "./help-lines.ts";

/**
 * A copy of the variables, which Lambda sets before the process starts and never changes: reading a variable from
 * `process.env` takes Node a quarter of a microsecond, and a request needs up to twenty. Outside Lambda, tests set
 * them.
 */
const lambdaEnvironment = process.env.AWS_LAMBDA_FUNCTION_NAME === undefined ? undefined : { ...process.env };

/**
 * The functions' settings, from the environment variables that `infra/` sets. They are read on use, not on import, so
 * that a missing setting fails only the requests that need it, and tests can set them.
 */
export const config = {
  get threadsTable(): string {
    return text("THREADS_TABLE");
  },
  get patientsTable(): string {
    return text("PATIENTS_TABLE");
  },
  get quotasTable(): string {
    return text("QUOTAS_TABLE");
  },
  get eventsTable(): string {
    return text("EVENTS_TABLE");
  },
  get feedbackTable(): string {
    return text("FEEDBACK_TABLE");
  },
  get sourcesTable(): string {
    return text("SOURCES_TABLE");
  },
  /** For how long it is remembered whether a tenant has sources, and which; 0 for not at all. */
  get sourcesCacheSeconds(): number {
    return Number(optional("SOURCES_CACHE_SECONDS") ?? SOURCES_CACHE_SECONDS);
  },
  /** The value of `Allow` by path, in JSON: for the paths whose other methods lead to this function. */
  get allowedMethods(): Record<string, string> {
    return JSON.parse(text("ALLOWED_METHODS"));
  },
  /** Name or ARN of the secret with the API keys (`shared/auth/client-keys.ts`). */
  get apiKeysSecret(): string {
    return text("API_KEYS_SECRET");
  },
  /** How long a secret is cached. */
  get secretsCacheSeconds(): number {
    return positive("SECRETS_CACHE_SECONDS");
  },
  /** The primary model. */
  get model(): ModelSettings {
    return {
      name: text("OPENAI_MODEL"),
      provider: provider("BEDROCK_ENDPOINT", "BEDROCK_REGION", "MODEL_KEY_SECRET"),
      baseUrl: optional("OPENAI_BASE_URL"),
      reasoningEffort: optional("OPENAI_REASONING_EFFORT"),
      promptCache: promptCache("OPENAI_PROMPT_CACHE"),
    };
  },
  /** The model called when the primary one fails; undefined if none is configured. */
  get fallbackModel(): ModelSettings | undefined {
    const name = optional("FALLBACK_MODEL");
    return name === undefined
      ? undefined
      : {
          name,
          provider: provider("FALLBACK_BEDROCK_ENDPOINT", "FALLBACK_BEDROCK_REGION", "FALLBACK_KEY_SECRET"),
          baseUrl: optional("FALLBACK_BASE_URL"),
          reasoningEffort: optional("FALLBACK_REASONING_EFFORT"),
          promptCache: promptCache("FALLBACK_PROMPT_CACHE"),
        };
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
      crisisLineBy: (optional("CRISIS_LINE_BY") ?? "both") as HelpLines["crisisLineBy"],
      poisonControl: optional("POISON_CONTROL") ?? "",
      abuseLine: optional("ABUSE_LINE") ?? "",
    };
  },
  /** The number of days for which the id of an erased patient is kept: longer than any backup of the record. */
  get erasureDays(): number {
    return positive("ERASURE_DAYS");
  },
  /** Whether each answer ends with a line saying that it comes from an AI. */
  get disclosesInAnswers(): boolean {
    return optional("AI_DISCLOSURE") === "answers";
  },
  /** The text that patients must have consented to before a model is asked about them; undefined for none. */
  get consentRequired(): string | undefined {
    return optional("CONSENT_REQUIRED");
  },
  /** Whether system messages of OpenAI's clients are ignored, and not a 400. */
  get rejectsSystemMessages(): boolean {
    return optional("OPENAI_SYSTEM_MESSAGES") === "reject";
  },
  /** How a patient can reach a person, as shown to the patient; undefined if not set. */
  get humanContact(): string | undefined {
    return optional("HUMAN_CONTACT");
  },
  /** How long a user who asked for a person waits before being told of other ways to get help. */
  get handoffMinutes(): number {
    return positive("HANDOFF_MINUTES");
  },
  /**
   * The `service` dimension of metrics: the stack's name, so that stages in one account can be distinguished.
   */
  get serviceName(): string {
    return optional("METRICS_SERVICE") ?? "health-assistant";
  },
  /** Whether only the essential metrics are written. */
  get essentialMetricsOnly(): boolean {
    return optional("METRICS") === "essential";
  },
  /** Whether this process is a Lambda function, as opposed to a test or a tool. */
  get inLambda(): boolean {
    return variable("AWS_LAMBDA_FUNCTION_NAME") !== undefined;
  },
  /** The web origin whose pages may call the API, or `*` for any; undefined for none. */
  get corsOrigin(): string | undefined {
    return optional("CORS_ORIGIN");
  },
  /** Whether webhooks may be on this machine; only the local service sets it. */
  get webhooksToLoopback(): boolean {
    return optional("WEBHOOKS_TO_LOOPBACK") === "true";
  },
  get clock(): Clock {
    return { idleSeconds: positive("THREAD_IDLE_SECONDS"), sweepIntervalSeconds: positive("SWEEP_INTERVAL_SECONDS") };
  },
};

/** How to call a model. */
export interface ModelSettings {
  /** The provider's name for it. */
  name: string;
  provider: ModelProvider;
  /** Undefined for OpenAI, and for Bedrock's own endpoints. */
  baseUrl: string | undefined;
  /** The value of `reasoning_effort`; undefined to omit it. */
  reasoningEffort: string | undefined;
  promptCache: PromptCache;
}

/**
 * Who runs a model, and what the function proves to it who it is with: a key, or the credentials of its role.
 * `keySecret` is the name or ARN of the secret that holds the provider's key as plain text.
 */
export type ModelProvider =
  | { kind: "openai"; keySecret: string }
  | { kind: "bedrock"; endpoint: BedrockEndpoint; region: string };

/** The endpoints of Amazon Bedrock that speak OpenAI's protocol ("Endpoints supported by Amazon Bedrock"). */
export const BEDROCK_ENDPOINTS = ["runtime", "mantle"] as const;

export type BedrockEndpoint = (typeof BEDROCK_ENDPOINTS)[number];

/**
 * How a provider's prompt cache is used:
 *
 * - `off`: not at all. A server may still cache prompts on its own terms.
 * - `key`: requests of a thread have the same `prompt_cache_key`, so that they reach the same cache.
 * - `in-memory`: `key`, and `prompt_cache_retention` keeps the cache from being written to a disk.
 * - `breakpoints`: `key`, and the ends of reusable prefixes are marked, because only marked prefixes are found again.
 */
export type PromptCache = (typeof PROMPT_CACHES)[number];

export const PROMPT_CACHES = ["off", "key", "in-memory", "breakpoints"] as const;

/** The name of the text that a patient has read, such as its date. Names are logged, so they are short and plain. */
export const CONSENT_VERSION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;

/** What such a name is, as the end of a sentence. */
export const CONSENT_VERSION_RULE = "1 to 32 letters, digits, dots, hyphens and underscores, first a letter or digit";

/** Limits on the model's time and context. */
export interface ModelLimits {
  /** For a connection, including TLS. */
  connectMilliseconds: number;
  /** Until the first word of a streamed answer. */
  firstTokenMilliseconds: number;
  /** For all attempts on all models together. */
  totalMilliseconds: number;
  /** Estimated tokens of instructions, record, conversation and message combined. */
  contextTokens: number;
}

/**
 * How long a secret is cached, and therefore how long a revoked key can still work. A shorter time makes requests wait
 * for Secrets Manager more often; for the costs, see docs/keys-and-tenants.md.
 */
export const SECRETS_CACHE_SECONDS = 60;

/** How soon every chat knows a change of the sources: much longer than a busy function's turn, and shorter than a look. */
export const SOURCES_CACHE_SECONDS = 2;

/** The value of a new stack's model key secret until an operator stores the provider's key. */
export const MODEL_KEY_PLACEHOLDER = "replace-with-the-model-providers-key";

/** The times that determine a thread's lifetime, in seconds. */
export interface Clock {
  /** A thread expires after this time without a message (specification, Limits: 30 minutes). */
  idleSeconds: number;
  /** Sweeps run at multiples of this (specification, Limits: every 10 minutes). */
  sweepIntervalSeconds: number;
}

function variable(name: EnvironmentVariable | "AWS_LAMBDA_FUNCTION_NAME"): string | undefined {
  return (lambdaEnvironment ?? process.env)[name];
}

function text(name: EnvironmentVariable): string {
  const value = variable(name);
  if (!value) {
    throw new OperatorError(`The environment variable ${name} is not set; deploy the stack again to set it.`);
  }
  return value;
}

function optional(name: EnvironmentVariable): string | undefined {
  return variable(name) || undefined;
}

/** Bedrock if one of its endpoints is set, otherwise a provider with a key. */
function provider(
  endpoint: EnvironmentVariable,
  region: EnvironmentVariable,
  keySecret: EnvironmentVariable,
): ModelProvider {
  const known = BEDROCK_ENDPOINTS.find((name) => name === optional(endpoint));
  return known
    ? { kind: "bedrock", endpoint: known, region: text(region) }
    : { kind: "openai", keySecret: text(keySecret) };
}

function promptCache(name: EnvironmentVariable): PromptCache {
  return PROMPT_CACHES.find((use) => use === optional(name)) ?? "off";
}

function positive(name: EnvironmentVariable): number {
  const value = Number(text(name));
  if (!Number.isInteger(value) || value < 1) {
    throw new OperatorError(`The environment variable ${name} must be a positive integer.`);
  }
  return value;
}
