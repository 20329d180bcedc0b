/** `npm run demo`: plays a whole story against a local service, on the console. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, HealthAssistantClient } from "conversational-health-assistant-service/client";
import { cachedAssembly } from "../../local/cached-assembly.ts";
import { startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { readArguments } from "../command-line.ts";

const IDLE_SECONDS = 10;
const SWEEP_SECONDS = 2;

const USAGE = `Plays a story on the console: a patient, a thread, a streamed chat, a caution, an emergency, and the thread's expiry.

  npm run demo

It starts a service of its own on a free port, with a database that is deleted afterwards and threads that expire after
${IDLE_SECONDS} seconds instead of 30 minutes. Takes about half a minute. Without OPENAI_API_KEY or OPENAI_BASE_URL, an
offline model answers, which repeats what it is given.
`;

readArguments(USAGE, { options: {} });
const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-demo-"));
const settings = readSettings({
  ...process.env,
  PORT: "0",
  API_KEY: "key-of-the-demo",
  DATA_DIR: dataDir,
  DYNAMODB_ENDPOINT: "",
  THREAD_IDLE_SECONDS: String(IDLE_SECONDS),
  SWEEP_INTERVAL_SECONDS: String(SWEEP_SECONDS),
});
print("Starting the service …");
const service = await startService(settings, await cachedAssembly(), {
  onRequest: ({ method, path, status }) => print(`  [${method} ${path} ${status}]`),
  onLog: () => {},
});
try {
  await play(new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: settings.apiKey }));
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function play(client: HealthAssistantClient): Promise<void> {
  const say = async (threadId: string, message: string) => {
    print(`\n> ${message}`);
    for await (const event of client.streamChat({ threadId, message })) {
      if (event.event === "delta") {
        process.stdout.write(event.text);
      }
    }
    print("");
  };

  heading("1. A patient, who is allergic to penicillin");
  const { patient } = await client.createPatient({
    name: "Maria Example",
    phone_number: "(555) 123-4567",
    age: 34,
    gender: "female",
    allergies: "penicillin",
  });
  print(`${patient.name}, ${patient.phone_number}`);

  heading("2. A thread, linked by phone number in another format");
  const { threadId, expiresAt } = await client.createThread({ phone: "+1 555.123.4567" });
  print(`thread ${threadId}, until ${expiresAt}`);

  heading("3. A chat, streamed");
  await say(threadId, "Which vitamins do I need in winter?");

  heading("4. A caution: the record speaks against a drug that the answer names");
  await say(threadId, "Can I take the amoxicillin that is left from last year?");

  heading("5. An emergency: a fixed text comes first, whatever the model does");
  await say(threadId, "My chest hurts badly and my left arm is numb.");
  print(`\n${(await client.getThread(threadId)).thread.messageCount} messages in the thread`);

  heading(`6. ${IDLE_SECONDS} seconds without a message: the thread expires`);
  await sleep((IDLE_SECONDS + SWEEP_SECONDS) * 1000);
  try {
    await client.getThread(threadId);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    print(`${error.status} ${error.message}`);
  }
  print("\nTo go on yourself: npm start");
}

function heading(text: string): void {
  print(`\n${text}\n${"-".repeat(text.length)}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
