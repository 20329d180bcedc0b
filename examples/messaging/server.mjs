/** Answers patients on SMS and WhatsApp. README.md says how to run it. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text as bodyOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, HealthAssistantClient } from "conversational-health-assistant-service/client";
import { providers } from "./providers.mjs";
import { split } from "./split.mjs";

const { env } = process;
const { BASE_URL = "http://127.0.0.1:3000/v1", API_KEY = "local-dev-key", STATE = "messaging.log" } = env;
const client = new HealthAssistantClient({ baseUrl: BASE_URL, apiKey: API_KEY });

const STOPPED = "You will get no more messages. Write START to begin again.";
const UNREADABLE =
  "I can only read text, so please write it down. If this may be an emergency, call your emergency number now.";
const FAILED = "Your message could not be answered. Please write again in a minute.";

/** What survives a restart: the messages that were sent, who wrote STOP, and where a person may write. */
const lines = existsSync(STATE) ? readFileSync(STATE, "utf8").split("\n") : [];
const isWhole = (line) => line.endsWith("]"); // not one that a crash has cut
const state = new Map(lines.filter(isWhole).map((line) => JSON.parse(line)));
function remember(key, value) {
  state.set(key, value);
  appendFileSync(STATE, `\n${JSON.stringify([key, value])}`);
}

/** Returns the open thread of the patient with a phone number, or a new one: a thread ends after 30 minutes. */
async function threadOf(phone) {
  const found = await client.searchPatients({ phone_number: phone });
  const taken = (error) => (error.patient ? error : Promise.reject(error)); // by two messages at once
  const [patient = (await client.createPatient({ phone_number: phone }).catch(taken)).patient] = found.patients;
  const { threads } = await client.listPatientThreads(patient.id, { limit: 1 });
  return threads[0]?.threadId ?? (await client.createThread({ patientId: patient.id })).threadId;
}

/** @returns the answer to a message, and the thread if a person may write in it */
async function answer({ phone, text, id }) {
  if (text.trim() === "") {
    return { response: UNREADABLE };
  }
  try {
    const threadId = await threadOf(phone);
    // The provider's ID: a webhook that is delivered twice gets the same answer.
    const options = { idempotencyKey: id };
    const { response, parts } = await client.chat({ threadId, message: text, include: ["parts"] }, options);
    return { response, threadId: parts.some(({ kind }) => kind === "held" || kind === "handoff") && threadId };
  } catch (error) {
    const { status = 0, help } = error instanceof ApiError ? error : {};
    const isFinal = help || (status >= 400 && status < 500 && status !== 429);
    return isFinal ? { response: help ? `${FAILED} ${help.text}` : FAILED } : Promise.reject(error); // to get it again
  }
}

async function send(message, text) {
  const provider = providers[message.path];
  for (const part of split(text, provider.longest)) {
    await provider.send(message, part);
  }
}

/** Sends what a person of the care team has written. @returns whether more may follow */
async function passOn(threadId, message) {
  const { messages } = await client.listMessages(threadId);
  const isNew = ({ role, id }) => role === "person" && !state.has(`sent ${id}`);
  for (const { id, content } of messages.filter(isNew).reverse()) {
    if (state.get(`stopped ${message.phone}`)) {
      return false; // it is sent once the user has written START
    }
    await send(message, content);
    remember(`sent ${id}`, true);
  }
  const { hold, request } = await client.getHandoff(threadId);
  return hold !== null || request !== null;
}

/** Passes on what a person writes until the thread is given back or ends, also after a restart. */
async function follow(threadId, message) {
  remember(`follow ${threadId}`, message);
  while (await passOn(threadId, message).catch(({ status }) => status !== 404)) {
    await sleep(2_000, undefined, { ref: false });
  }
  remember(`follow ${threadId}`, null);
}

async function handle(message) {
  const { phone, id } = message;
  const command = message.text.trim().toUpperCase();
  if (state.has(`sent ${id}`) || (state.get(`stopped ${phone}`) && command !== "START")) {
    return;
  }
  if (command === "STOP" || command === "START") {
    remember(`stopped ${phone}`, command === "STOP");
  }
  const { response, threadId } = command === "STOP" ? { response: STOPPED } : await answer(message);
  await send(message, response);
  remember(`sent ${id}`, true);
  if (threadId && !state.get(`follow ${threadId}`)) {
    follow(threadId, { ...message, text: "" });
  }
}

/** The messages of a phone number are answered one after the other. */
const queues = new Map();
function inOrder(message) {
  const next = (queues.get(message.phone) ?? Promise.resolve()).catch(() => {}).then(() => handle(message));
  queues.set(message.phone, next);
  return next.finally(() => queues.get(message.phone) === next && queues.delete(message.phone));
}

const server = createServer(async (request, response) => {
  const { pathname: path, searchParams } = new URL(request.url, "http://localhost");
  if (request.method === "GET" && searchParams.get("hub.verify_token") === (env.META_VERIFY_TOKEN ?? Number.NaN)) {
    response.end(searchParams.get("hub.challenge"));
    return;
  }
  const body = await bodyOf(request);
  if (!providers[path]?.isGenuine(body, request.headers)) {
    response.writeHead(403).end();
    return;
  }
  try {
    await Promise.all(providers[path].messagesIn(body).map((message) => inOrder({ ...message, path })));
    response.end(); // only now: if this process ends before, the provider delivers the message again
  } catch (error) {
    process.stderr.write(`${error.message}\n`); // never the message of the user
    response.writeHead(500).end();
  }
});
server.listen(Number(env.PORT ?? 8090), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
for (const [key, message] of [...state].filter(([key, message]) => key.startsWith("follow ") && message)) {
  follow(key.slice("follow ".length), message);
}
