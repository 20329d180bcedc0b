// Uses the client that openapi-generator's typescript-fetch makes; prints a line per step that went as it should.
import {
  ChatApi,
  Configuration,
  EventsApi,
  FeedbackApi,
  HandoffApi,
  OpenAICompatibleApi,
  PatientsApi,
  ResponseError,
  ThreadsApi,
} from "./generated/index";

const configuration = new Configuration({ basePath: process.env.BASE_URL ?? "", apiKey: process.env.API_KEY ?? "" });
const patients = new PatientsApi(configuration);
const threads = new ThreadsApi(configuration);
const chat = new ChatApi(configuration);

const step = (name: string, ok: boolean) => ok && process.stdout.write(`${name}\n`);

/** The response of a call that is to fail. */
async function failure(call: Promise<unknown>): Promise<Response> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof ResponseError) {
    return error.response;
  }
  throw error;
}

async function main() {
  const phone_number = process.argv[2] ?? "";
  const createPatientRequest = { name: "Pat Example", phone_number, age: 34, gender: "x" };
  const { patient } = await patients.createPatient({ createPatientRequest });
  const { id } = patient;
  const read = await patients.getPatientRaw({ id });
  step("patient", (await read.value()).patient.created_at.getTime() === patient.created_at.getTime());

  const opening = { createThreadRequest: { patientId: id }, idempotencyKey: `open-${id}` };
  const { threadId } = await threads.createThread(opening);
  const repeated = await threads.createThreadRaw(opening);
  const isReplayed = repeated.raw.headers.get("idempotent-replayed") === "true";
  step("repeat", isReplayed && (await repeated.value()).threadId === threadId);

  const answer = await chat.chat({ chatRequest: { threadId, message: "Hello" } });
  step("chat", answer.success && answer.messageCount === 2);

  const chatRequest = { threadId, message: "Hello again", patientData: { conditions: ["asthma"] } };
  const { raw } = await chat.chatRaw({ chatRequest, idempotencyKey: "key-1" }, async ({ init }) => ({
    headers: { ...init.headers, Accept: "text/event-stream" },
  }));
  const events = (await raw.text()).match(/^event: \w+$/gm) ?? [];
  step("stream", events.length > 2 && events[0] === "event: delta" && events.at(-1) === "event: done");

  const { messages } = await threads.listMessages({ id: threadId, limit: 3 });
  const oldest = await threads.listMessages({ id: threadId, before: messages.at(-1)?.id ?? "" });
  const open = await patients.listPatientThreads({ id });
  const isOldest = oldest.messages.length === 1 && oldest.messages[0]?.content === "Hello" && !oldest.hasMore;
  step("lists", isOldest && open.threads.length === 1 && open.threads[0]?.threadId === threadId);

  const updatePatientRequest = { allergies: "latex", gender: null };
  const correction = { id, updatePatientRequest, ifMatch: read.raw.headers.get("etag") ?? "" };
  const corrected = (await patients.updatePatient(correction)).patient;
  const changed = await failure(patients.updatePatient(correction));
  step("412", corrected.allergies === "latex" && corrected.gender === null && changed.status === 412);

  const found = await patients.searchPatients({ searchPatientsRequest: { phone_number: `+1 ${phone_number}` } });
  step("search", found.patients.length === 1 && found.patients[0]?.id === id);
  const exported = await patients.exportPatient({ id });
  step("export", exported.patient.allergies === "latex" && exported.threads[0]?.messages.length === 4);

  const asked = await chat.chat({ chatRequest: { threadId, message: "Hello", include: ["ids"] } });
  const ofAnswer = { id: threadId, messageId: asked.ids?.assistant ?? "" };
  const { feedback } = await new FeedbackApi(configuration).giveFeedback({
    ...ofAnswer,
    feedbackRequest: { rating: "good" },
  });
  step("feedback", feedback.rating === "good" && feedback.comment === null);

  const handoff = new HandoffApi(configuration);
  const { hold } = await handoff.holdThread({ id: threadId, holdThreadRequest: { by: "Ana" } });
  const addMessageRequest = { content: "Hello", author: "Ana" };
  const { message } = await handoff.addMessage({ id: threadId, addMessageRequest });
  const returned = await handoff.returnThread({ id: threadId });
  step("handoff", hold.by === "Ana" && message.role === "person" && returned.hold === null);

  const webhooks = new EventsApi(configuration);
  const url = `${process.env.BASE_URL}/no-receiver`;
  const { webhook } = await webhooks.createWebhook({ createWebhookRequest: { url, events: ["thread.expired"] } });
  const tested = await webhooks.testWebhook({ id: webhook.id });
  const { success } = await webhooks.deleteWebhook({ id: webhook.id });
  step("webhook", webhook.events[0] === "thread.expired" && !tested.accepted && success);

  const createCompletionRequest = {
    model: "health-assistant",
    messages: [{ role: "user" as const, content: "Hello" }],
  };
  const completion = await new OpenAICompatibleApi(configuration).createCompletion({ createCompletionRequest });
  step("completion", completion.choices[0]?.finish_reason === "stop");

  const taken = await failure(patients.createPatient({ createPatientRequest }));
  step("409", taken.status === 409 && (await taken.json()).patient.id === id);
  await threads.deleteThread({ id: threadId });
  const gone = await failure(threads.getThread({ id: threadId, include: "metadata" }));
  step("404", gone.status === 404 && (await gone.json()).error === "Thread not found or expired");

  await threads.createThread({ createThreadRequest: { patientId: id } });
  const { erased } = await patients.deletePatient({ id });
  step("erase", erased.threads === 1 && (await failure(patients.getPatient({ id }))).status === 404);
}

main();
