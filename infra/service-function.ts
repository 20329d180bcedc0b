import { join } from "node:path";
import { type Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Grant, type IRole, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Alias, Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from "aws-cdk-lib/aws-lambda";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { SECRETS_CACHE_SECONDS } from "../shared/config.ts";
import type { TableAction } from "../shared/contract/endpoint.ts";
import { EVENTS_PATTERN, WEBHOOK_TYPE_ATTRIBUTES, WEBHOOKS_PATTERN } from "../shared/dynamo/keys.ts";
import type { Environment, EnvironmentVariable } from "../shared/environment.ts";
import { IDLE_SECONDS, SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import { acknowledge } from "./acknowledge.ts";
import { BUNDLES } from "./bundling/bundle.ts";
import { FAILURE_PERIOD, FailureAlarm } from "./failure-alarm.ts";
import type { FunctionGroup } from "./function-group.ts";
import { allowKeyUse } from "./service-key.ts";
import { ServiceLogGroup } from "./service-log-group.ts";
import type { Settings } from "./settings.ts";

export interface ServiceFunctionProps {
  /** The name of the file under `functions/`, without its extension. */
  name: string;
  timeout: Duration;
  memorySize: number;
  /** Encrypts the function's log, and the tables and secrets that it uses. */
  key: IKey;
  settings: Settings;
  /** The group whose log and alarm the function shares, or when its own alarm goes off, which ends a deployment. */
  failures: FunctionGroup | OwnAlarm;
  /** The maximum number of concurrent executions; by default, only the account limits them. */
  concurrency?: number | undefined;
}

interface OwnAlarm {
  /** The number of failures in five minutes that is too much. */
  tooMany: number;
  /** Whether at least 5% of the invocations must fail as well; for functions with traffic. */
  asRate?: boolean;
}

/**
 * The value of the dimension `service`, which separates the metrics of stages in the same account: the stack's name.
 * The functions write it, and alarms and graphs look for it.
 */
export function metricsService(scope: Construct): string {
  return Stack.of(scope).stackName;
}

/** A Lambda function with this service's defaults. At first, it may only write its own log. */
export class ServiceFunction extends LambdaFunction {
  /** The name of the file under `functions/`, without its extension. */
  readonly serviceName: string;
  /** The alias that callers invoke. A deployment moves it to the new version, at once or gradually. */
  readonly live: Alias;
  /** The alarm on this function's failures, or on those of its group; undefined in a stage without such alarms. */
  readonly failing: FailureAlarm | undefined;
  /** Whether the function reads any secret. */
  readsSecrets = false;
  private readonly key: IKey;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { name, timeout, memorySize, key, settings, failures } = props;
    const concurrency = settings.reserveConcurrency ? props.concurrency : undefined;
    super(scope, id, {
      code: Code.fromAsset(join(BUNDLES, name)),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout,
      memorySize,
      environment: {
        METRICS_SERVICE: metricsService(scope),
        ...(settings.monitoring === "essential" && { METRICS: "essential" }),
      } satisfies Environment,
      loggingFormat: LoggingFormat.JSON,
      logGroup: "logGroup" in failures ? failures.logGroup : new ServiceLogGroup(scope, `${id}Logs`, { key, settings }),
      // Replaces the role that the CDK would create, which may write to every log in the account.
      role: new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") }),
      // Versions are kept, so that traffic can be moved back to any of them, except the version of a failed update:
      // Lambda publishes no second version of the same code, so that code could not be deployed again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(concurrency && { reservedConcurrentExecutions: concurrency }),
    });
    this.serviceName = name;
    this.key = key;
    this.logGroup.grantWrite(this);
    this.live = new Alias(this, "Live", { aliasName: "live", version: this.currentVersion });
    this.failing = "logGroup" in failures ? failures.failing : this.ownAlarm(failures, settings);
    this.acknowledgeFindings(props);
  }

  private ownAlarm({ tooMany, asRate }: OwnAlarm, settings: Settings): FailureAlarm | undefined {
    const { serviceName: name, logGroup, live } = this;
    const invocations = asRate ? live.metricInvocations({ period: FAILURE_PERIOD }) : undefined;
    return settings.alarms && settings.monitoring === "full"
      ? new FailureAlarm(this, "Failing", { name, logGroup, tooMany, invocations })
      : undefined;
  }

  private acknowledgeFindings({ concurrency, settings }: ServiceFunctionProps): void {
    acknowledge(this.role as IRole, {
      "HIPAA.Security-IAMNoInlinePolicy":
        "The policy belongs to this one function, is deployed and rolled back with it, and must not be attached " +
        "to anything else, as a managed policy could be. Its versions are those of this repository.",
    });
    acknowledge(this, {
      "HIPAA.Security-LambdaInsideVPC":
        "The function only reaches AWS services and the model provider, all of them public endpoints over TLS, " +
        "and only the API and the schedule can invoke it, so there is nothing private for a VPC to connect it " +
        "to. A VPC with filtered egress would also keep tampered code from sending data elsewhere. This is not " +
        "done because of the cost of NAT and a filtering proxy; the risk is reduced by pinned dependencies, one " +
        "bundle per function, and roles that give each function only the tables and secrets that it uses.",
    });
    if (concurrency === undefined || !settings.reserveConcurrency) {
      acknowledge(this, {
        "HIPAA.Security-LambdaConcurrency":
          concurrency === undefined
            ? "It makes a few database calls and ends, and is limited by the stage's throttle and the firewall's " +
              "limit per address. Concurrency reserved for it would be taken from every other function in the " +
              "account. Functions that call the model, which takes seconds and costs money, have a limit, and so " +
              "does the sweep."
            : "This stage reserves no concurrency (reserveConcurrency), for an account whose quota leaves nothing " +
              "to reserve. The quota, 10 in a new account, is then the limit on concurrent executions.",
      });
    }
    acknowledge(this, {
      "HIPAA.Security-LambdaDLQ":
        "A caller that waits for the function receives its failure as a response and repeats the request. The sweep and " +
        "the delivery of events have no caller: their next scheduled run does the same work again, and an alarm reports " +
        "work that stays undone. A dead-letter queue would contain nothing that anybody needs.",
    });
  }

  /** Like the CDK's method, but only accepts environment variables of this service. */
  override addEnvironment(variable: EnvironmentVariable, value: string): this {
    return super.addEnvironment(variable, value);
  }

  /**
   * Lets the function perform these actions on a table, and no others, and passes it the table's name, unless there is
   * no action.
   *
   * @param variable the environment variable for the name
   * @param actions on the table, such as `GetItem`
   * @param queriedIndex an index that the function may also query
   * @param conditions of the actions on the table
   */
  useTable(
    table: ITable,
    variable: EnvironmentVariable,
    actions: readonly TableAction[],
    queriedIndex?: string | undefined,
    conditions: Record<string, Record<string, string[]>> = {},
  ): void {
    if (actions.length === 0) {
      return;
    }
    this.addEnvironment(variable, table.tableName);
    Grant.addToPrincipal({
      grantee: this,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: [table.tableArn],
      conditions,
    });
    if (queriedIndex) {
      Grant.addToPrincipal({
        grantee: this,
        actions: ["dynamodb:Query"],
        resourceArns: [`${table.tableArn}/index/${queriedIndex}`],
      });
    }
    // Readers and writers must be able to decrypt the table's key; for everything else, DynamoDB uses its own grant.
    allowKeyUse(this, this.key, ["kms:Decrypt"], "dynamodb", { "aws:dynamodb:tableName": table.tableName });
  }

  /** Like {@link useTable}, for the threads table; also passes the idle time of threads and the sweep interval. */
  useThreads(table: ITable, actions: readonly TableAction[], queriedIndex?: string): void {
    this.useTable(table, "THREADS_TABLE", actions, queriedIndex);
    if (actions.length > 0) {
      this.addEnvironment("THREAD_IDLE_SECONDS", String(IDLE_SECONDS));
      this.addEnvironment("SWEEP_INTERVAL_SECONDS", String(SWEEP_INTERVAL_SECONDS));
    }
  }

  /**
   * Like {@link useTable}, for events. The secrets of webhooks are in the same table, in other partitions ("Using IAM
   * policy conditions for fine-grained access control").
   */
  useEvents(table: ITable, actions: readonly TableAction[]): void {
    const ofEvents = { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [EVENTS_PATTERN] } };
    this.useTable(table, "EVENTS_TABLE", actions, undefined, ofEvents);
  }

  /** Lets a function that uses events also query which types of them webhooks are told of, without their secrets. */
  mayAskForWebhooks(table: ITable): void {
    Grant.addToPrincipal({
      grantee: this,
      actions: ["dynamodb:Query"],
      resourceArns: [table.tableArn],
      conditions: {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [WEBHOOKS_PATTERN] },
        "ForAllValues:StringEquals": { "dynamodb:Attributes": WEBHOOK_TYPE_ATTRIBUTES },
        StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
      },
    });
  }

  /** Lets the function read a secret, and passes it the secret's ARN and the cache time. */
  useSecret(secret: ISecret, variable: EnvironmentVariable): void {
    this.readsSecrets = true;
    this.addEnvironment(variable, secret.secretArn);
    this.addEnvironment("SECRETS_CACHE_SECONDS", String(SECRETS_CACHE_SECONDS));
    Grant.addToPrincipal({
      grantee: this,
      actions: ["secretsmanager:GetSecretValue"],
      resourceArns: [secret.secretArn],
    });
    allowKeyUse(this, this.key, ["kms:Decrypt"], "secretsmanager", { SecretARN: secret.secretArn });
  }
}
