/**
 * A clinic's backend in one file, with the typed client. Its app posts {"phone", "message"} to /ask, as its signed-in user,
 * and shows the answer as it arrives; the API key never leaves this process.
 *
 *   npm start                       in one shell
 *   node examples/backend.mjs       in another
 *   curl -N http://127.0.0.1:8080/ask -d '{"phone": "555 123 4567", "message": "Can I take ibuprofen?"}'
 *
 * In a project of your own: install health-assistant-client (client/README.md), and import from that.
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

const server = createServer(async (request, response) => {
  try {
    const { phone, message } = await json(request);
    for await (const event of answer(phone, message)) {
      if (event.event === "delta") {
        response.write(event.text);
      }
    }
    response.end("\n");
  } catch (error) {
    const status = error instanceof ApiError && error.status === 400 ? 400 : 502;
    process.stderr.write(`${error.message} ${error.requestId ?? ""}\n`); // never the message of the user
    // After the first words, the status is sent; closing the connection tells the app that the answer is incomplete.
    response.headersSent ? response.destroy() : response.writeHead(status).end("Please try again later.\n");
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/ask\n`);
});
