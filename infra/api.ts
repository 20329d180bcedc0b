import { Duration } from "aws-cdk-lib";
import { LambdaIntegration, ResponseTransferMode, ResponseType, RestApi } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import { BY_PHONE_NUMBER } from "../shared/dynamo/keys.ts";
import { playground } from "../shared/http/playground-route.ts";
import type { Route } from "../shared/http/routes.ts";
import * as routes from "../shared/http/routes.ts";
import type { Secrets } from "./secrets.ts";
import { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";
import type { Tables } from "./tables.ts";

/** After this, API Gateway cuts the connection ("Quotas for REST APIs"). A function's time begins only when it has started. */
const GATEWAY_TIMEOUT = Duration.seconds(29);
const CHAT_TIMEOUT = Duration.seconds(28);

interface ApiProps {
  tables: Tables;
  secrets: Secrets;
  settings: Settings;
}

/** The REST API: a Lambda and a method for each route, and the gateway's own answers in our error shapes. */
export class Api extends Construct {
  readonly restApi: RestApi;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.restApi = new RestApi(this, "RestApi", {
      restApiName: `health-assistant-${props.settings.stage}`,
      deployOptions: { stageName: "v1", dataTraceEnabled: false },
      cloudWatchRole: false,
    });
    this.addRoutes(props);
    this.addGatewayResponses();
  }

  /** Each route gets what its use case needs, and nothing else. */
  private addRoutes({ tables, secrets, settings }: ApiProps): void {
    const findPatients = (fn: ServiceFunction) =>
      fn.useTable(tables.patients, "PATIENTS_TABLE", ["GetItem"], BY_PHONE_NUMBER);
    const model = (fn: ServiceFunction) => useModel(fn, secrets, settings);

    const chat = this.addRoute(routes.chat, secrets, { timeout: CHAT_TIMEOUT, memorySize: 512 });
    // GetItem and DeleteItem are for idempotency keys: to look one up, and to give it up after a failure.
    chat.useThreads(tables.threads, ["Query", "GetItem", "PutItem", "UpdateItem", "DeleteItem"]);
    findPatients(chat);
    model(chat);

    const createThread = this.addRoute(routes.createThread, secrets, {
      timeout: Duration.seconds(20),
      memorySize: 512,
    });
    createThread.useThreads(tables.threads, ["PutItem"]);
    findPatients(createThread);
    model(createThread);

    this.addRoute(routes.getThread, secrets).useThreads(tables.threads, ["GetItem"]);
    const deleteThread = this.addRoute(routes.deleteThread, secrets);
    deleteThread.useThreads(tables.threads, ["Query", "DeleteItem", "UpdateItem", "BatchWriteItem"]);
    this.addRoute(routes.createPatient, secrets).useTable(tables.patients, "PATIENTS_TABLE", ["PutItem", "GetItem"]);
    this.addRoute(routes.getPatient, secrets).useTable(tables.patients, "PATIENTS_TABLE", ["GetItem"]);
    this.addRoute(routes.openapi, secrets);
    this.addRoute(routes.docs, secrets);
    if (settings.playground) {
      this.addRoute(playground, secrets);
    }
  }

  private addRoute(
    route: Route,
    secrets: Secrets,
    { timeout = Duration.seconds(20), memorySize = 256 }: { timeout?: Duration; memorySize?: number } = {},
  ): ServiceFunction {
    const fn = new ServiceFunction(this, pascalCase(route.name), { name: route.name, timeout, memorySize });
    if (!route.public) {
      fn.useSecret(secrets.apiKeys, "API_KEYS_SECRET");
    }
    const integration = new LambdaIntegration(fn, {
      timeout: GATEWAY_TIMEOUT,
      allowTestInvoke: false,
      responseTransferMode: route.streams || route.page ? ResponseTransferMode.STREAM : ResponseTransferMode.BUFFERED,
    });
    this.restApi.root.resourceForPath(route.path).addMethod(route.method, integration);
    return fn;
  }

  /** What the gateway answers itself, in the generic error form, which satisfies the other one too. */
  private addGatewayResponses(): void {
    const answer = (type: ResponseType, error: string, statusCode?: string) =>
      this.restApi.addGatewayResponse(pascalCase(type.responseType.toLowerCase().replaceAll("_", "-")), {
        type,
        ...(statusCode && { statusCode }),
        responseHeaders: { "x-request-id": "context.requestId" },
        templates: { "application/json": `{"success":false,"error":${error}}` },
      });
    // Without an authorizer, this is how the gateway says that it knows no such route or method.
    answer(ResponseType.MISSING_AUTHENTICATION_TOKEN, '"Not found"', "404");
    answer(ResponseType.REQUEST_TOO_LARGE, '"Request body is too large"', "413");
    answer(ResponseType.THROTTLED, '"Too many requests"', "429");
    answer(ResponseType.QUOTA_EXCEEDED, '"Too many requests"', "429");
    answer(ResponseType.DEFAULT_4XX, "$context.error.messageString");
    answer(ResponseType.DEFAULT_5XX, '"Internal server error"', "500");
  }
}

/** Lets a function ask the model, and the fallback model if there is one. Times in milliseconds. */
function useModel(fn: ServiceFunction, secrets: Secrets, settings: Settings): void {
  fn.useSecret(secrets.modelKey, "MODEL_KEY_SECRET");
  fn.addEnvironment("OPENAI_MODEL", settings.model);
  fn.addEnvironment("OPENAI_BASE_URL", settings.modelBaseUrl);
  fn.addEnvironment("FALLBACK_MODEL", settings.fallbackModel);
  fn.addEnvironment("FALLBACK_BASE_URL", settings.fallbackModelBaseUrl);
  if (secrets.fallbackKey) {
    fn.useSecret(secrets.fallbackKey, "FALLBACK_KEY_SECRET");
  }
  fn.addEnvironment("MODEL_CONNECT_MILLISECONDS", "3000");
  fn.addEnvironment("MODEL_FIRST_TOKEN_MILLISECONDS", "12000");
  // What a chat's 28 s leave for the model when the database is slow as well.
  fn.addEnvironment("MODEL_TOTAL_MILLISECONDS", "21000");
  fn.addEnvironment("MODEL_CONTEXT_TOKENS", "32000");
  fn.addEnvironment("EMERGENCY_NUMBER", settings.emergencyNumber);
  fn.addEnvironment("CRISIS_LINE", settings.crisisLine);
  fn.addEnvironment("POISON_CONTROL", settings.poisonControl);
  fn.addEnvironment("ABUSE_LINE", settings.abuseLine);
}

/** `get-thread` → `GetThread`. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
