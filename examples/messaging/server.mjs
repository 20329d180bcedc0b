/** Answers patients on SMS and WhatsApp. README.md says how to run it. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text as bodyOf } from "node:stream/consumers";
import { HealthAssistantClient } from "conversational-health-assistant-service/client";
import { MessageRelay, split } from "conversational-health-assistant-service/client/messaging";
import { providers } from "./providers.mjs";

const { env } = process;
const { BASE_URL = "http://127.0.0.1:3000/v1", API_KEY = "local-dev-key", STATE = "messaging.log" } = env;

const relay = new MessageRelay({
  client: new HealthAssistantClient({ baseUrl: BASE_URL, apiKey: API_KEY }),
  notes: notesIn(STATE),
  async send(message, text) {
    const provider = providers[message.path];
    for (const part of split(text, provider.longest)) {
      await provider.send(message, part);
    }
  },
});

/** A map that a file keeps: one line for each change. */
function notesIn(file) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const isWhole = (line) => line.endsWith("]"); // not one that a crash has cut
  const notes = new Map(lines.filter(isWhole).map((line) => JSON.parse(line)));
  return {
    get: (key) => notes.get(key),
    entries: () => notes.entries(),
    set(key, value) {
      notes.set(key, value);
      appendFileSync(file, `\n${JSON.stringify([key, value])}`);
    },
  };
}

async function handle(request, response) {
  const { pathname: path, searchParams } = new URL(`http://localhost${request.url}`);
  if (request.method === "GET" && searchParams.get("hub.verify_token") === (env.META_VERIFY_TOKEN ?? Number.NaN)) {
    response.end(searchParams.get("hub.challenge"));
    return;
  }
  const body = await bodyOf(request);
  if (!providers[path]?.isGenuine(body, request.headers)) {
    response.writeHead(403).end();
    return;
  }
  await Promise.all(providers[path].messagesIn(body).map((message) => relay.receive({ ...message, path })));
  response.end(); // only now: if this process ends before, the provider delivers the message again
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    process.stderr.write(`${error.message}\n`); // never the message of the user
    response.writeHead(500).end();
  });
});
server.listen(Number(env.PORT ?? 8090), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
  relay.resume();
});
