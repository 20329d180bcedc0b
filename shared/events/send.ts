import { request as requestPlain } from "node:http";
import { request as requestSecurely } from "node:https";
import { lookupAllowed, parseDestination, RefusedDestination } from "./destination.ts";
import { signedHeaders } from "./signature.ts";
import { RECEIVER_MILLISECONDS, type SendFailure } from "./webhook.ts";

/** How much of an answer is read. Only its status counts; what is left unread would be a reset for the receiver. */
const ANSWER_BYTES = 1_024;

/** What came of sending a message. */
export interface Sent {
  /** The status of the receiver's answer; undefined without one. */
  status?: number | undefined;
  /** Why it was not accepted, for the webhook's owner; undefined if it was. */
  failure?: SendFailure | undefined;
}

export interface Message {
  id: string;
  body: string;
}

/**
 * Sends a signed message to a webhook, once. A redirect is not followed (Standard Webhooks, "Server side request
 * forgery"). Never throws.
 *
 * @param secrets each of which signs it
 * @param milliseconds the time limit, including the answer
 */
export async function send(
  url: string,
  secrets: string[],
  { id, body }: Message,
  milliseconds = RECEIVER_MILLISECONDS,
): Promise<Sent> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    const status = await post(url, signedHeaders(secrets, id, body, Date.now()), body, signal);
    return { status, failure: failureOf(status) };
  } catch (error) {
    if (signal.aborted) {
      return { failure: "timeout" };
    }
    return { failure: error instanceof RefusedDestination ? "address" : "connection" };
  }
}

function failureOf(status: number): SendFailure | undefined {
  if (status >= 200 && status < 300) {
    return undefined;
  }
  if (status === 410) {
    return "gone";
  }
  return status >= 300 && status < 400 ? "redirect" : "status";
}

/** Uses `node:https`, because `fetch` does not let the caller look up the address. */
function post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<number> {
  const destination = parseDestination(url);
  const open = destination.protocol === "https:" ? requestSecurely : requestPlain;
  return new Promise((resolve, reject) => {
    const request = open(destination, {
      method: "POST",
      agent: false, // a connection that is kept open would be frozen together with the function
      lookup: lookupAllowed,
      signal,
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "health-assistant-webhooks",
      },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const finish = () => resolve(response.statusCode ?? 0);
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES) {
          response.destroy();
        }
      });
      response.on("error", finish).on("close", finish); // whatever happens to the body, the status is known
    });
    request.end(body);
  });
}
