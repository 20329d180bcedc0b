import { request as requestPlain } from "node:http";
import { request as requestSecurely } from "node:https";
import { parseRetryAfter } from "../retry-after.ts";
import { lookupAllowed, parseDestination, RefusedDestination } from "./destination.ts";
import { signedHeaders } from "./signature.ts";
import { RECEIVER_MILLISECONDS, type SendFailure } from "./webhook.ts";

/** How much of an answer is read. Only its status counts; what is left unread would be a reset for the receiver. */
const ANSWER_BYTES = 1_024;

/** The result of sending a message. */
export interface Sent {
  /** The status of the receiver's answer; undefined without one. */
  status?: number | undefined;
  /** Why it was not accepted, for the webhook's owner; undefined if it was. */
  failure?: SendFailure | undefined;
  /** How many milliseconds the receiver asks not to be sent anything; undefined if it does not. */
  pause?: number | undefined;
}

export interface WebhookMessage {
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
  { id, body }: WebhookMessage,
  milliseconds = RECEIVER_MILLISECONDS,
): Promise<Sent> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    const answer = await post(url, signedHeaders(secrets, id, body, Date.now()), body, signal);
    return { status: answer.status, failure: failureOf(answer.status), pause: pauseOf(answer) };
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

/** The statuses with which `Retry-After` asks for a pause (RFC 9110, section 15.6.4, and RFC 6585, section 4). */
const PAUSING = [429, 503];

function pauseOf({ status, retryAfter }: Answer): number | undefined {
  return PAUSING.includes(status) ? parseRetryAfter(retryAfter, Date.now()) : undefined;
}

/** What counts of an answer. */
interface Answer {
  status: number;
  retryAfter: string | undefined;
}

/** Uses `node:https`, because `fetch` does not let the caller look up the address. */
function post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<Answer> {
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
      const finish = () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] });
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
