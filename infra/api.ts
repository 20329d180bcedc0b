import { Duration, Stack } from "aws-cdk-lib";
import {
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  type Method,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigateway";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { SOURCES_CACHE_SECONDS } from "../shared/config.ts";
import { type Endpoint, functionOf, type TableAction } from "../shared/contract/endpoint.ts";
import { BY_PHONE_NUMBER } from "../shared/dynamo/keys.ts";
import type { Environment, EnvironmentVariable } from "../shared/environment.ts";
import { modelVariables } from "../shared/model/model-features.ts";
import { playgroundEndpoint } from "../shared/openapi/endpoints.ts";
import { answeredEndpoints, type FunctionName, functionNames } from "../shared/openapi/registry.ts";
import { chatLimits, GATEWAY_SECONDS, MODEL_CONNECT_MILLISECONDS } from "../shared/time-limits.ts";
import { ACCESS_LOG_FORMAT } from "./access-log.ts";
import { acknowledge } from "./acknowledge.ts";
import { bedrockModels } from "./bedrock-models.ts";
import { allowInference } from "./bedrock-rights.ts";
import { addPreflight } from "./cors.ts";
import { CustomDomain } from "./custom-domain.ts";
import type { Data } from "./data-stack.ts";
import { FunctionGroup } from "./function-group.ts";
import { addGatewayResponses } from "./gateway-responses.ts";
import { pascalCase } from "./pascal-case.ts";
import { ServiceFunction, type ServiceFunctionProps } from "./service-function.ts";
import { ServiceLogGroup } from "./service-log-group.ts";
import type { Settings } from "./settings.ts";
import { settingsInVariables } from "./settings-schema.ts";
import { answerWrongBaseUrls } from "./wrong-base-url.ts";

/** The API Gateway stage, which is also the version of the interface. */
export const STAGE_NAME = "v1";

interface ApiProps {
  data: Data;
  settings: Settings;
}

/** The REST API: its methods, the functions that serve them, and gateway responses in its error format. */
export class Api extends Construct {
  readonly restApi: RestApi;
  readonly accessLog: LogGroup;
  readonly functions = {} as Record<FunctionName, ServiceFunction>;
  /** What functions outside the chat path share. Failures of `extras` can wait until the morning. */
  readonly groups: Record<"records" | "rareRequests" | "extras", FunctionGroup>;
  /** The specification's `{base_url}`. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const { data, settings } = props;
    const { key } = data;
    this.accessLog = new ServiceLogGroup(this, "AccessLog", { key, settings });
    this.restApi = this.makeRestApi(settings);
    this.groups = {
      records: new FunctionGroup(this, "Records", "records", { key, settings, asRate: true }),
      rareRequests: new FunctionGroup(this, "RareRequests", "rare-requests", { key, settings }),
      extras: new FunctionGroup(this, "Extras", "extras", { key, settings }),
    };
    const served = settings.playground ? [...answeredEndpoints, playgroundEndpoint] : answeredEndpoints;
    for (const [name, group] of Map.groupBy(served, functionOf)) {
      this.addFunction(name as FunctionName, group, props);
    }
    this.addMethods(served, settings);
    answerWrongBaseUrls(this.restApi);
    if (settings.corsOrigin) {
      this.allowOrigin(settings.corsOrigin);
    }
    addGatewayResponses(this.restApi, settings.corsOrigin, settings.helpLines);
    this.addExecutionLog(props);
    this.acknowledgeFindings();
    this.baseUrl = settings.domain
      ? new CustomDomain(this, "Domain", this.restApi, settings.domain).baseUrl
      : this.restApi.urlForPath().replace(/\/$/, "");
  }

  private makeRestApi({ methodRequestsPerSecond, methodBurst, domain }: Settings): RestApi {
    const restApi = new RestApi(this, "RestApi", {
      restApiName: Stack.of(this).stackName,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      disableExecuteApiEndpoint: domain !== undefined, // a custom domain is then the only address
      cloudWatchRole: true, // API Gateway cannot log without a role in the account and region
      deployOptions: {
        stageName: STAGE_NAME,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat: ACCESS_LOG_FORMAT,
        // Errors inside the gateway. At INFO, or with data tracing, the log would contain bodies, paths and headers.
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        tracingEnabled: false, // traces contain whole URLs, including keys (`api_key`) and IDs
        throttlingRateLimit: methodRequestsPerSecond,
        throttlingBurstLimit: methodBurst,
      },
    });
    // Otherwise, the default endpoint accepts TLS 1.0 ("Security policies for REST APIs").
    const api = restApi.node.defaultChild as CfnRestApi;
    api.securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;
    api.endpointAccessMode = EndpointAccessMode.STRICT;
    return restApi;
  }

  /**
   * Creates the log group that API Gateway writes the stage's execution log to, by its name. A group that API Gateway
   * created itself would not be encrypted, and its logs would never expire.
   */
  private addExecutionLog({ data: { key }, settings }: ApiProps): void {
    const name = `API-Gateway-Execution-Logs_${this.restApi.restApiId}/${STAGE_NAME}`;
    const log = new ServiceLogGroup(this, "ExecutionLog", { key, settings, name });
    this.restApi.deploymentStage.node.addDependency(log);
  }

  private acknowledgeFindings(): void {
    acknowledge(this.restApi, {
      "AwsSolutions-APIG2":
        "Each function validates path and body against the schema that the OpenAPI document publishes, and " +
        "returns the endpoint's own error texts, which the gateway cannot do. A second copy of the schemas, " +
        "in the gateway's older dialect, could only diverge from the first.",
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]":
        "API Gateway has one such role per account and region, shared by all its APIs, and rejects a role " +
        "without these permissions. Restricting it to this stack's logs would stop the logs of every other " +
        "API in the account.",
    });
    acknowledge(this.restApi.deploymentStage, {
      "HIPAA.Security-APIGWSSLEnabled":
        "A client certificate proves to an HTTP backend that the gateway is calling. The backends here are " +
        "Lambda functions, which the gateway invokes through AWS's API, with signed requests over TLS, and " +
        "which nobody else may invoke.",
      "HIPAA.Security-APIGWXrayEnabled":
        "A gateway trace contains the whole URL: IDs in the path, and the key if a caller put it in the query " +
        "string. Many people in an account may be able to read traces. The request ID in the access log and " +
        "in the function's log provides the same information.",
      "HIPAA.Security-APIGWCacheEnabledAndEncrypted":
        "Nothing is cached: each response is about one patient or one conversation, so a cached copy would be " +
        "of no use.",
    });
  }

  /** Adds the function of some endpoints, with the resources and permissions that they declare, and nothing else. */
  private addFunction(
    name: FunctionName,
    served: readonly Endpoint[],
    { data: { tables, secrets, key }, settings }: ApiProps,
  ): void {
    const most = (value: (endpoint: Endpoint) => number | undefined, otherwise: number) =>
      Math.max(...served.map((endpoint) => value(endpoint) ?? otherwise));
    const actions = (table: "threads" | "patients" | "events" | "webhooks" | "feedback" | "sources"): TableAction[] => [
      ...new Set(served.flatMap(({ database }) => database?.[table] ?? [])),
    ];
    const streams = served.some((endpoint) => endpoint.streams);
    const timeoutSeconds = most(({ lambda }) => lambda?.timeoutSeconds, 20);
    const concurrencyShare = most(({ lambda }) => lambda?.concurrencyShare, 0);
    const fn = new ServiceFunction(this, pascalCase(name), {
      name,
      timeout: Duration.seconds(streams ? chatLimits(settings.modelSeconds).functionSeconds : timeoutSeconds),
      memorySize: most(({ lambda }) => lambda?.memory, 256),
      concurrency: concurrencyShare > 0 ? Math.ceil(settings.chatConcurrency * concurrencyShare) : undefined,
      key,
      settings,
      failures: this.failuresOf(served),
    });
    if (!served.every((endpoint) => endpoint.public)) {
      fn.useSecret(secrets.apiKeys, "API_KEYS_SECRET");
      const reads = served.some(({ quotas }) => quotas?.includes("tokensPerDay")) ? (["GetItem"] as const) : [];
      fn.useTable(tables.quotas, "QUOTAS_TABLE", ["UpdateItem", ...reads]);
    }
    const byPhone = served.some(({ database }) => database?.patientsByPhone);
    fn.useThreads(tables.threads, actions("threads"));
    fn.useTable(tables.patients, "PATIENTS_TABLE", actions("patients"), byPhone ? BY_PHONE_NUMBER : undefined);
    fn.useTable(tables.events, "EVENTS_TABLE", actions("webhooks"));
    fn.useEvents(tables.events, actions("events"));
    if (served.some(({ database }) => database?.webhookTypes)) {
      fn.mayAskForWebhooks(tables.events);
    }
    fn.useTable(tables.feedback, "FEEDBACK_TABLE", actions("feedback"));
    const readsProfile = served.some(({ profile }) => profile !== undefined);
    const onSources = new Set([...actions("sources"), ...(readsProfile ? (["GetItem"] as const) : [])]);
    fn.useTable(tables.sources, "SOURCES_TABLE", [...onSources]);
    if (onSources.size > 0) {
      useClinicSettings(fn, settings); // the table has the profiles, too
    }
    if (served.some((endpoint) => endpoint.erases)) {
      fn.addEnvironment("ERASURE_DAYS", String(erasureDays(settings)));
    }
    if (served.some((endpoint) => endpoint.model)) {
      useModel(fn, secrets, settings);
    }
    if (served.some((endpoint) => endpoint.openAiClients)) {
      addSettings(fn, settings, "openAiClients");
    }
    this.functions[name] = fn;
  }

  /** Functions that use a model have an alarm of their own, because without them nobody can chat. */
  private failuresOf(served: readonly Endpoint[]): ServiceFunctionProps["failures"] {
    if (served.some(({ model }) => model)) {
      return { tooMany: 3, asRate: true };
    }
    if (served.every((endpoint) => endpoint.canWait || endpoint.public)) {
      return this.groups.extras;
    }
    return served.every(({ rarelyCalled }) => rarelyCalled) ? this.groups.rareRequests : this.groups.records;
  }

  /** Lets pages of a web origin call all endpoints. */
  private allowOrigin(origin: string): void {
    for (const [path, methods] of Map.groupBy(answeredEndpoints, (endpoint) => endpoint.path)) {
      addPreflight(
        this.restApi.root.resourceForPath(path),
        origin,
        methods.map(({ method }) => method),
      );
    }
    for (const name of functionNames) {
      this.functions[name as FunctionName].addEnvironment("CORS_ORIGIN", origin);
    }
  }

  /**
   * Leads all methods of a path to one of its functions, as a single method: if there is one, to that of GET, which
   * also answers HEAD. Only the methods of the path's other functions are methods of their own. The function answers
   * what nobody serves with a 405, whose `Allow` contains all methods of the path.
   */
  private addMethods(served: readonly Endpoint[], settings: Settings): void {
    const allowed = new Map<ServiceFunction, Record<string, string>>();
    const functionFor = (endpoint: Endpoint) => this.functions[functionOf(endpoint) as FunctionName];
    for (const [path, group] of Map.groupBy(served, (endpoint) => endpoint.path)) {
      const main = group.find(({ method }) => method === "GET") ?? (group[0] as Endpoint);
      const fn = functionFor(main);
      this.addMethod("ANY", main, fn, settings);
      for (const endpoint of group.filter((other) => functionFor(other) !== fn)) {
        this.addMethod(endpoint.method, endpoint, functionFor(endpoint), settings);
      }
      const methods = group.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      const allow = [...methods, ...(settings.corsOrigin === "" ? [] : ["OPTIONS"])].join(", ");
      allowed.set(fn, { ...allowed.get(fn), [path]: allow });
    }
    for (const [fn, byPath] of allowed) {
      fn.addEnvironment("ALLOWED_METHODS", JSON.stringify(byPath));
    }
  }

  private addMethod(name: string, endpoint: Endpoint, fn: ServiceFunction, { modelSeconds }: Settings): void {
    const integration = new LambdaIntegration(fn.live, {
      timeout: Duration.seconds(endpoint.streams ? chatLimits(modelSeconds).gatewaySeconds : GATEWAY_SECONDS),
      scopePermissionToMethod: false, // one permission for each function
      responseTransferMode:
        endpoint.streams || endpoint.content ? ResponseTransferMode.STREAM : ResponseTransferMode.BUFFERED,
    });
    acknowledgeOpen(this.restApi.root.resourceForPath(endpoint.path).addMethod(name, integration), endpoint);
  }
}

