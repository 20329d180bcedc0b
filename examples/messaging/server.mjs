/** Answers patients on SMS and WhatsApp. README.md says how to run it. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text as bodyOf } from "node:stream/consumers";
import { ApiError, HealthAssistantClient } from "conversational-health-assistant-service/client";
import { providers } from "./providers.mjs";
import { split } from "./split.mjs";

const {
  BASE_URL = "http://127.0.0.1:3000/v1",
  API_KEY = "local-dev-key",
  PORT = "8090",
  STATE = "messaging.log",
} = process.env;
const client = new HealthAssistantClient({ baseUrl: BASE_URL, apiKey: API_KEY });

const TEXTS = {
  stopped: "You will get no more messages. Write START to begin again.",
  unreadable:
    "I can only read text, so please write it down. If this may be an emergency, call your emergency number now.",
  failed: "Your message could not be answered. Please write again in a minute.",
};

/** What has to survive a restart, one line each: `sent <id>`, `stop <phone>`, `start <phone>`. */
const done = new Set(existsSync(STATE) ? readFileSync(STATE, "utf8").split("\n").filter(Boolean) : []);
function note(line) {
  done.add(line);
  appendFileSync(STATE, `${line}\n`);
}
const stopped = new Map(
  [...done]
    .map((line) => line.split(" "))
    .filter(([kind]) => kind !== "sent")
    .map(([kind, phone]) => [phone, kind === "stop"]),
);
function setStopped(phone, isStopped) {
  stopped.set(phone, isStopped);
  appendFileSync(STATE, `${isStopped ? "stop" : "start"} ${phone}\n`);
}

async function patientOf(phone) {
  const { patients } = await client.searchPatients({ phone_number: phone });
  const created = () =>
    client.createPatient({ phone_number: phone }).then(
      ({ patient }) => patient,
      (error) => error.patient ?? Promise.reject(error),
    );
  return (patients[0] ?? (await created())).id;
}

/** Returns the open thread of a patient, or a new one: a thread ends after 30 minutes. */
async function threadOf(patientId) {
  const { threads } = await client.listPatientThreads(patientId, { limit: 1 });
  return threads[0]?.threadId ?? (await client.createThread({ patientId })).threadId;
}

async function answer({ phone, text, id }) {
  if (text.trim() === "") {
    return TEXTS.unreadable;
  }
  try {
    const threadId = await threadOf(await patientOf(phone));
    // The provider's ID: a webhook that is delivered twice gets the same answer.
    const { response, parts } = await client.chat(
      { threadId, message: text, include: ["parts"] },
      { idempotencyKey: id },
    );
    return {
      response,
      followed: parts.some(({ kind }) => kind === "held" || kind === "handoff") ? threadId : undefined,
    };
  } catch (error) {
    if (
      error instanceof ApiError &&
      (error.help || (error.status >= 400 && error.status < 500 && error.status !== 429))
    ) {
      return error.help ? `${TEXTS.failed} ${error.help.text}` : TEXTS.failed;
    }
    throw error; // the provider delivers the message again
  }
}

/** Sends what a person of the care team writes, until the thread is given back or ends. */
async function follow(threadId, say) {
  for (let isOpen = true; isOpen; await new Promise((resolve) => setTimeout(resolve, 2_000).unref())) {
    const { messages } = await client.listMessages(threadId);
    for (const { id, content } of messages
      .filter(({ role, id }) => role === "person" && !done.has(`sent ${id}`))
      .reverse()) {
      await say(content);
      note(`sent ${id}`);
    }
    const { hold, request } = await client.getHandoff(threadId);
    isOpen = hold !== null || request !== null;
  }
}

const following = new Set();

async function handle(provider, message) {
  const say = async (text) => {
    for (const part of split(text, provider.longest)) {
      await provider.send(message, part);
    }
  };
  const command = message.text.trim().toUpperCase();
  if (done.has(`sent ${message.id}`) || (stopped.get(message.phone) && command !== "START")) {
    return;
  }
  if (command === "STOP" || command === "START") {
    setStopped(message.phone, command === "STOP");
  }
  const result = command === "STOP" ? TEXTS.stopped : await answer(message);
  await say(result.response ?? result);
  note(`sent ${message.id}`);
  if (result.followed && !following.has(result.followed)) {
    following.add(result.followed);
    follow(result.followed, say)
      .catch(() => {})
      .finally(() => following.delete(result.followed));
  }
}

/** The messages of a phone number are answered one after the other. */
const queues = new Map();
function inOrder(phone, task) {
  const next = (queues.get(phone) ?? Promise.resolve()).catch(() => {}).then(task);
  queues.set(phone, next);
  return next.finally(() => queues.get(phone) === next && queues.delete(phone));
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const provider = providers[pathname];
  if (request.method === "GET" && searchParams.get("hub.verify_token") === (process.env.META_VERIFY_TOKEN ?? NaN)) {
    response.end(searchParams.get("hub.challenge"));
    return;
  }
  const body = await bodyOf(request);
  if (!provider?.isGenuine(body, request.headers)) {
    response.writeHead(403).end();
    return;
  }
  try {
    await Promise.all(
      provider.messagesIn(body).map((message) => inOrder(message.phone, () => handle(provider, message))),
    );
    response.end(); // only now: if this process ends before, the provider delivers the message again
  } catch (error) {
    process.stderr.write(`${error.message}\n`); // never the message of the user
    response.writeHead(500).end();
  }
});
server.listen(Number(PORT), "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
