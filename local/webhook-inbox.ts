import type { IncomingMessage, RequestListener } from "node:http";
import { json, text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { isFromBrowser, isOwnMachine, isOwnPage } from "../packages/lambda-local/own-page.ts";
import type { Delivery } from "../web/playground/delivery.ts";

const INBOX = "/webhook-inbox";

/** Older messages are forgotten. */
const KEPT = 50;

/** Far more than an event has. */
const MAX_BODY_BYTES = 64 * 1024;

/** What is shown of a message besides its body. */
const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/** The webhook whose messages are verified. */
interface Registered {
  webhookId: string;
  verifier: Webhook;
}

/**
 * Receives webhooks at `/webhook-inbox`, and keeps the last messages in memory for the playground. Only programs of
 * this machine can send to it, and only its own pages can register a webhook, read and empty it:
 *
 * - `POST` receives a message: 204 if it is signed, otherwise 400; 503, after which the service tries again, without a
 *   webhook
 * - `PUT` with `{webhookId, secret}` registers the webhook, and forgets all messages
 * - `GET` returns the messages and the webhook's ID
 * - `DELETE` forgets the messages; with `?webhook`, also the webhook
 *
 * @param next receives all other requests
 */
export function withWebhookInbox(next: RequestListener): RequestListener {
  let registered: Registered | undefined;
  let deliveries: Delivery[] = [];
  let number = 0;

  const receive = async (request: IncomingMessage): Promise<number> => {
    if (!(Number(request.headers["content-length"]) <= MAX_BODY_BYTES)) {
      return 413;
    }
    const body = await text(request);
    if (!registered) {
      return 503;
    }
    const headers = Object.fromEntries(HEADERS.map((name) => [name, String(request.headers[name] ?? "")]));
    const valid = isSigned(registered.verifier, body, headers);
    const delivery = { number: ++number, receivedAt: new Date().toISOString(), headers, body, valid };
    deliveries = [delivery, ...deliveries].slice(0, KEPT);
    return valid ? 204 : 400;
  };

  const answer = async (request: IncomingMessage): Promise<{ status: number; body?: object }> => {
    switch (request.method) {
      case "GET":
        return { status: 200, body: { webhookId: registered?.webhookId, deliveries } };
      case "PUT": {
        const { webhookId, secret } = (await json(request)) as { webhookId: string; secret: string };
        registered = { webhookId, verifier: new Webhook(secret) };
        deliveries = [];
        return { status: 204 };
      }
      case "DELETE":
        registered = request.url === INBOX ? registered : undefined;
        deliveries = [];
        return { status: 204 };
      default:
        return { status: 405 };
    }
  };

  return async (request, response) => {
    // A page of any site could send to this machine; its messages are not shown.
    const isReceived = request.method === "POST" && isOwnMachine(request) && !isFromBrowser(request);
    if (request.url?.split("?")[0] !== INBOX || !(isReceived || isOwnPage(request))) {
      return next(request, response);
    }
    try {
      const { status, body } = isReceived ? { status: await receive(request) } : await answer(request);
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(body && JSON.stringify(body));
    } catch {
      response.writeHead(400).end(); // not what a page of this service sends
    }
  };
}

function isSigned(verifier: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