function acknowledgeOpen(method: Method, endpoint: Endpoint): void {
  const reason = endpoint.public
    ? "Public on purpose: it returns the published description of the interface, and its function cannot read " +
      "any data."
    : "Callers are backends with an API key, not people with accounts. The function checks the key in constant " +
      "time before it reads the body, and responds in the interface's error format " +
      "(shared/auth/authenticate.ts); an authorizer would respond in a different one, at the cost of a second " +
      "function. test/api/authentication.test.ts calls every endpoint without a key and with wrong keys.";
  acknowledge(method, {
    "AwsSolutions-APIG4": reason,
    "AwsSolutions-COG4": reason,
  });
}

/** The recovery window of point-in-time recovery ("Point-in-time backups for DynamoDB"). */
const RECOVERY_DAYS = 35;

/** An erasure is remembered until no backup has the record: one is deleted some hours after its last day. */
function erasureDays({ backupDays }: Settings): number {
  return Math.max(backupDays, RECOVERY_DAYS) + 7;
}

/** Lets a function call the model and, if there is one, the fallback model. Times are in milliseconds. */
function useModel(fn: ServiceFunction, secrets: Data["secrets"], settings: Settings): void {
  const { model, fallbackModel } = bedrockModels(settings);
  const features = { reasoningEffort: settings.modelReasoningEffort, promptCache: settings.modelPromptCache };
  const fallbackFeatures = {
    reasoningEffort: settings.fallbackModelReasoningEffort,
    promptCache: settings.fallbackModelPromptCache,
  };
  for (const onBedrock of [model, fallbackModel]) {
    if (onBedrock) {
      allowInference(fn, onBedrock);
    }
  }
  if (secrets.modelKey) {
    fn.useSecret(secrets.modelKey, "MODEL_KEY_SECRET");
  }
  if (secrets.fallbackKey) {
    fn.useSecret(secrets.fallbackKey, "FALLBACK_KEY_SECRET");
  }
  const { fallbackModelBaseUrl } = settings;
  const { firstTokenMilliseconds, totalMilliseconds } = chatLimits(settings.modelSeconds);
  addVariables(fn, {
    ...modelVariables("OPENAI", settings.model, settings.modelBaseUrl, features, model),
    ...modelVariables("FALLBACK", settings.fallbackModel, fallbackModelBaseUrl, fallbackFeatures, fallbackModel),
    MODEL_CONNECT_MILLISECONDS: String(MODEL_CONNECT_MILLISECONDS),
    MODEL_FIRST_TOKEN_MILLISECONDS: String(firstTokenMilliseconds),
    MODEL_TOTAL_MILLISECONDS: String(totalMilliseconds),
    MODEL_CONTEXT_TOKENS: "32000",
  });
}

/** What applies to tenants without a profile. */
function useClinicSettings(fn: ServiceFunction, settings: Settings): void {
  const { helpLines } = settings;
  addVariables(fn, {
    SOURCES_CACHE_SECONDS: String(SOURCES_CACHE_SECONDS),
    EMERGENCY_NUMBER: helpLines.emergencyNumber,
    CRISIS_LINE: helpLines.crisisLine,
    CRISIS_LINE_BY: helpLines.crisisLineBy,
    POISON_CONTROL: helpLines.poisonControl,
    ABUSE_LINE: helpLines.abuseLine,
  });
  addSettings(fn, settings, "clinic");
}

function addSettings(fn: ServiceFunction, settings: Settings, reader: "clinic" | "openAiClients"): void {
  for (const { name, variable } of settingsInVariables().filter(({ readBy }) => readBy === reader)) {
    fn.addEnvironment(variable, String(settings[name]));
  }
}

function addVariables(fn: ServiceFunction, variables: Environment): void {
  for (const [name, value] of Object.entries(variables)) {
    fn.addEnvironment(name as EnvironmentVariable, value);
  }
}
