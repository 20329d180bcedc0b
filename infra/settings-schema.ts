import * as z from "zod";
import { BEDROCK_ENDPOINTS, CONSENT_VERSION, CONSENT_VERSION_RULE, PROMPT_CACHES } from "../shared/config.ts";
import type { EnvironmentVariable } from "../shared/environment.ts";
import { CRISIS_LINE_BY } from "../shared/help-lines.ts";
import { REASONING_EFFORTS } from "../shared/model/model-features.ts";
import { IDLE_SECONDS, SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import { LONGEST_MODEL_SECONDS, MODEL_SECONDS } from "../shared/time-limits.ts";

/** The retention periods of CloudWatch Logs ("PutRetentionPolicy"), from one month on. */
const RETENTION_DAYS = [30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

/** About 700 chats of 3,000 tokens each. The right limit is up to the operator, who pays for the tokens. */
const TOKENS_PER_HOUR = 2_000_000;

/** Attaches a description of valid values to a setting, for error messages. */
function setting<T extends z.ZodType>(schema: T, mustBe: string) {
  return schema.meta({ mustBe });
}

/** What must be said of a setting's value, as the end of a sentence; a default or `optional` around it has none itself. */
export function requirementOf(schema: z.ZodType): string {
  const { mustBe } = schema.meta() ?? {};
  const isAround = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional;
  return String(mustBe ?? (isAround ? requirementOf(schema.unwrap() as z.ZodType) : "valid"));
}

/**
 * Names the environment variable in which functions get a setting. `npm start` takes the same variable, in place of the
 * template's value.
 *
 * @param readBy which functions get it; not given if it reaches them in another form, such as with a default that
 *   follows from a model's name
 */
function inVariable<T extends z.ZodType>(
  variable: EnvironmentVariable,
  schema: T,
  readBy?: "clinic" | "openAiClients",
) {
  return schema.meta({ mustBe: requirementOf(schema), variable, readBy });
}

/** Returns the settings that functions get, with the variable and which functions. */
export function settingsInVariables() {
  return Object.entries(STAGE_SETTINGS.shape).flatMap(([name, schema]) => {
    const { variable, readBy } = schema.meta() ?? {};
    return variable
      ? [
          {
            name: name as keyof StageSettings,
            schema: schema as z.ZodType,
            variable: variable as EnvironmentVariable,
            readBy,
          },
        ]
      : [];
  });
}

/** A whole number; `-c` passes it as text. */
function whole(least: number, most = 999_999_999) {
  const digits = z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number);
  return setting(
    z.union([z.number(), digits]).pipe(z.int().min(least).max(most)),
    most < 10_000 ? `a whole number from ${least} to ${most}` : `a whole number, at least ${least}`,
  );
}

/** True or false; `-c` passes it as text. */
function flag() {
  const text = z.enum(["true", "false"]).transform((value) => value === "true");
  return setting(z.union([z.boolean(), text]), "true or false");
}

function text(pattern = /^/, mustBe = "a string") {
  return setting(z.string().regex(pattern), mustBe);
}

const reasoningEffort = () =>
  setting(z.enum(["", ...REASONING_EFFORTS]), `empty or one of ${REASONING_EFFORTS.join(", ")}`).optional();

const promptCache = () => setting(z.enum(PROMPT_CACHES), `one of ${PROMPT_CACHES.join(", ")}`).optional();

const modelProvider = () => setting(z.enum(["openai", "bedrock"]), "openai or bedrock").default("openai");

const bedrockEndpoint = () =>
  setting(z.enum(BEDROCK_ENDPOINTS), `one of ${BEDROCK_ENDPOINTS.join(", ")}`).default("runtime");

const REGION = /^([a-z]{2,4}(-[a-z]+)+-\d)?$/;

const address = () => text(/^(https:\/\/\S+|[^\s@:/]+@[^\s@:/]+)?$/, "an email address or an https URL");

/** All settings of a stage. Those without a default must be in the stage's file. */
export const STAGE_SETTINGS = z.strictObject({
  /** What is monitored, and whether there is a firewall: see `PROFILES` in `settings.ts`. */
  profile: setting(z.enum(["standard", "small"]), "standard or small"),
  /** Whether there are any alarms. */
  alarms: flag().default(true),
  /** Whether patients, their key, API keys and logs are retained when a stack is deleted or replaces them. */
  keepsData: flag(),
  /** Whether the data stack, its tables and its backups are protected from deletion. */
  deletionProtection: flag(),
  /** How long the logs of requests, of accesses to patients and of the gateway are kept. */
  logRetentionDays: setting(
    z.union([z.number(), z.string().transform(Number)]).refine((days) => RETENTION_DAYS.includes(days)),
    `one of ${RETENTION_DAYS.join(", ")}`,
  ),
  /** How long a nightly backup of the patients table is kept. */
  backupDays: whole(1),
  /**
   * The ARN of a backup vault in another region, to which each backup is copied, or `none`: patients are then lost with
   * the region. In prod, somebody must decide.
   */
  backupCopyVault: text(
    /^(none|arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]+)?$/,
    "the ARN of a backup vault, or none",
  ).default(""),
  /**
   * How many days Vault Lock in compliance mode keeps every backup at least; 0 for no lock. After three days, nobody
   * can change the lock or delete an older backup, not even AWS.
   */
  backupLockDays: whole(0).default(0),
  /**
   * How many days Object Lock in compliance mode keeps the trail of direct accesses to the patients table, and what is
   * exported from the logs; 0 for no trail and no bucket. Nobody can shorten it afterwards. Object Lock keeps objects
   * for at most 100 years.
   */
  auditArchiveDays: whole(0, 36_500).default(0),
  /**
   * Requests per second to each method, and the burst size; requests over these limits get a 429. API Gateway applies a
   * stage's throttle to each method separately, so eight methods together accept eight times as much.
   */
  methodRequestsPerSecond: whole(1),
  methodBurst: whole(1),
  /** The most requests to all methods, from all addresses, in five minutes; 0 for no limit. Requires the firewall. */
  requestsInFiveMinutes: whole(0).default(0),
  /**
   * The maximum number of requests from one address in five minutes. AWS WAF accepts no limit below 10 ("Rate-based
   * rule high-level settings").
   */
  requestsPerAddress: whole(10).default(2_000),
  /**
   * The maximum number of concurrent chats. In addition, half as many are possible through OpenAI's clients; new
   * threads are limited to a quarter of it. This limits what the model can cost.
   */
  chatConcurrency: whole(1).default(10),
  /** Whether this concurrency is reserved in Lambda; otherwise, only the account's quota limits the model's cost. */
  reserveConcurrency: flag().default(true),
  /**
   * For how many minutes a new version of a function that uses the model gets a tenth of the traffic before it gets all
   * of it: at least 15, since its alarm looks at two periods of 5 minutes, and its log lines arrive later; 0 for all at
   * once, of all functions, without a check.
   */
  canaryMinutes: whole(0, 2_880),
  /** The provider's name for the model. */
  model: text().default("gpt-6-luna"),
  /** The time limit for all attempts on all models together, from which all other limits of a chat are derived. */
  modelSeconds: whole(5, LONGEST_MODEL_SECONDS).default(MODEL_SECONDS),
  /** The base URL of a provider other than OpenAI; "" for OpenAI. */
  modelBaseUrl: text().default(""),
  /**
   * How much the model reasons before it answers ("" leaves it to the model), and how the provider's prompt cache is
   * used. For OpenAI's models, both defaults follow from the name (`shared/model/model-features.ts`); other models have
   * no default.
   */
  modelReasoningEffort: inVariable("OPENAI_REASONING_EFFORT", reasoningEffort()),
  modelPromptCache: inVariable("OPENAI_PROMPT_CACHE", promptCache()),
  /** The model to use when the first one fails; "" for none. */
  fallbackModel: text().default(""),
  fallbackModelBaseUrl: text().default(""),
  fallbackModelReasoningEffort: inVariable("FALLBACK_REASONING_EFFORT", reasoningEffort()),
  fallbackModelPromptCache: inVariable("FALLBACK_PROMPT_CACHE", promptCache()),
  /**
   * Who runs the models: `openai`, or any server that speaks its protocol, with a key; or `bedrock`, with the
   * functions' roles and no key. AWS recommends the endpoint `runtime` for new applications ("Endpoints supported by
   * Amazon Bedrock"). The region is "" for the stack's.
   */
  modelProvider: modelProvider(),
  modelEndpoint: bedrockEndpoint(),
  modelRegion: text(REGION, "an AWS region").default(""),
  fallbackModelProvider: modelProvider(),
  fallbackModelEndpoint: bedrockEndpoint(),
  fallbackModelRegion: text(REGION, "an AWS region").default(""),
  /** Whether a model may be one whose requests are answered in any AWS region (`global.…`). */
  globalInference: flag().default(false),
  /**
   * The phone numbers that a person in danger is told to call, as displayed: those of a country in
   * `shared/help-lines.json`, or all four, `none` for a line that does not exist; without any, those of the US.
   */
  country: text().default(""),
  emergencyNumber: text().default(""),
  crisisLine: text().default(""),
  crisisLineBy: setting(z.enum(["", ...CRISIS_LINE_BY]), `one of ${CRISIS_LINE_BY.join(", ")}`).default(""),
  poisonControl: text().default(""),
  abuseLine: text().default(""),
  /** Where it is said that answers come from an AI: in the `message` of a new thread, or also below each answer. */
  aiDisclosure: inVariable(
    "AI_DISCLOSURE",
    setting(z.enum(["thread", "answers"]), "thread or answers").default("thread"),
    "clinic",
  ),
  /** How a patient can reach a person, displayed below the disclosure; "" to omit it. */
  humanContact: inVariable("HUMAN_CONTACT", text().default(""), "clinic"),
  /**
   * How many minutes a user who asked for a person waits before being told that nobody has taken over. The sweep may
   * notice as late as its interval, and the thread must not have expired by then.
   */
  handoffMinutes: inVariable(
    "HANDOFF_MINUTES",
    whole(1, (IDLE_SECONDS - SWEEP_INTERVAL_SECONDS) / 60).default(10),
    "clinic",
  ),
  /** The text that patients must have consented to before a model is asked about them; "" to require no consent. */
  consentRequired: inVariable(
    "CONSENT_REQUIRED",
    text(new RegExp(`^$|${CONSENT_VERSION.source}`), `empty or ${CONSENT_VERSION_RULE}`).default(""),
    "clinic",
  ),
  /**
   * What happens to system messages that OpenAI's clients send: a 400 that names this setting, or nothing, since the
   * assistant has its own instructions.
   */
  openaiSystemMessages: inVariable(
    "OPENAI_SYSTEM_MESSAGES",
    setting(z.enum(["ignore", "reject"]), "ignore or reject").default("ignore"),
    "openAiClients",
  ),
  /** A file that replaces `packages/safety/data/fixed-texts.json`, in the same format; "" to use that one. */
  safetyTexts: text().default(""),
  /** Who is notified of urgent alarms: an email address or an https URL; "" for nobody. */
  alarmAddress: address().default(""),
  /** Who is notified of alarms that can wait until the morning; "" for the same address as urgent ones. */
  noticeAddress: address().default(""),
  /** Where operators read docs/runbook.md, without an anchor: descriptions of alarms link to it; "" for its name only. */
  runbookUrl: text(/^(https:\/\/[^\s#]+)?$/, "an https URL without an anchor").default(""),
  /** The number of tokens sent to the model in an hour that sets off an alarm. */
  tokensPerHour: whole(1).default(TOKENS_PER_HOUR),
  /** The number of hours without any request after which an alarm goes off; 0 for never. */
  silentHours: whole(0, 24).default(0),
  /** How often a canary reads `/openapi.json` from outside, in minutes; 0 for never. Each attempt costs $0.0012. */
  outsideCheckMinutes: whole(0, 60).default(0),
  /** A custom domain name for the API; "" to use API Gateway's default endpoint. */
  domainName: text().default(""),
  /** The ARN of a certificate for the domain name, in the stack's region. */
  certificateArn: text().default(""),
  /** The API's path under the domain name, without leading or trailing slashes. */
  basePath: text().default("v1"),
  /** The Route 53 hosted zone to create the DNS record in; "" if the record is managed elsewhere. */
  hostedZoneId: text().default(""),
  /** The web origin whose pages may call the API, or `*` for any; "" for none. */
  corsOrigin: text(
    /^(\*|https?:\/\/[\w.-]+(:\d+)?)?$/,
    "* or an origin without a path, such as https://app.example.com",
  ).default(""),
  /** Whether there is a playground, a page for trying out the service; only in the stage dev. */
  playground: flag().default(false),
});

/** Settings for one deployment only, given with `-c`. */
export const DEPLOYMENT_SETTINGS = z.strictObject({
  /** `true`: no version is checked or gets a share of the traffic first, and no alarm rolls one back. */
  atOnce: flag().default(false),
  /**
   * `true` while the data stack is being created: nothing is protected from deletion yet, and there is no audit
   * archive, so that a failed creation can be deleted.
   */
  creating: flag().default(false),
  /** The deployed commit, for rolling back to it later. */
  commit: text(/^([0-9a-f]{40})?$/, "the hash of a commit").default(""),
});

export type StageSettings = z.output<typeof STAGE_SETTINGS>;
export type DeploymentSettings = z.output<typeof DEPLOYMENT_SETTINGS>;
