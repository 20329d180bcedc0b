import { requirementOf, settingsInVariables } from "../infra/settings-schema.ts";
import { isLoopback } from "../packages/lambda-local/own-page.ts";
import { SetupError } from "../packages/lambda-local/setup-error.ts";
import type { EnvironmentVariable } from "../shared/environment.ts";
import { chooseHelpLines, type HelpLines } from "../shared/help-lines.ts";

/** The variables of `shared/config.ts` that limit the model. */
const MODEL_LIMITS = [
  "MODEL_CONNECT_MILLISECONDS",
  "MODEL_FIRST_TOKEN_MILLISECONDS",
  "MODEL_TOTAL_MILLISECONDS",
  "MODEL_CONTEXT_TOKENS",
] as const satisfies EnvironmentVariable[];

/** The variables of `shared/config.ts` for emergency phone numbers, by their settings. */
const HELP_LINES = {
  emergencyNumber: "EMERGENCY_NUMBER",
  crisisLine: "CRISIS_LINE",
  crisisLineBy: "CRISIS_LINE_BY",
  poisonControl: "POISON_CONTROL",
  abuseLine: "ABUSE_LINE",
} as const satisfies Record<keyof HelpLines, EnvironmentVariable>;

/** The settings of the local service, from environment variables; docs/operations.md lists them. */
export interface LocalSettings {
  port: number;
  host: string;
  apiKey: string;
  dataDir: string;
  /** Undefined for the embedded offline model. */
  model: { name: string | undefined; baseUrl: string | undefined; key: string } | undefined;
  /** The model to call if the first one fails. */
  fallbackModel: { name: string; baseUrl: string | undefined; key: string } | undefined;
  /** Everything else that replaces the template's values, by the functions' own variables. */
  variables: Record<string, string>;
  /** The web origin whose pages may call the API, or `*`; undefined for none. */
  corsOrigin: string | undefined;
  /** Undefined for a database that the service starts. */
  dynamoDbEndpoint: string | undefined;
  /** The folder of AWS's DynamoDB Local; undefined for the embedded database. */
  dynamoDbLocalDir: string | undefined;
  /** The maximum number of concurrent chats; undefined for that of the stage `dev`. */
  chatConcurrency: number | undefined;
  /** Undefined for the template's own times. */
  idleSeconds: number | undefined;
  sweepIntervalSeconds: number | undefined;
  secretsCacheSeconds: number | undefined;
}

/**
 * Reads the settings.
 *
 * @throws SetupError that names the first invalid variable
 */
export function readSettings(env: NodeJS.ProcessEnv): LocalSettings {
  const baseUrl = url(env, "OPENAI_BASE_URL");
  const modelKey = key(env, "OPENAI_API_KEY");
  const host = env.HOST || "127.0.0.1";
  if (!isLoopback(host) && !env.API_KEY) {
    throw new SetupError(
      `HOST is "${host}", which other machines can reach, and the default key is public; set API_KEY to a key of your own.`,
    );
  }
  return {
    port: integer(env, "PORT", 0, 65_535) ?? 3000,
    host,
    apiKey: key(env, "API_KEY") ?? "local-dev-key",
    dataDir: env.DATA_DIR || ".local",
    model:
      modelKey || baseUrl
        ? { name: env.OPENAI_MODEL || undefined, baseUrl, key: modelKey || "no-key-needed" }
        : undefined,
    fallbackModel: fallbackModel(env),
    variables: {
      ...ofStage(env),
      ...modelLimits(env),
      ...helpLines(env),
      ...sourcesCache(env),
    },
    corsOrigin: corsOrigin(env),
    dynamoDbEndpoint: url(env, "DYNAMODB_ENDPOINT"),
    dynamoDbLocalDir: env.DYNAMODB_LOCAL_DIR || undefined,
    chatConcurrency: integer(env, "CHAT_CONCURRENCY", 1, 1_000),
    idleSeconds: integer(env, "THREAD_IDLE_SECONDS", 1, 86_400),
    sweepIntervalSeconds: integer(env, "SWEEP_INTERVAL_SECONDS", 1, 86_400),
    secretsCacheSeconds: integer(env, "SECRETS_CACHE_SECONDS", 1, 86_400),
  };
}

