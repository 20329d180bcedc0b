/** `npm run demo`: plays a story against a local service, on the console. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, HealthAssistantClient } from "conversational-health-assistant-service/client";
import { cachedAssembly } from "../../local/cached-assembly.ts";
import { startOfflineModel } from "../../local/offline-model.ts";
import { startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { SetupError } from "../../packages/lambda-local/setup-error.ts";
import { readArguments } from "../../shared/command-line.ts";

const IDLE_SECONDS = 20;
const SWEEP_SECONDS = 2;

const USAGE = `Plays a story on the console: a patient, a thread, a streamed chat, an answer from the clinic's own
information, a caution, an emergency, and the thread's expiry.

  npm run demo

It starts its own service on a free port, with a database that is deleted afterwards and threads that expire after
${IDLE_SECONDS} seconds instead of 30 minutes. It takes less than a minute. The answers are scripted; with
OPENAI_API_KEY or OPENAI_BASE_URL, they come from a real model.
`;

readArguments(USAGE, { options: {} });
const isScripted = !process.env.OPENAI_API_KEY && !process.env.OPENAI_BASE_URL;
const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-demo-"));
const model = isScripted ? await startOfflineModel(40, "") : undefined;
try {
  await main();
} catch (error) {
  if (!(error instanceof SetupError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await model?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** @throws SetupError if something on this machine prevents it */
async function main(): Promise<void> {
  const settings = readSettings({
    ...process.env,
    ...(model && { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "none" }),
    PORT: "0",
    API_KEY: "key-of-the-demo",
    DATA_DIR: dataDir,
    DYNAMODB_ENDPOINT: "",
    THREAD_IDLE_SECONDS: String(IDLE_SECONDS),
    SWEEP_INTERVAL_SECONDS: String(SWEEP_SECONDS),
    SOURCES_CACHE_SECONDS: "0", // the next chat is about a source that was just stored
  });
  print("Starting the whole service on this machine …");
  const service = await startService(settings, await cachedAssembly(), { onRequest: () => {}, onLog: () => {} });
  print(isScripted ? "The answers in this demo are scripted. Everything else is real." : "A real model answers.");
  try {
    await play(new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: settings.apiKey }));
  } finally {
    await service.stop();
  }
}

async function play(client: HealthAssistantClient): Promise<void> {
  heading("1. A clinic registers a patient", "POST /patients");
  const { patient } = await client.createPatient({
    name: "Maria Example",
    phone_number: "(555) 123-4567",
    age: 34,
    gender: "female",
    conditions: ["asthma"],
    allergies: "penicillin",
  });
  print(`${patient.name}, phone ${patient.phone_number}, has asthma and is allergic to penicillin.`);

  heading("2. The patient opens the chat: a thread, linked by the phone number", "POST /threads");
  const { threadId, expiresAt } = await client.createThread({ phone: "+1 555.123.4567" });
  print(`Thread ${threadId} expires at ${expiresAt}, unless a message arrives first.`);

  heading("3. A question: the answer draws on the record, and is streamed", "POST /chat");
  await chat(client, threadId, "Which vitamins do I need in winter?");

  heading("4. A follow-up: the thread remembers what was said", "POST /chat");
  await chat(client, threadId, "Is it fine with my inhaler?");

  heading("5. The clinic's own information: the answer cites it", "PUT /sources/opening-hours");
  const source = { title: "Opening hours", text: "We are open on weekdays. On public holidays, the clinic is closed." };
  await client.putSource("opening-hours", source);
  await chat(client, threadId, "When are you open on public holidays?");

  heading("6. A caution: the question names a drug that is contraindicated by the record", "POST /chat");
  await chat(client, threadId, "I have a cough. Can I take my leftover amoxicillin?");

  heading("7. An emergency: the fixed text comes first, whatever the model does", "POST /chat");
  await chat(client, threadId, "I have crushing chest pain and my left arm is numb.");

  heading("8. The thread so far", `GET /threads/${threadId}`);
  const { thread } = await client.getThread(threadId);
  print(`${thread.messageCount} messages, last activity at ${thread.lastActivity}.`);

  heading(
    `9. ${IDLE_SECONDS} seconds without a message: the thread expires with everything in it`,
    `GET /threads/${threadId}`,
  );
  for (let left = IDLE_SECONDS + SWEEP_SECONDS; left > 0; left--) {
    process.stdout.write(`${left} `);
    await sleep(1000);
  }
  print("");
  print(await failureOf(client.getThread(threadId)));
  print(`The patient stays: ${(await client.getPatient(patient.id)).patient.name}.`);

  print(`
Now try it yourself:

  npm start              runs the service and prints the address of a playground
  npm run demo -- --help explains this demo`);
}

/** Sends a message, and prints the answer as it arrives and what the safety layer found. */
async function chat(client: HealthAssistantClient, threadId: string, message: string): Promise<void> {
  print(`> ${message}\n`);
  for await (const event of client.streamChat({ threadId, message, include: ["safety", "sources"] })) {
    if (event.event === "delta") {
      process.stdout.write(event.text);
    } else if (event.event === "done") {
      const { level = "none", category, certainty, decidedBy, cautions = [] } = event.response.safety ?? {};
      const found = [
        ...(level === "none" ? [] : [[level, category ?? [], certainty, `decided by ${decidedBy}`].flat().join(", ")]),
        ...cautions.map(({ kind, drug, because }) => `caution: ${drug}, ${kind}, because of ${because}`),
      ];
      for (const { number, title, quote } of event.response.citations ?? []) {
        process.stdout.write(`\n\n[${number}] ${title}: “${quote}”`);
      }
      print(`\n\n[safety: ${found.join("; ") || "nothing found"}]`);
    }
  }
}

/** Returns the error of a call that is expected to fail. */
function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => Promise.reject(new Error("The thread has not expired.")),
    (error) => (error instanceof ApiError ? `${error.status} ${error.message}` : Promise.reject(error)),
  );
}

function heading(text: string, request: string): void {
  print(`\n${text}\n${"-".repeat(text.length)}\n[${request}]\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
