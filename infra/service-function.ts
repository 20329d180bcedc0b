import { join } from "node:path";
import { type Duration, RemovalPolicy } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Grant } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { SECRETS_CACHE_SECONDS } from "../shared/config.ts";
import { IDLE_SECONDS, SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import { BUNDLES } from "./bundle.ts";

export interface ServiceFunctionProps {
  /** The file under `functions/`, without its ending. */
  name: string;
  timeout: Duration;
  memorySize: number;
}

/** A Lambda with this service's defaults, and no right to anything until it is given one. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { name, timeout, memorySize }: ServiceFunctionProps) {
    super(scope, id, {
      code: Code.fromAsset(join(BUNDLES, name)),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout,
      memorySize,
      loggingFormat: LoggingFormat.JSON,
      logGroup: new LogGroup(scope, `${id}Logs`, {
        retention: RetentionDays.ONE_MONTH,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    });
  }

  /**
   * Lets the function do these things, and no others, with a table, and tells it the table's name.
   *
   * @param variable the environment variable that carries the name
   * @param actions on the table, such as `GetItem`
   * @param queriedIndex an index that may be queried too
   */
  useTable(table: ITable, variable: string, actions: string[], queriedIndex?: string): void {
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
  }

  /** Like {@link useTable}, for the threads table; the function is told the times threads live by as well. */
  useThreads(table: ITable, actions: string[], queriedIndex?: string): void {
    this.useTable(table, "THREADS_TABLE", actions, queriedIndex);
    this.addEnvironment("THREAD_IDLE_SECONDS", String(IDLE_SECONDS));
    this.addEnvironment("SWEEP_INTERVAL_SECONDS", String(SWEEP_INTERVAL_SECONDS));
  }

  /** Lets the function read a secret, and tells it the secret's ARN, and how long to use what it has read. */
  useSecret(secret: ISecret, variable: string): void {
    this.addEnvironment(variable, secret.secretArn);
    this.addEnvironment("SECRETS_CACHE_SECONDS", String(SECRETS_CACHE_SECONDS));
    Grant.addToPrincipal({
      grantee: this,
      actions: ["secretsmanager:GetSecretValue"],
      resourceArns: [secret.secretArn],
    });
  }
}