function modelLimits(env: NodeJS.ProcessEnv): Record<string, string> {
  const limits = MODEL_LIMITS.filter((name) => env[name]);
  return Object.fromEntries(limits.map((name) => [name, String(integer(env, name, 1, 1_000_000))]));
}

function helpLines(env: NodeJS.ProcessEnv): Record<string, string> {
  const settings: [keyof HelpLines, string | undefined][] = (Object.keys(HELP_LINES) as (keyof HelpLines)[]).map(
    (name) => [name, env[HELP_LINES[name]]],
  );
  if (!env.COUNTRY && settings.every(([, value]) => !value)) {
    return {};
  }
  const chosen = chooseHelpLines({ country: env.COUNTRY, ...Object.fromEntries(settings) }, (name) =>
    name === "country" ? "COUNTRY" : HELP_LINES[name],
  );
  if (typeof chosen === "string") {
    throw new SetupError(chosen);
  }
  return Object.fromEntries(settings.map(([name]) => [HELP_LINES[name], chosen[name]]));
}

function fallbackModel(env: NodeJS.ProcessEnv): LocalSettings["fallbackModel"] {
  const baseUrl = url(env, "FALLBACK_BASE_URL");
  const fallbackKey = key(env, "FALLBACK_API_KEY");
  if (!env.FALLBACK_MODEL && (baseUrl || fallbackKey)) {
    throw new SetupError(
      "FALLBACK_MODEL is missing; set it to the name of the model that is asked when the first one fails.",
    );
  }
  return env.FALLBACK_MODEL ? { name: env.FALLBACK_MODEL, baseUrl, key: fallbackKey ?? "no-key-needed" } : undefined;
}

/** The message does not quote the key. */
function key(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name];
  if (text && !/^[\x21-\x7e]+$/.test(text)) {
    throw new SetupError(
      `${name} has a character that no header can carry; use letters, digits and ASCII punctuation only.`,
    );
  }
  return text || undefined;
}

/** Returns those of the functions' variables that are set and have a setting of the stage, which says what they may be. */
function ofStage(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    settingsInVariables().flatMap(({ variable, schema }) => {
      const text = env[variable];
      if (text && !schema.safeParse(text).success) {
        throw new SetupError(`${variable} is "${text}"; it must be ${requirementOf(schema)}.`);
      }
      return text ? [[variable, text]] : [];
    }),
  );
}

function integer(env: NodeJS.ProcessEnv, name: string, least: number, most: number): number | undefined {
  const text = env[name];
  if (!text) {
    return undefined;
  }
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new SetupError(`${name} is "${text}"; it must be a whole number from ${least} to ${most}.`);
  }
  return value;
}

function sourcesCache(env: NodeJS.ProcessEnv): Record<string, string> {
  const seconds = integer(env, "SOURCES_CACHE_SECONDS", 0, 86_400);
  return seconds === undefined ? {} : { SOURCES_CACHE_SECONDS: String(seconds) };
}

function corsOrigin({ CORS_ORIGIN: text }: NodeJS.ProcessEnv): string | undefined {
  if (text && text !== "*" && !/^https?:\/\/[\w.-]+(:\d+)?$/.test(text)) {
    throw new SetupError(
      `CORS_ORIGIN is "${text}"; it must be * or an origin without a path, such as http://localhost:5173.`,
    );
  }
  return text || undefined;
}

/** The message does not quote the address, which may contain a password. */
function url(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name];
  if (text && !(URL.canParse(text) && /^https?:/.test(text))) {
    throw new SetupError(`${name} is not an address; it must be one that begins with http:// or https://.`);
  }
  return text || undefined;
}
