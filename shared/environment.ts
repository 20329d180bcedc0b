/**
 * Every environment variable of the functions. `infra/` sets them, `config.ts` reads them, and `local/` overrides some.
 * A name that is not in this list does not compile.
 */
export type EnvironmentVariable =
  | "THREADS_TABLE"
  | "PATIENTS_TABLE"
  | "QUOTAS_TABLE"
  | "EVENTS_TABLE"
  | "FEEDBACK_TABLE"
  | "SOURCES_TABLE"
  | "THREAD_IDLE_SECONDS"
  | "SWEEP_INTERVAL_SECONDS"
  | "API_KEYS_SECRET"
  | "SECRETS_CACHE_SECONDS"
  | "MODEL_KEY_SECRET"
  | "FALLBACK_KEY_SECRET"
  | "OPENAI_MODEL"
  | "OPENAI_BASE_URL"
  | "OPENAI_REASONING_EFFORT"
  | "OPENAI_PROMPT_CACHE"
  | "OPENAI_SYSTEM_MESSAGES"
  | "BEDROCK_ENDPOINT"
  | "BEDROCK_REGION"
  | "FALLBACK_MODEL"
  | "FALLBACK_BASE_URL"
  | "FALLBACK_REASONING_EFFORT"
  | "FALLBACK_PROMPT_CACHE"
  | "FALLBACK_BEDROCK_ENDPOINT"
  | "FALLBACK_BEDROCK_REGION"
  | "MODEL_CONNECT_MILLISECONDS"
  | "MODEL_FIRST_TOKEN_MILLISECONDS"
  | "MODEL_TOTAL_MILLISECONDS"
  | "MODEL_CONTEXT_TOKENS"
  | "EMERGENCY_NUMBER"
  | "CRISIS_LINE"
  | "POISON_CONTROL"
  | "ABUSE_LINE"
  | "AI_DISCLOSURE"
  | "HUMAN_CONTACT"
  | "HANDOFF_MINUTES"
  | "CORS_ORIGIN"
  | "ERASURE_DAYS"
  | "METRICS_SERVICE"
  | "METRICS"
  | "WEBHOOKS_TO_LOOPBACK";

/** Values of some environment variables. */
export type Environment = Partial<Record<EnvironmentVariable, string>>;
