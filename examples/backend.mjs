/**
 * A clinic's backend in one file, with the typed client. Its app posts {"phone", "message"} to /ask, as its signed-in
 * user, and shows the answer as it arrives; the API key never leaves this process.
 *
 *   npm start                       in one shell
 *   node examples/backend.mjs       in another
 *   curl -N http://127.0.0.1:8080/ask -d '{"phone": "555 123 4567", "message": "Can I take ibuprofen?"}'
 *
 * In a project of your own: install health-assistant-client (packages/client/README.md), and import from that.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { ApiError, HealthAssistantClient } from "conversational-health-assistant-service/client";

const { BASE_URL = "http://127.0.0.1:3000/v1", API_KEY = "local-dev-key", PORT = "8080" } = process.env;
const client = new HealthAssistantClient({ baseUrl: BASE_URL, apiKey: API_KEY });

/** The open thread of each phone number. */
const threads = new Map();

/** @returns the thread of a phone number; a new one is linked to the patient with that number, if there is one */
async function threadOf(phone) {
  if (!threads.has(phone)) {
    threads.set(phone, (await client.createThread({ phone, metadata: { source: "example" } })).threadId);
  }
  return threads.get(phone);
}

/** Streams the answer. A thread that has expired is replaced by a new one, once. */
async function* answer(phone, message) {
  const idempotencyKey = randomUUID();
  for (const isLastAttempt of [false, true]) {
    try {
      yield* client.streamChat({ threadId: await threadOf(phone), message }, { idempotencyKey });
      return;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404) || isLastAttempt) {
        throw error;
      }
      threads.delete(phone);
    }
  }
}

/**
 * By the status of the service's response, 0 without one: the status for the app, what its user reads, and for the log,
 * who has to do what.
 */
const FAILURES = {
  0: [
    503,
    "The assistant cannot be reached. Please try again later.",
    `start the service at ${BASE_URL}, or correct BASE_URL`,
  ],
  400: [400, "This cannot be sent. Please correct it", "the user has to correct the message or the phone number"],
  401: [
    502,
    "The assistant is not set up correctly. Trying again does not help.",
    "set API_KEY to a key of the service",
  ],
  429: [
    503,
    "The assistant is busy. Please try again in a minute.",
    "if this happens often, ask the service's operator for more",
  ],
};
const OTHER_FAILURE = [
  502,
  "The assistant cannot answer. Please try again later.",
  "give the service's operator the request ID",
];

function fail(response, error) {
  const [status, text, toDo] = FAILURES[error.status] ?? OTHER_FAILURE;
  const details = (error.details ?? []).map(({ path, message }) => `${path} ${message}`).join("; ");
  process.stderr.write(`${error.message}: ${toDo} ${error.requestId ?? ""}\n`); // never the message of the user
  const help = error.help ? `${error.help.text}\n` : ""; // whom to call: the message may have been about a danger
  if (response.headersSent) {
    // Closing the connection tells the app that the answer is incomplete.
    response.write(`\n${help}`, () => response.destroy());
  } else {
    response.writeHead(status).end(`${text}${details && `: ${details}`}\n${help}`);
  }
}

const server = createServer(async (request, response) => {
  const { phone, message } = (await json(request).catch(() => undefined)) ?? {};
  if (typeof phone !== "string" || typeof message !== "string") {
    response.writeHead(400).end('The app has to send {"phone": "...", "message": "..."} as JSON.\n');
    return;
  }
  try {
    for await (const event of answer(phone, message)) {
      if (event.event === "delta") {
        response.write(event.text);
      }
    }
    response.end("\n");
  } catch (error) {
    fail(response, error);
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/ask\n`);
});
