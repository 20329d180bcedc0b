// Uses the types that openapi-typescript makes, with fetch; prints a line per step that went as it should.
import type { components, paths } from "./generated";

type Post<P extends "/chat" | "/patients" | "/patients/search" | "/threads"> = paths[P]["post"]["requestBody"] extends
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
  const phone_number = process.argv[2] ?? "";
  const request: Post<"/patients"> = { name: "Pat Example", phone_number, age: 34, gender: "x" };
  const created: Schemas["CreatePatientResult"] = await (await send("POST", "/patients", request)).json();
  const { id } = created.patient;
  const reading = await send("GET", `/patients/${id}`);
  const read: Schemas["GetPatientResult"] = await reading.json();
  step("patient", read.patient.created_at === created.patient.created_at && read.patient.refill_info === null);

  const opening: Post<"/threads"> = { patientId: id };
  const key = { "Idempotency-Key": `open-${id}` };
  const thread: Schemas["CreateThreadResult"] = await (await send("POST", "/threads", opening, key)).json();
  const { threadId } = thread;
  const repeated = await send("POST", "/threads", opening, key);
  const again: Schemas["CreateThreadResult"] = await repeated.json();
  step("repeat", again.threadId === threadId && repeated.headers.get("idempotent-replayed") === "true");

  const message: Post<"/chat"> = { threadId, message: "Hello", patientData: { conditions: ["asthma"] } };
  const answer: Schemas["ChatResult"] = await (await send("POST", "/chat", message)).json();
  step("chat", answer.success && answer.messageCount === 2);

  const stream = await (await send("POST", "/chat", message, { Accept: "text/event-stream" })).text();
  const events = stream.match(/^event: \w+$/gm) ?? [];
  step("stream", events.length > 2 && events[0] === "event: delta" && events.at(-1) === "event: done");

  const page: NonNullable<paths["/threads/{id}/messages"]["get"]["parameters"]["query"]> = { limit: 3 };
  const list = `/threads/${threadId}/messages`;
  const newest: Schemas["ListMessagesResult"] = await (await send("GET", `${list}?limit=${page.limit}`)).json();
  const last: Schemas["ThreadMessage"] | undefined = newest.messages.at(-1);
  const oldest: Schemas["ListMessagesResult"] = await (await send("GET", `${list}?before=${last?.id}`)).json();
  const open: Schemas["ListPatientThreadsResult"] = await (await send("GET", `/patients/${id}/threads`)).json();
  const isOldest = oldest.messages.length === 1 && oldest.messages[0]?.content === "Hello" && !oldest.hasMore;
  step("lists", isOldest && open.threads.length === 1 && open.threads[0]?.threadId === threadId);

  const patch: Schemas["UpdatePatientRequest"] = { allergies: "latex", gender: null };
  const condition = { "If-Match": reading.headers.get("etag") ?? "" };
  const correction = await send("PATCH", `/patients/${id}`, patch, condition);
  const corrected: Schemas["UpdatePatientResult"] = await correction.json();
  const changed = await send("PATCH", `/patients/${id}`, patch, condition);
  step("412", corrected.patient.allergies === "latex" && corrected.patient.gender === null && changed.status === 412);

  const number: Post<"/patients/search"> = { phone_number: `+1 ${phone_number}` };
  const found: Schemas["SearchPatientsResult"] = await (await send("POST", "/patients/search", number)).json();
  step("search", found.patients.length === 1 && found.patients[0]?.id === id);
  const exported: Schemas["ExportPatientResult"] = await (await send("GET", `/patients/${id}/export`)).json();
  step("export", exported.patient.allergies === "latex" && exported.threads[0]?.messages.length === 4);

  const taken = await send("POST", "/patients", request);
  const conflict: Schemas["ConflictError"] = await taken.json();
  step("409", taken.status === 409 && conflict.patient.id === id);
  await send("DELETE", `/threads/${threadId}`);
  const gone = await send("GET", `/threads/${threadId}?include=metadata`);
  const missing: Schemas["PlainError"] = await gone.json();
  step("404", gone.status === 404 && missing.error === "Thread not found or expired");

  await send("POST", "/threads", opening);
  const erasure: Schemas["DeletePatientResult"] = await (await send("DELETE", `/patients/${id}`)).json();
  step("erase", erasure.erased.threads === 1 && (await send("GET", `/patients/${id}`)).status === 404);
}

main();
