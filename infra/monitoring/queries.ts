import { Stack } from "aws-cdk-lib";
import { type ILogGroup, QueryDefinition, QueryString, type QueryStringProps } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { pascalCase } from "../pascal-case.ts";

/** Queries over the functions' logs. Lambda nests what `shared/observability/logger.ts` logs under `message`. */
const QUERIES: Record<string, QueryStringProps> = {
  "slowest-chats": {
    fields: ["@timestamp", "message.durationMs", "message.modelMs", "message.databaseMs", "message.screenMs"].concat([
      "message.gen_ai.request.model",
      "message.status",
      "message.client",
      "message.xRequestId",
    ]),
    filterStatements: ['message.event = "request" and message.route in ["chat", "create-completion"]'],
    sort: "message.durationMs desc",
    limit: 50,
  },
  "errors-of-the-last-hour": {
    filterStatements: ['message.event = "failure"'],
    statsStatements: [
      "count(*) as failures, latest(message.xRequestId) as example " +
        "by message.route, message.kind, message.errorName, message.reason",
    ],
    sort: "failures desc",
  },
  "one-request": {
    fields: ["@timestamp", "level", "message.event", "@message", "@log"],
    filterStatements: ['message.xRequestId = "put-the-x-request-id-here"'],
    sort: "@timestamp asc",
  },
  "accesses-to-one-patient": {
    fields: ["@timestamp", "message.client", "message.operation", "message.xRequestId"],
    filterStatements: ['message.event = "audit" and message.patientId = "put-the-patients-id-here"'],
    sort: "@timestamp desc",
    limit: 1_000,
  },
  "model-failures": {
    filterStatements: ['message.event = "model-failure"'],
    statsStatements: [
      "count(*) as failures, latest(message.upstreamRequestId) as example " +
        "by message.error.type, message.gen_ai.provider.name, message.gen_ai.request.model, message.errorName",
    ],
    sort: "failures desc",
  },
  "top-clients": {
    filterStatements: ['message.event = "request"'],
    statsStatements: [
      "count(*) as requests, sum(message.gen_ai.usage.input_tokens) as inputTokens, " +
        "sum(message.gen_ai.usage.output_tokens) as outputTokens, " +
        "pct(message.durationMs, 95) as p95Ms, count(message.previousKey) as withPreviousKey " +
        "by message.client, message.tenant",
    ],
    sort: "requests desc",
    limit: 50,
  },
  "clients-at-their-limits": {
    filterStatements: ['message.event = "request" and message.error in ["over-quota", "not-found"]'],
    statsStatements: [
      "count(*) as requests, latest(message.xRequestId) as example " +
        "by message.client, message.tenant, message.error, message.quota",
    ],
    sort: "requests desc",
    limit: 50,
  },
};

/** Saves the queries in CloudWatch Logs Insights, in a folder named after the stack, for these log groups. */
export function saveQueries(scope: Construct, logGroups: ILogGroup[]): void {
  for (const [name, query] of Object.entries(QUERIES)) {
    new QueryDefinition(scope, pascalCase(name), {
      queryDefinitionName: `${Stack.of(scope).stackName}/${name}`,
      queryString: new QueryString(query),
      logGroups,
    });
  }
}
