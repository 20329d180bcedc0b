import { join } from "node:path";
import { type Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Grant, type IRole, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Alias, Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from "aws-cdk-lib/aws-lambda";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { SECRETS_CACHE_SECONDS } from "../shared/config.ts";
import type { TableAction } from "../shared/endpoint.ts";
import type { Environment, EnvironmentVariable } from "../shared/environment.ts";
import { IDLE_SECONDS, SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import { BUNDLES } from "./bundling/folder.ts";
import type { Encryption } from "./encryption.ts";
import { FailureAlarm } from "./failure-alarm.ts";
import { metricsService } from "./monitoring/metrics.ts";
import { ServiceLogGroup } from "./service-log-group.ts";
import type { Settings } from "./settings.ts";

export interface ServiceFunctionProps {
  /** The file under `functions/`, without its ending. */
  name: string;
  timeout: Duration;
  memorySize: number;
  encryption: Encryption;
  settings: Settings;
  /** How many failures in five minutes are an alarm, and the end of a deployment. */
  tooManyFailures: number;
  /** Whether these failures must be 5% of the invocations as well; for functions that have traffic. */
  asRate?: boolean;
  /** How many may run at once; as many as the account lets, when not given. */
  concurrency?: number | undefined;
}

/** A Lambda with this service's defaults, and no right to anything but its own log until it is given one. */
export class ServiceFunction extends LambdaFunction {
  /** The file under `functions/`, without its ending. */
  readonly serviceName: string;
  /** What callers call. A deployment moves it to the new version, at once or little by little. */
  readonly live: Alias;
  /** What goes off when this function fails; undefined in a stage without alarms for each function. */
  readonly failing: FailureAlarm | undefined;
  /** Whether the function reads any secret. */
  readsSecrets = false;
  private readonly encryption: Encryption;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { name, timeout, memorySize, encryption, settings, tooManyFailures, asRate = false } = props;
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
      logGroup: new ServiceLogGroup(scope, `${id}Logs`, {
        encryption,
        retentionDays: settings.logRetentionDays,
        outlivesStack: settings.keepsData,
      }),
      // In place of the role that the CDK makes, which may write to every log of the account.
      role: new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") }),
      // Versions stay, so that traffic can be given back to any of them; but not the one of an update that failed. Lambda
      // publishes no second version of the same code, so that code could not be deployed again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(concurrency && { reservedConcurrentExecutions: concurrency }),
    });
    this.serviceName = name;
    this.encryption = encryption;
    this.logGroup.grantWrite(this);
    this.live = new Alias(this, "Live", { aliasName: "live", version: this.currentVersion });
    const { logGroup, live } = this;
    this.failing =
      settings.alarms && settings.monitoring === "full"
        ? new FailureAlarm(this, "Failing", { name, live, logGroup, tooMany: tooManyFailures, asRate })
        : undefined;
    this.acknowledgeFindings(props);
  }

  private acknowledgeFindings({ concurrency, settings }: ServiceFunctionProps): void {
    Validations.of(this.role as IRole).acknowledge({
      id: "HIPAA.Security::HIPAA.Security-IAMNoInlinePolicy",
      reason:
        "The policy is this one function's, is deployed and rolled back with it, and is to be attached to nothing else; " +
        "a managed policy could be. Its versions are those of this repository.",
    });
    Validations.of(this).acknowledge({
      id: "HIPAA.Security::HIPAA.Security-LambdaInsideVPC",
      reason:
        "The function reaches only AWS services and the model's provider, all of them public endpoints over TLS, and only " +
        "the API and the schedule can invoke it: there is nothing private for a VPC to connect it to. A VPC whose egress is " +
        "filtered would also stop code that was tampered with from sending data elsewhere. That is not done here, for the " +
        "cost of NAT and a filtering proxy; against it stand pinned dependencies, one bundle per function, and roles that " +
        "give each function only the tables and secrets it works with.",
    });
    if (concurrency !== undefined && !settings.reserveConcurrency) {
      Validations.of(this).acknowledge({
        id: "HIPAA.Security::HIPAA.Security-LambdaConcurrency",
        reason:
          "This stage is set to reserve nothing (reserveConcurrency), for an account whose quota leaves nothing to reserve. " +
          "That quota, 10 in a new account, is then the ceiling on what may run at once.",
      });
    }
    if (concurrency === undefined) {
      Validations.of(this).acknowledge({
        id: "HIPAA.Security::HIPAA.Security-LambdaConcurrency",
        reason:
          "It makes a few trips to the database and ends, and is bounded by the stage's throttle and the firewall's limit " +
          "per address. Reserving concurrency for it would take as much from every other function of the account. What asks " +
          "the model, which takes seconds and costs money, has its limit, and so has the sweep.",
      });
    }
    Validations.of(this).acknowledge({
      id: "HIPAA.Security::HIPAA.Security-LambdaDLQ",
      reason:
        "Whoever waits for the function gets its failure as an answer and repeats the request. What nobody waits for is the " +
        "sweep, which does the same work again ten minutes later, and whose missing runs are an alarm. A queue of failed " +
        "events would hold nothing that anybody needs.",
    });
  }

  /** Like the CDK's own, for the variables of this service only. */
  override addEnvironment(variable: EnvironmentVariable, value: string): this {
    return super.addEnvironment(variable, value);
  }

  /**
   * Lets the function do these things, and no others, with a table, and tells it the table's name.
   *
   * @param variable the environment variable that carries the name
   * @param actions on the table, such as `GetItem`
   * @param queriedIndex an index that may be queried too
   */
  useTable(
    table: ITable,
    variable: EnvironmentVariable,
    actions: readonly TableAction[],
    queriedIndex?: string | undefined,
  ): void {
    this.addEnvironment(variable, table.tableName);
    Grant.addToPrincipal({
      grantee: this,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: [table.tableArn],
    });
    if (queriedIndex) {
      Grant.addToPrincipal({
        grantee: this,
        actions: ["dynamodb:Query"],
        resourceArns: [`${table.tableArn}/index/${queriedIndex}`],
      });
    }
    // Whoever reads or writes must be able to decrypt the table's key; the rest DynamoDB does by a grant of its own.
    this.encryption.allowUse(this, ["kms:Decrypt"], "dynamodb", { "aws:dynamodb:tableName": table.tableName });
  }

  /** Like {@link useTable}, for the threads table; the function is told the times threads live by as well. */
  useThreads(table: ITable, actions: readonly TableAction[], queriedIndex?: string): void {
    this.useTable(table, "THREADS_TABLE", actions, queriedIndex);
    this.addEnvironment("THREAD_IDLE_SECONDS", String(IDLE_SECONDS));
    this.addEnvironment("SWEEP_INTERVAL_SECONDS", String(SWEEP_INTERVAL_SECONDS));
  }

  /** Lets the function read a secret, and tells it the secret's ARN, and how long to use what it has read. */
  useSecret(secret: ISecret, variable: EnvironmentVariable): void {
    this.readsSecrets = true;
    this.addEnvironment(variable, secret.secretArn);
    this.addEnvironment("SECRETS_CACHE_SECONDS", String(SECRETS_CACHE_SECONDS));
    Grant.addToPrincipal({
      grantee: this,
      actions: ["secretsmanager:GetSecretValue"],
      resourceArns: [secret.secretArn],
    });
    this.encryption.allowUse(this, ["kms:Decrypt"], "secretsmanager", { SecretARN: secret.secretArn });
  }
}
