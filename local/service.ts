import { join } from "node:path";
import { openDatabase } from "../packages/lambda-local/database.ts";
import type { RequestLine } from "../packages/lambda-local/gateway.ts";
import { startPlatform } from "../packages/lambda-local/platform.ts";
import type { ServiceTemplate } from "../packages/lambda-local/template.ts";
import type { EnvironmentVariable } from "../shared/environment.ts";
import { modelVariables } from "../shared/model/model-features.ts";
import { table } from "../shared/table.ts";
import { applyModelLimits } from "./model-limits.ts";
import type { OfflineModel } from "./offline-model.ts";
import { withRootPage } from "./root-page.ts";
import type { LocalSettings } from "./settings.ts";
import { readTemplateFor } from "./template-context.ts";
import { withWebhookInbox } from "./webhook-inbox.ts";

export interface LocalService {
  /** Such as http://127.0.0.1:3000/v1. */
  baseUrl: string;
  /** The endpoint of the database in use. */
  dynamoDbEndpoint: string;
  /** Its SQLite file; undefined if it is that of DYNAMODB_ENDPOINT. */
  databaseFile: string | undefined;
  /** The endpoint for invoking functions without the gateway. */
  lambdaEndpoint: string;
  /** The endpoint of the API keys, for `npm run keys`. */
  apiKeys: { endpoint: string; secretId: string };
  template: ServiceTemplate;
  /** Resolves when the database that the service has started exits while the service is running. */
  databaseDied: Promise<void>;
  /** Stops everything that was started, after the requests in progress have been answered. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** The path whose function is started immediately, such as `/chat`; none by default. */
  firstPath?: string;
  /** The offline model's wait before each piece of a streamed answer, in milliseconds; 0 by default. */
  answerPause?: number;
  onRequest(line: RequestLine): void;
  /** Receives each line that a function logs. */
  onLog(line: string): void;
}

/**
 * Serves a synthesized template on this machine.
 *
 * @param assembly the folder that `cdk synth` wrote
 * @throws SetupError if something on this machine prevents it; everything that was started is stopped again
 */
export async function startService(
  settings: LocalSettings,
  assembly: string,
  { onRequest, onLog, firstPath, answerPause }: ServiceOptions,
): Promise<LocalService> {
  const started: { stop(): unknown }[] = [];
  const stop = async () => {
    for (const part of started.splice(0).reverse()) {
      await part.stop();
    }
  };
  const keep = <T extends { stop(): unknown }>(part: T): T => {
    started.push(part);
    return part;
  };
  try {
    const template = readTemplateFor(assembly, settings.corsOrigin);
    const [database, offlineModel] = await bothStarted(
      openDatabase(template.tables, settings.dataDir, settings).then(keep),
      settings.model ? undefined : loadOfflineModel(answerPause).then(keep),
    );
    override(template, settings, offlineModel);
    const docs = `/${template.stageName}/docs`;
    const { host, port, corsOrigin } = settings;
    const platform = await startPlatform(template, database, {
      host,
      port,
      corsOrigin,
      secrets: secretValues(template, settings),
      variables: { WEBHOOKS_TO_LOOPBACK: "true" }, // where the receivers of a developer are
      firstPath,
      intervalSeconds: (functionId) => sweepInterval(template, functionId, settings),
      before: (gateway) =>
        withWebhookInbox(withRootPage(gateway, join(assembly, "playground.json"), docs, settings.apiKey, offlineModel)),
      onRequest: (line) => onRequest(withSetting(line)),
      onLog,
    }).then(keep);
    return {
      baseUrl: platform.baseUrl,
      dynamoDbEndpoint: database.endpoint,
      databaseFile: database.file,
      lambdaEndpoint: platform.lambdaEndpoint,
      apiKeys: { endpoint: platform.secretsEndpoint, secretId: apiKeysSecret(template) },
      template,
      databaseDied: database.died,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A function that is too busy has a limit that can be raised: the line says by which setting. */
export function withSetting({ reason, ...line }: RequestLine): RequestLine {
  return { ...line, ...(reason && { reason: `${reason}; CHAT_CONCURRENCY raises this limit` }) };
}

/** The interval of the sweep's schedule, if it is set; undefined for others. */
function sweepInterval(template: ServiceTemplate, functionId: string, settings: LocalSettings): number | undefined {
  const { SWEEP_INTERVAL_SECONDS } = template.functions.get(functionId)?.environment ?? {};
  return SWEEP_INTERVAL_SECONDS === undefined ? undefined : settings.sweepIntervalSeconds;
}

/** Waits for both, so that one can be stopped if the other fails. */
async function bothStarted<A, B>(one: Promise<A>, other: Promise<B> | undefined): Promise<[A, B | undefined]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Loaded only when needed, while the database starts. */
async function loadOfflineModel(pauseMilliseconds: number | undefined): Promise<OfflineModel> {
  const { startOfflineModel } = await import("./offline-model.ts");
  return startOfflineModel(pauseMilliseconds);
}

/** Sets the functions' own variables for this machine's model and, if configured, other times. */
function override(template: ServiceTemplate, settings: LocalSettings, offlineModel: OfflineModel | undefined): void {
  const model = offlineModel ?? settings.model;
  const name = model?.name ?? modelOf(template);
  const { fallbackModel } = settings;
  applyModelLimits(template, settings.variables);
  const values: { [Name in EnvironmentVariable]?: string | undefined } = {
    ...modelVariables("OPENAI", name, model?.baseUrl ?? ""),
    ...(fallbackModel && modelVariables("FALLBACK", fallbackModel.name, fallbackModel.baseUrl ?? "")),
    ...settings.variables,
    THREAD_IDLE_SECONDS: settings.idleSeconds?.toString(),
    SWEEP_INTERVAL_SECONDS: settings.sweepIntervalSeconds?.toString(),
    SECRETS_CACHE_SECONDS: settings.secretsCacheSeconds?.toString(),
  };
  for (const { environment } of template.functions.values()) {
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined && name in environment) {
        environment[name] = value;
      }
    }
    if (settings.fallbackModel && "FALLBACK_MODEL" in environment) {
      environment.FALLBACK_KEY_SECRET ??= "local-fallback-key"; // the template has a secret only if it has a fallback model
    }
  }
}

/** Returns the name of the model that a template's functions call. */
export function modelOf(template: ServiceTemplate): string {
  return variableOf(template, "OPENAI_MODEL");
}

/** Returns the secrets by their names in the functions' variables. */
function secretValues(template: ServiceTemplate, settings: LocalSettings): Record<string, string> {
  const values = table({ [apiKeysSecret(template)]: JSON.stringify({ local: settings.apiKey }) });
  for (const { environment } of template.functions.values()) {
    if (environment.MODEL_KEY_SECRET) {
      values[environment.MODEL_KEY_SECRET] = settings.model?.key ?? "no-key-needed";
    }
    if (environment.FALLBACK_KEY_SECRET) {
      values[environment.FALLBACK_KEY_SECRET] = settings.fallbackModel?.key ?? "no-key-needed";
    }
  }
  return values;
}

const apiKeysSecret = (template: ServiceTemplate) => variableOf(template, "API_KEYS_SECRET");

/** Returns the value of a variable that the template gives its functions. */
export function variableOf(template: ServiceTemplate, name: EnvironmentVariable): string {
  return [...template.functions.values()].map(({ environment }) => environment[name]).find(Boolean) ?? "";
}
