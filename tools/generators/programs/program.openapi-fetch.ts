// Uses openapi-fetch with the types that openapi-typescript makes; prints a line per step that went as it should.
import createClient from "openapi-fetch";
import type { paths } from "./generated";

const client = createClient<paths>({
  baseUrl: process.env.BASE_URL ?? "",
  headers: { "X-API-Key": process.env.API_KEY ?? "" },
});

const step = (name: string, ok: boolean) => ok && process.stdout.write(`${name}\n`);

/** The data of a response that is to succeed. */
function ok<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) {
    throw new Error(JSON.stringify(error));
  }
  return data;
}

async function main() {
  const phone_number = process.argv[2] ?? "";
  const request = { body: { name: "Pat Example", phone_number, age: 34, gender: "x" } };
  const { patient } = ok(await client.POST("/patients", request));
  const ofPatient = { path: { id: patient.id } };
  const reading = await client.GET("/patients/{id}", { params: ofPatient });
  const read = ok(reading).patient;
  step("patient", read.created_at === patient.created_at && read.refill_info === null);

  const opening = {
    params: { header: { "Idempotency-Key": `open-${patient.id}` } },
    body: { patientId: patient.id },
  };
  const { threadId } = ok(await client.POST("/threads", opening));
  const repeated = await client.POST("/threads", opening);
  const isReplayed = repeated.response.headers.get("idempotent-replayed") === "true";
  step("repeat", isReplayed && ok(repeated).threadId === threadId);

  const body = { threadId, message: "Hello", patientData: { conditions: ["asthma"] } };
  const answer = ok(await client.POST("/chat", { body }));
  step("chat", typeof answer === "object" && answer.success && answer.messageCount === 2);

  const headers = { Accept: "text/event-stream" };
  const stream = await client.POST("/chat", { body, headers, parseAs: "stream" });
  const events = (await new Response(stream.data).text()).match(/^event: \w+$/gm) ?? [];
  step("stream", events.length > 2 && events[0] === "event: delta" && events.at(-1) === "event: done");

  const ofThread = { path: { id: threadId } };
  const list = (query: { limit?: number; before?: string }) =>
    client.GET("/threads/{id}/messages", { params: { ...ofThread, query } }).then(ok);
  const newest = await list({ limit: 3 });
  const oldest = await list({ before: newest.messages.at(-1)?.id ?? "" });
  const { threads } = ok(await client.GET("/patients/{id}/threads", { params: ofPatient }));
  const isOldest = oldest.messages.length === 1 && oldest.messages[0]?.content === "Hello" && !oldest.hasMore;
  step("lists", isOldest && threads.length === 1 && threads[0]?.threadId === threadId);

  const correction = {
    params: { ...ofPatient, header: { "If-Match": reading.response.headers.get("etag") ?? "" } },
    body: { allergies: "latex", gender: null },
  };
  const corrected = ok(await client.PATCH("/patients/{id}", correction)).patient;
  const changed = await client.PATCH("/patients/{id}", correction);
  const isCorrected = corrected.allergies === "latex" && corrected.gender === null;
  step("412", isCorrected && changed.response.status === 412);

  const found = ok(await client.POST("/patients/search", { body: { phone_number: `+1 ${phone_number}` } })).patients;
  step("search", found.length === 1 && found[0]?.id === patient.id);
  const exported = ok(await client.GET("/patients/{id}/export", { params: ofPatient }));
  step("export", exported.patient.allergies === "latex" && exported.threads[0]?.messages.length === 4);

  const asked = ok(await client.POST("/chat", { body: { threadId, message: "Hello", include: ["ids"] } }));
  const messageId = (typeof asked === "object" && asked.ids?.assistant) || "";
  const ofAnswer = { path: { id: threadId, messageId } };
  const good = { params: ofAnswer, body: { rating: "good" as const } };
  const { feedback } = ok(await client.PUT("/threads/{id}/messages/{messageId}/feedback", good));
  step("feedback", feedback.rating === "good" && feedback.comment === null);

  const { hold } = ok(await client.PUT("/threads/{id}/handoff", { params: ofThread, body: { by: "Ana" } }));
  const written = { params: ofThread, body: { content: "Hello", author: "Ana" } };
  const { message } = ok(await client.POST("/threads/{id}/messages", written));
  const returned = ok(await client.DELETE("/threads/{id}/handoff", { params: ofThread }));
  step("handoff", hold.by === "Ana" && message.role === "person" && returned.hold === null);

  const url = `${process.env.BASE_URL}/no-receiver`;
  const { webhook } = ok(await client.POST("/webhooks", { body: { url, events: ["thread.expired"] } }));
  const ofWebhook = { path: { id: webhook.id } };
  const tested = ok(await client.POST("/webhooks/{id}/test", { params: ofWebhook }));
  const { success } = ok(await client.DELETE("/webhooks/{id}", { params: ofWebhook }));
  step("webhook", webhook.events[0] === "thread.expired" && !tested.accepted && success);

  const conversation = { model: "health-assistant", messages: [{ role: "user" as const, content: "Hello" }] };
  const completion = ok(await client.POST("/openai/v1/chat/completions", { body: conversation }));
  step("completion", typeof completion === "object" && completion.choices[0]?.finish_reason === "stop");

  const taken = await client.POST("/patients", request);
  const conflict = taken.error && "patient" in taken.error ? taken.error.patient.id : undefined;
  step("409", taken.response.status === 409 && conflict === patient.id);
  await client.DELETE("/threads/{id}", { params: ofThread });
  const gone = await client.GET("/threads/{id}", { params: { ...ofThread, query: { include: "metadata" } } });
  step("404", gone.response.status === 404 && gone.error?.error === "Thread not found or expired");

  await client.POST("/threads", { body: { patientId: patient.id } });
  const { erased } = ok(await client.DELETE("/patients/{id}", { params: ofPatient }));
  const { response } = await client.GET("/patients/{id}", { params: ofPatient });
  step("erase", erased.threads === 1 && response.status === 404);
}

main();
