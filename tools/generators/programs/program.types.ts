// Uses the types that openapi-typescript makes, with fetch; prints a line per step that went as it should.
import type { components, paths } from "./generated";

type Post<P extends "/chat" | "/patients" | "/threads"> = paths[P]["post"]["requestBody"] extends
  | { content: { "application/json": infer B } }
  | undefined
  ? B
  : never;
type Schemas = components["schemas"];

const step = (name: string, ok: boolean) => ok && process.stdout.write(`${name}\n`);

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${process.env.BASE_URL}${path}`, {
    method,
    headers: { "X-API-Key": process.env.API_KEY ?? "", "Content-Type": "application/json", ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

async function main() {
  const request: Post<"/patients"> = { name: "Pat Example", phone_number: process.argv[2] ?? "", age: 34, gender: "x" };
  const created: Schemas["CreatePatientResponse"] = await (await send("POST", "/patients", request)).json();
  const { id } = created.patient;
  const read: Schemas["GetPatientResponse"] = await (await send("GET", `/patients/${id}`)).json();
  step("patient", read.patient.created_at === created.patient.created_at && read.patient.refill_info === null);

  const thread: Schemas["CreateThreadResponse"] = await (await send("POST", "/threads", { patientId: id })).json();
  const { threadId } = thread;
  const message: Post<"/chat"> = { threadId, message: "Hello", patientData: { conditions: ["asthma"] } };
  const answer: Schemas["ChatResponse"] = await (await send("POST", "/chat", message)).json();
  step("chat", answer.success && answer.messageCount === 2);

  const stream = await (await send("POST", "/chat", message, { Accept: "text/event-stream" })).text();
  const events = stream.match(/^event: \w+$/gm) ?? [];
  step("stream", events.length > 2 && events[0] === "event: delta" && events.at(-1) === "event: done");

  await send("DELETE", `/threads/${threadId}`);
  const gone = await send("GET", `/threads/${threadId}`);
  const missing: Schemas["PlainError"] = await gone.json();
  step("404", gone.status === 404 && missing.error === "Thread not found or expired");
  const taken = await send("POST", "/patients", request);
  const conflict: Schemas["ConflictError"] = await taken.json();
  step("409", taken.status === 409 && conflict.patient.id === id);
}

main();
