// Uses the client that openapi-generator's typescript-fetch makes; prints a line per step that went as it should.
import { ChatApi, Configuration, PatientsApi, ResponseError, ThreadsApi } from "./generated/index";

// Not `apiKey`: this generator would send the key in the URL as well, from where it gets into logs.
const configuration = new Configuration({
  basePath: process.env.BASE_URL ?? "",
  headers: { "X-API-Key": process.env.API_KEY ?? "" },
});
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
  const createPatientRequest = { name: "Pat Example", phoneNumber: process.argv[2], age: 34, gender: "x" };
  const { patient } = await patients.createPatient({ createPatientRequest });
  const read = await patients.getPatient({ id: patient.id });
  step("patient", read.patient.createdAt.getTime() === patient.createdAt.getTime());

  const { threadId } = await threads.createThread({ createThreadRequest: { patientId: patient.id } });
  const answer = await chat.chat({ chatRequest: { threadId, message: "Hello" } });
  step("chat", answer.success && answer.messageCount === 2);

  const chatRequest = { threadId, message: "Hello again", patientData: { conditions: ["asthma"] } };
  const { raw } = await chat.chatRaw({ chatRequest, idempotencyKey: "key-1" }, async ({ init }) => ({
    headers: { ...init.headers, Accept: "text/event-stream" },
  }));
  const events = (await raw.text()).match(/^event: \w+$/gm) ?? [];
  step("stream", events.length > 2 && events[0] === "event: delta" && events.at(-1) === "event: done");

  await threads.deleteThread({ id: threadId });
  const gone = await failure(threads.getThread({ id: threadId }));
  step("404", gone.status === 404 && (await gone.json()).error === "Thread not found or expired");
  const taken = await failure(patients.createPatient({ createPatientRequest }));
  step("409", taken.status === 409 && (await taken.json()).patient.id === patient.id);
}

main();
