import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../local/loopback.ts";

/**
 * Answers that CloudFormation gives, the CDK needs, and moto lacks ("ChangeSetNotFound", "DeleteChangeSet" and
 * "UpdateTerminationProtection" of the API reference). All others are moto's.
 *
 * @param answer moto's
 */
function supplemented(action: string | undefined, answer: { status: number; body: string }) {
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

/** Starts a server that forwards every request to moto and supplements its answers. */
export async function startSupplement(moto: string): Promise<{ endpoint: string; calls: string[]; stop(): void }> {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const action = /(?:^|&)Action=(\w+)/.exec(body)?.[1];
    calls.push(...(action ? [action] : []));
    const { connection: _, "content-length": __, "transfer-encoding": ___, expect: ____, ...headers } = request.headers;
    const { method = "GET", url } = request;
    const sent = { method, headers: headers as Record<string, string>, ...(body && { body }) };
    const answer = await fetch(`${moto}${url}`, sent);
    const given = supplemented(action, { status: answer.status, body: await answer.text() });
    response.writeHead(given.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(given.body);
  });
  const { origin, stop } = await listenOnLoopback(server);
  return {
    endpoint: origin,
    calls,
    stop,
  };
}
