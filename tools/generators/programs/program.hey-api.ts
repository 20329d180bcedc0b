// Uses the client that hey-api makes; prints a line per step that went as it should.
import { client } from "./generated/client.gen";
import * as api from "./generated/sdk.gen";

client.setConfig({ baseUrl: process.env.BASE_URL ?? "", auth: () => process.env.API_KEY });

const step = (name: string, ok: boolean) => ok && process.stdout.write(`${name}\n`);
const throwOnError = true;

async function main() {
  const request = { body: { name: "Pat Example", phone_number: process.argv[2] ?? "", age: 34, gender: "x" } };
  const { patient } = (await api.createPatient({ ...request, throwOnError })).data;
  const ofPatient = { path: { id: patient.id } };
  const read = (await api.getPatient({ ...ofPatient, throwOnError })).data;
  step("patient", read.patient.created_at === patient.created_at);

  const opening = { body: { patientId: patient.id } };
  const { threadId } = (await api.createThread({ ...opening, throwOnError })).data;
  const message = { body: { threadId, message: "Hello" } };
  const answer = (await api.chat({ ...message, throwOnError })).data;
  step("chat", answer.success && answer.messageCount === 2);

  const headers = { Accept: "text/event-stream" };
  const stream = await api.chat({ ...message, headers, parseAs: "stream" });
  const events = await new Response(stream.data as unknown as ReadableStream).text();
  step("stream", events.startsWith("event: delta\n") && events.includes("\nevent: done\n"));

  const ofThread = { path: { id: threadId } };
  const list = (await api.listMessages({ ...ofThread, query: { limit: 1 }, throwOnError })).data;
  step("lists", list.messages.length === 1 && list.hasMore);

  const taken = await api.createPatient(request);
  const conflict = taken.error && "patient" in taken.error ? taken.error.patient.id : undefined;
  step("409", taken.response?.status === 409 && conflict === patient.id);
  await api.deleteThread(ofThread);
  const gone = await api.getThread(ofThread);
  step("404", gone.response?.status === 404 && gone.error?.error === "Thread not found or expired");

  const { success } = (await api.deletePatient({ ...ofPatient, throwOnError })).data;
  step("erase", success && (await api.getPatient(ofPatient)).response?.status === 404);
}

main();
