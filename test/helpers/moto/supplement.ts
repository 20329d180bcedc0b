import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import { Exports } from "./exports.ts";

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
    return { status: 404, body: errorResponse("ChangeSetNotFound", "It does not exist") };
  }
  if ((action === "DeleteChangeSet" || action === "UpdateTerminationProtection") && answer.status === 500) {
    return { status: 200, body: `<${action}Response><${action}Result/></${action}Response>` };
  }
  return answer;
}

function errorResponse(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
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
  if (method === "GET" && path === "/account-settings") {
    return { status: 200, body: JSON.stringify({ ResourceTypeManagementPreference: { DynamoDB: false } }) };
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
  const exports = new Exports((parameters) => callCloudFormation(moto, parameters));
  const server = createServer(async (request, response) => {
    const received = await text(request);
    const { method = "GET", url = "/" } = request;
    const form = new URLSearchParams(received);
    const action = form.get("Action");
    if (action) {
      calls.push(action);
    }
    const refused = action ? await exports.before(form) : undefined;
    if (refused !== undefined) {
      response.writeHead(400).end(errorResponse("ValidationError", refused));
      return;
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
