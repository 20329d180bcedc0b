import { resolve } from "node:path";
import { type Properties, type Resource, readResources } from "./cloud-assembly.ts";

/** The parts of the synthesized templates that the local service runs. */
export interface ServiceTemplate {
  stageName: string;
  /** Logical id → function. */
  functions: Map<string, FunctionTemplate>;
  routes: RouteTemplate[];
  mocks: MockTemplate[];
  gatewayResponses: Map<string, GatewayResponseTemplate>;
  tables: TableTemplate[];
  schedules: ScheduleTemplate[];
  streamReaders: StreamReader[];
}

export interface FunctionTemplate {
  name: string;
  codePath: string;
  handler: string;
  timeoutSeconds: number;
  memoryMegabytes: number;
  /** The maximum number of concurrent invocations; undefined for no limit. */
  reservedConcurrency?: number | undefined;
  logFormat: string;
  environment: Record<string, string>;
}

export interface RouteTemplate {
  /** Such as `GET`, or `ANY` for all that the path has no other route for. */
  method: string;
  /** Such as `/threads/{id}`. */
  path: string;
  functionId: string;
  /** Whether the integration uses Lambda's response streaming. */
  streams: boolean;
  /** The gateway's timeout for the function's response. */
  timeoutMilliseconds: number;
}

/** A method that the gateway answers without a function, such as a preflight request of CORS. */
export interface MockTemplate {
  method: string;
  path: string;
  statusCode: number;
  headers: Record<string, string>;
  /** Sent as JSON; undefined for none. */
  body: string | undefined;
  /** Those that it accepts; a request with another one is a 415. */
  contentTypes: string[];
}

/** A response of the gateway itself; `body` is a mapping template, and headers are values or parts of the context. */
interface GatewayResponseTemplate {
  statusCode?: number;
  headers: Record<string, string>;
  body: string;
}

/** A table in the format of `CreateTable`, and its TTL attribute. */
export interface TableTemplate {
  definition: Record<string, unknown> & { TableName: string };
  ttlAttribute?: string;
}

interface ScheduleTemplate {
  functionId: string;
  /** One for each invocation; undefined for EventBridge's own event. */
  inputs: unknown[];
  /** Such as `cron(0/10 * * * ? *)`. */
  expression: string;
}

/** A function that is run by changes of a table. */
interface StreamReader {
  functionId: string;
  /** The table's name. */
  table: string;
}

/** API Gateway's default ("Amazon API Gateway quotas"). */
const DEFAULT_TIMEOUT_MILLISECONDS = 29_000;

/**
 * Reads the stacks of a cloud assembly. References to resources become their logical ids, which serve as names here.
 *
 * @param assembly the folder that `cdk synth` wrote
 * @param change is applied to each template's text
 * @throws Error if the template contains something relevant that the local service does not support
 */
export function readTemplate(assembly: string, change?: (text: string) => string): ServiceTemplate {
  const resources = readResources(assembly, change);
  const ofType = (type: string): [id: string, resource: Resource, properties: Properties][] =>
    Object.entries(resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([id, resource]) => [id, resource, required(id, resource)]);

  return {
    stageName: ofType("AWS::ApiGateway::Stage")[0]?.[2].StageName,
    functions: new Map(
      ofType("AWS::Lambda::Function").map(([id, { Metadata }, properties]) => [
        id,
        {
          name: id,
          codePath: resolve(assembly, Metadata?.["aws:asset:path"]),
          handler: properties.Handler,
          timeoutSeconds: properties.Timeout,
          memoryMegabytes: properties.MemorySize,
          reservedConcurrency: properties.ReservedConcurrentExecutions,
          logFormat: properties.LoggingConfig?.LogFormat ?? "Text",
          environment: Object.fromEntries(
            Object.entries(properties.Environment?.Variables ?? {}).map(([key, value]) => [key, logicalId(value)]),
          ),
        },
      ]),
    ),
    routes: ofType("AWS::ApiGateway::Method")
      .filter(([, , { Integration }]) => Integration.Type !== "MOCK")
      .map(([, , { HttpMethod, ResourceId, Integration }]) => ({
        method: HttpMethod,
        path: pathOf(ResourceId, resources),
        functionId: referencedFunction(Integration.Uri, resources),
        streams: Integration.ResponseTransferMode === "STREAM",
        timeoutMilliseconds: Integration.TimeoutInMillis ?? DEFAULT_TIMEOUT_MILLISECONDS,
      })),
    mocks: ofType("AWS::ApiGateway::Method")
      .filter(([, , { Integration }]) => Integration.Type === "MOCK")
      .map(([, , { HttpMethod, ResourceId, Integration }]) => ({
        method: HttpMethod,
        path: pathOf(ResourceId, resources),
        statusCode: Number(Integration.IntegrationResponses[0].StatusCode),
        headers: unquoted(Integration.IntegrationResponses[0].ResponseParameters, "method.response.header."),
        body: Integration.IntegrationResponses[0].ResponseTemplates?.["application/json"],
        contentTypes: Object.keys(Integration.RequestTemplates),
      })),
    gatewayResponses: new Map(
      ofType("AWS::ApiGateway::GatewayResponse").map(([, , properties]) => [
        properties.ResponseType,
        gatewayResponse(properties),
      ]),
    ),
    tables: ofType("AWS::DynamoDB::Table").map(([id, , properties]) => {
      const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode } = properties;
      return {
        definition: { TableName: id, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode },
        ttlAttribute: properties.TimeToLiveSpecification?.AttributeName,
      };
    }),
    schedules: ofType("AWS::Events::Rule")
      .filter(([, , { EventPattern }]) => EventPattern === undefined) // those are for events that are not sent here
      .flatMap(([, , { ScheduleExpression, Targets }]) => {
        const byFunction = Map.groupBy(Targets as Properties[], ({ Arn }) => invokedFunction(Arn, resources));
        return [...byFunction].map(([functionId, targets]) => ({
          functionId,
          inputs: targets.map(({ Input }) => Input && JSON.parse(Input)),
          expression: ScheduleExpression,
        }));
      }),
    streamReaders: ofType("AWS::Pipes::Pipe").map(([, , { Source, Target }]) => ({
      functionId: invokedFunction(Target, resources),
      table: logicalId(Source),
    })),
  };
}

