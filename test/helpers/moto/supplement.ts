import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { listenOnLoopback } from "../../../local/loopback.ts";

/** What moto, or this supplement of it, answers. */
interface Answer {
  status: number;
  body: string;
}

/**
 * Answers that CloudFormation gives, the CDK needs, and moto lacks ("ChangeSetNotFound", "DeleteChangeSet" and
 * "UpdateTerminationProtection" of the API reference). All others are moto's.
 *
 * @param answer moto's
 */
function supplemented(action: string | null, answer: Answer): Answer {
  if (action === "DescribeChangeSet" && /does not exist/.test(answer.body)) {
    const error =
      "<Error><Type>Sender</Type><Code>ChangeSetNotFound</Code><Message>It does not exist</Message></Error>";
    return { status: 404, body: `<ErrorResponse>${error}</ErrorResponse>` };
  }
  if ((action === "DeleteChangeSet" || action === "UpdateTerminationProtection") && answer.status === 500) {
    return { status: 200, body: `<${action}Response><${action}Result/></${action}Response>` };
  }
  return answer;
}

/** Signs nothing, since moto only reads from this header which service in which region is called. */
const authorizationFor = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=rehearsal/20260101/us-east-1/${service}/aws4_request`;

/** Calls moto's CloudFormation. */
async function callCloudFormation(moto: string, parameters: Record<string, string>): Promise<string> {
  const headers = { authorization: authorizationFor("cloudformation") };
  const body = new URLSearchParams({ Version: "2010-05-15", ...parameters });
  return (await fetch(moto, { method: "POST", headers, body })).text();
}

/**
 * The outputs of a stack. moto computes them when a stack is updated, but not when a change set is executed, so the
 * stack is updated with a template that only has one more line break.
 */
async function outputsOf(moto: string, StackName: string): Promise<Map<string, string>> {
  const template = /<TemplateBody>(.*)<\/TemplateBody>/s.exec(
    await callCloudFormation(moto, { Action: "GetTemplate", StackName }),
  );
  const body = JSON.stringify(parse((template?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&")));
  const TemplateBody = `${body}${"\n".repeat(++updates)}`;
  await callCloudFormation(moto, { Action: "UpdateStack", StackName, TemplateBody });
  const described = await callCloudFormation(moto, { Action: "DescribeStacks", StackName });
  const outputs = described.matchAll(/<OutputKey>([^<]*)<\/OutputKey>\s*<OutputValue>([^<]*)<\/OutputValue>/g);
  return new Map([...outputs].map(([, key = "", value = ""]) => [key, value]));
}

let updates = 0;

/**
 * CloudFormation's `Fn::GetStackOutput`, which moto does not know: the values replace the references in the template.
 */
async function resolveOutputs(moto: string, form: URLSearchParams): Promise<void> {
  const template = form.get("TemplateBody");
  const [, stack] = /GetStackOutput:?\s*[{"]*\s*"?StackName"?: "?([\w-]+)/.exec(template ?? "") ?? [];
  if (template && stack) {
    const outputs = await outputsOf(moto, stack);
    const resolve = (_: string, value: { "Fn::GetStackOutput"?: { OutputName: string } } | null) =>
      value?.["Fn::GetStackOutput"] ? outputs.get(value["Fn::GetStackOutput"].OutputName) : value;
    form.set("TemplateBody", JSON.stringify(parse(template), resolve));
  }
}

/** An operation of AWS Backup, which moto lacks, on the backups that DynamoDB, which moto has, keeps itself. */
async function ofBackup(moto: string, method: string, path: string, body: string): Promise<Answer | undefined> {
  const dynamoDb = async (operation: string, input: object) => {
    const headers = { authorization: authorizationFor("dynamodb"), "x-amz-target": `DynamoDB_20120810.${operation}` };
    const response = await fetch(moto, { method: "POST", headers, body: JSON.stringify(input) });
    return { status: response.status, body: await response.text() };
  };
  if (method === "GET" && /\/recovery-points\/?$/.test(path)) {
    const { BackupSummaries } = JSON.parse((await dynamoDb("ListBackups", {})).body) as {
      BackupSummaries: { BackupArn: string; BackupCreationDateTime: number }[];
    };
    const RecoveryPoints = BackupSummaries.map(({ BackupArn, BackupCreationDateTime }) => ({
      RecoveryPointArn: BackupArn,
      CreationDate: BackupCreationDateTime,
      Status: "COMPLETED",
    }));
    return { status: 200, body: JSON.stringify({ RecoveryPoints }) };
  }
  if (method === "PUT" && path === "/restore-jobs") {
    const { RecoveryPointArn: BackupArn, Metadata } = JSON.parse(body);
    const restored = await dynamoDb("RestoreTableFromBackup", { BackupArn, TargetTableName: Metadata.targetTableName });
    return restored.status === 200 ? { status: 200, body: JSON.stringify({ RestoreJobId: "restored" }) } : restored;
  }
  return path === "/restore-jobs/restored" ? { status: 200, body: JSON.stringify({ Status: "COMPLETED" }) } : undefined;
}

/** Starts a server that forwards every request to moto and supplements its answers. */
export async function startSupplement(moto: string): Promise<{ endpoint: string; calls: string[]; stop(): void }> {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const received = await text(request);
    const { method = "GET", url = "/" } = request;
    const form = new URLSearchParams(received);
    const action = form.get("Action");
    if (action) {
      calls.push(action);
      await resolveOutputs(moto, form);
    }
    const body = action ? form.toString() : received;
    const { connection: _, "content-length": __, "transfer-encoding": ___, expect: ____, ...headers } = request.headers;
    const forward = async (): Promise<Answer> => {
      const sent = { method, headers: headers as Record<string, string>, ...(body && { body }) };
      const answer = await fetch(`${moto}${url}`, sent);
      response.setHeader("content-type", answer.headers.get("content-type") ?? "");
      return supplemented(action, { status: answer.status, body: await answer.text() });
    };
    const path = url.split("?")[0] ?? "";
    const given = (action ? undefined : await ofBackup(moto, method, path, body)) ?? (await forward());
    response.writeHead(given.status).end(given.body);
  });
  const { origin, stop } = await listenOnLoopback(server);
  return {
    endpoint: origin,
    calls,
    stop,
  };
}
