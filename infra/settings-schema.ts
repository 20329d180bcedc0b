import * as z from "zod";
import { PROMPT_CACHES } from "../shared/config.ts";
import { REASONING_EFFORTS } from "../shared/model/model-features.ts";
import { LONGEST_MODEL_SECONDS, MODEL_SECONDS } from "../shared/time-limits.ts";

/** The periods for which CloudWatch Logs can keep a group ("PutRetentionPolicy"), from a month on. */
const RETENTION_DAYS = [30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

/** Some 700 chats with 3,000 tokens each. How much is too much is for the operator to say, who pays for it. */
const TOKENS_PER_HOUR = 2_000_000;

/** A setting with what it must be, for the message about a value that is not. */
function setting<T extends z.ZodType>(schema: T, mustBe: string) {
  return schema.meta({ mustBe });
}

/** A whole number; `-c` gives it as text. */
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

/** True or false; `-c` gives it as text. */
function flag() {
  const text = z.enum(["true", "false"]).transform((value) => value === "true");
  return setting(z.union([z.boolean(), text]), "true or false");
}

function text(pattern = /^/, mustBe = "a text") {
  return setting(z.string().regex(pattern), mustBe);
}

const reasoningEffort = () =>
  setting(z.enum(["", ...REASONING_EFFORTS]), `empty or one of ${REASONING_EFFORTS.join(", ")}`).optional();

const promptCache = () => setting(z.enum(PROMPT_CACHES), `one of ${PROMPT_CACHES.join(", ")}`).optional();

const address = () => text(/^(https:\/\/\S+|[^\s@:/]+@[^\s@:/]+)?$/, "a mail address or an https URL");

/** Every setting of a stage. One without a default has to be in the stage's file. */
export const STAGE_SETTINGS = z.strictObject({
  /** What is monitored, and what stands before the API: `infra/profiles.ts`. */
  profile: setting(z.enum(["standard", "small"]), "standard or small"),
  /** Whether there are alarms at all. */
  alarms: flag().default(true),
  /** Whether patients, the key they are encrypted with, and logs outlive the stack. */
  keepsData: flag(),
  /** Whether the stack, its tables and its backups refuse to be deleted. */
  deletionProtection: flag(),
  /** How long logs are kept: of requests, of access to patients, of the gateway. */
  logRetentionDays: setting(
    z.union([z.number(), z.string().transform(Number)]).refine((days) => RETENTION_DAYS.includes(days)),
    `one of ${RETENTION_DAYS.join(", ")}`,
  ),
  /** How long a nightly backup of the patients is kept. */
  backupDays: whole(1),
  /** A backup vault in another region, to copy each backup to; "" for none. */
  backupCopyVault: text(
    /^(arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]+)?$/,
    "the ARN of a backup vault",
  ).default(""),
  /**
   * Requests per second to each method, and how many of them at once; more are answered with 429. The gateway applies the
   * throttle of a stage to each method on its own: eight methods take eight times as much.
   */
  methodRequestsPerSecond: whole(1),
  methodBurst: whole(1),
  /** Requests in five minutes to all methods together, from all addresses; 0 for no such ceiling. Needs the firewall. */
  requestsInFiveMinutes: whole(0).default(0),
  /** Requests from one address in five minutes. The firewall takes no limit below 10 ("Rate-based rule high-level settings"). */
  requestsPerAddress: whole(10).default(2_000),
  /** How many chats may run at once, and a quarter as many new threads: a ceiling on what the model can cost. */
  chatConcurrency: whole(1).default(10),
  /** Whether that ceiling is reserved in Lambda. Without it, only the account's quota limits what the model can cost. */
  reserveConcurrency: flag().default(true),
  /** For how many minutes a new version gets a tenth of the traffic before it gets all of it; 0 for all at once. */
  canaryMinutes: whole(0, 2_880),
  /** The model's name, as its provider calls it. */
  model: text().default("gpt-6-luna"),
  /** The time for all attempts on all models together, from which all other limits of a chat are derived. */
  modelSeconds: whole(5, LONGEST_MODEL_SECONDS).default(MODEL_SECONDS),
  /** The base URL of another provider than OpenAI; "" for OpenAI. */
  modelBaseUrl: text().default(""),
  /**
   * How much the model reasons before it answers ("" to leave it to the model), and how its provider's prompt cache is used.
   * For models of OpenAI, both follow from the name (`shared/model/model-features.ts`); others have neither by default.
   */
  modelReasoningEffort: reasoningEffort(),
  modelPromptCache: promptCache(),
  /** A model to ask when the first cannot answer; "" for none. */
  fallbackModel: text().default(""),
  fallbackModelBaseUrl: text().default(""),
  fallbackModelReasoningEffort: reasoningEffort(),
  fallbackModelPromptCache: promptCache(),
  /** Whom a person in danger is told to call; as they are to be read. */
  emergencyNumber: text().default("911"),
  crisisLine: text().default("988 (Suicide & Crisis Lifeline)"),
  poisonControl: text().default("1-800-222-1222"),
  abuseLine: text().default("1-800-799-7233 (National Domestic Violence Hotline)"),
  /**
   * Where people are told that answers come from an AI: in the `message` of a new thread, or also in a line below each
   * answer.
   */
  aiDisclosure: setting(z.enum(["thread", "answers"]), "thread or answers").default("thread"),
  /** How a patient can reach a person, as it is to be read below the disclosure; "" to leave it out. */
  humanContact: text().default(""),
  /** A file of other fixed texts than `shared/safety/data/fixed-texts.json`, of the same form; "" for those. */
  safetyTexts: text().default(""),
  /** Who is told of urgent alarms: a mail address, or an https URL; "" for nobody. */
  alarmAddress: address().default(""),
  /** Who is told of alarms that can wait until the morning; "" for the same as of urgent ones. */
  noticeAddress: address().default(""),
  /** How many tokens to the model in an hour are an alarm. */
  tokensPerHour: whole(1).default(TOKENS_PER_HOUR),
  /** For how many hours there may be no request before there is an alarm; 0 for any number. */
  silentHours: whole(0, 24).default(0),
  /** The API's own name; "" to reach it at API Gateway's own address. */
  domainName: text().default(""),
  /** Of a certificate for the name, in the stack's region. */
  certificateArn: text().default(""),
  /** The path that the API stands under at that name, without slashes at its ends. */
  basePath: text().default("v1"),
  /** The Route 53 zone to put the name into; "" when the operator has it elsewhere. */
  hostedZoneId: text().default(""),
  /** The web origin whose pages may call the API, or `*` for any; "" for none. */
  corsOrigin: text(
    /^(\*|https?:\/\/[\w.-]+(:\d+)?)?$/,
    "* or an origin without a path, such as https://app.example.com",
  ).default(""),
  /** Whether there is a page to try the service by hand, on the stage dev. */
  playground: flag().default(false),
});

/** What may be said for one deployment only, by `-c`. */
export const DEPLOYMENT_SETTINGS = z.strictObject({
  /** `true`: no gradual shift of traffic, and no rollback on alarm. */
  atOnce: flag().default(false),
  /** `true` while the stack is being created: nothing refuses to be deleted yet, so that a failed creation can be. */
  creating: flag().default(false),
  /** The commit that is deployed, for a rollback to it. */
  commit: text(/^([0-9a-f]{40})?$/, "the hash of a commit").default(""),
});

export type StageSettings = z.output<typeof STAGE_SETTINGS>;
export type DeploymentSettings = z.output<typeof DEPLOYMENT_SETTINGS>;