/** The properties that the local service needs from each resource type. */
const REQUIRED = new Map([
  ["AWS::Lambda::Function", ["Handler", "Timeout", "MemorySize"]],
  ["AWS::ApiGateway::Method", ["HttpMethod", "ResourceId", "Integration"]],
  ["AWS::ApiGateway::GatewayResponse", ["ResponseType", "ResponseTemplates"]],
  ["AWS::Events::Rule", ["ScheduleExpression", "Targets"]],
  ["AWS::Pipes::Pipe", ["Source", "Target"]],
]);

function required(id: string, { Type, Properties = {}, Metadata }: Resource): Properties {
  const names = Properties.EventPattern === undefined ? REQUIRED.get(Type) : [];
  const missing = names?.find((name) => Properties[name] === undefined);
  if (missing) {
    throw new Error(`The local service cannot run ${id} of the template: it has no ${missing}.`);
  }
  if (Type === "AWS::Lambda::Function" && !Metadata?.["aws:asset:path"]) {
    throw new Error(`The local service cannot run ${id} of the template: its code is no asset.`);
  }
  return Properties;
}

function gatewayResponse({ StatusCode, ResponseParameters, ResponseTemplates }: Properties): GatewayResponseTemplate {
  return {
    ...(StatusCode && { statusCode: Number(StatusCode) }),
    headers: unquoted(ResponseParameters, "gatewayresponse.header."),
    body: ResponseTemplates["application/json"],
  };
}

/** Header parameters by header name. A static value is quoted, unlike the name of a variable. */
function unquoted(parameters: Record<string, string> | undefined, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters ?? {}).map(([name, value]) => [
      name.slice(prefix.length),
      value.replace(/^'(.*)'$/, "$1"),
    ]),
  );
}

/** A literal, or the logical id of the resource a `Ref` or `Fn::GetAtt` points to. */
function logicalId(value: unknown): string {
  if (typeof value === "string") {
    return value;
  }
  const { Ref, "Fn::GetAtt": getAtt } = value as { Ref?: string; "Fn::GetAtt"?: [string, string] };
  const id = Ref ?? getAtt?.[0];
  if (!id) {
    throw new Error(`The local service cannot resolve ${JSON.stringify(value)} of the template.`);
  }
  return id;
}

/** The full path of an API resource, composed from its parents' paths. */
function pathOf(resourceId: unknown, resources: Record<string, Resource>): string {
  const resource = resources[logicalId(resourceId)];
  if (resource?.Type !== "AWS::ApiGateway::Resource") {
    return "";
  }
  return `${pathOf(resource.Properties?.ParentId, resources)}/${resource.Properties?.PathPart}`;
}

/** The function whose ARN, or whose alias's ARN, an integration's URI contains. */
function referencedFunction(uri: Properties | undefined, resources: Record<string, Resource>): string {
  const parts: unknown[] = uri?.["Fn::Join"]?.[1] ?? [];
  const references = parts.filter((part) => typeof part !== "string").map(logicalId);
  const found = references.map((id) => functionOf(id, resources)).find((id) => id !== undefined);
  if (!found) {
    throw new Error(`The local service knows no integration but a Lambda function: ${JSON.stringify(uri)}.`);
  }
  return found;
}

/** The function that a rule or a stream invokes, directly or through its alias. */
function invokedFunction(arn: Properties, resources: Record<string, Resource>): string {
  const found = functionOf(logicalId(arn), resources);
  if (!found) {
    throw new Error(
      `The local service knows no target of a schedule or a stream but a Lambda function: ${JSON.stringify(arn)}.`,
    );
  }
  return found;
}

/** A function, or the one that an alias refers to; versions do not exist here. */
function functionOf(id: string, resources: Record<string, Resource>): string | undefined {
  const { Type, Properties } = resources[id] ?? {};
  if (Type === "AWS::Lambda::Alias") {
    return logicalId(Properties?.FunctionName);
  }
  return Type === "AWS::Lambda::Function" ? id : undefined;
}
