import { beforeAll, expect, test } from "@jest/globals";
import { addClients } from "../helpers/service/clients.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
beforeAll(async () => {
  await addClients(service, {
    alder: { keys: ["key-of-alder"] },
    "alder-desk": { keys: ["key-of-alder-desk"], tenant: "alder" },
    birch: { keys: ["key-of-birch"] },
  });
});

// test/model-based has clients of two tenants that use each other's IDs, phone numbers and keys.
test("another tenant's thread and patient get byte for byte the response of ids that never existed", async () => {
  const [alder, birch] = ["key-of-alder", "key-of-birch"];
  const created = { name: "Pat Example", phone_number: "15550109999" };
  const { patient } = (await service.call("POST", "/patients", { body: created, key: alder })).body;
  const { threadId } = (await service.call("POST", "/threads", { body: {}, key: alder })).body;
  const asked = { message: "When does the pharmacy open?", threadId, include: ["ids"] };
  const { ids } = (await service.call("POST", "/chat", { body: asked, key: alder })).body;
  const raw = async (method: string, path: string, body?: unknown) => {
    const headers = { "x-api-key": birch, "x-request-id": "same", "content-type": "application/json" };
    const response = await fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { date: _, ...kept } = Object.fromEntries(response.headers);
    return { status: response.status, headers: kept, text: await response.text() };
  };
  const completion = (about: object) => ({
    model: "health-assistant",
    messages: [{ role: "user", content: "When does the pharmacy open?" }],
    ...about,
  });
  const never = { thread: "00000", patient: "00000000-0000-4000-8000-000000000000", phone: "15550108888" };
  const foreign = { thread: threadId, patient: patient.id, phone: created.phone_number };
  const requests = ({ thread, patient: patientId, phone }: typeof never): Promise<unknown>[] => [
    raw("GET", `/threads/${thread}`),
    raw("DELETE", `/threads/${thread}`),
    raw("PUT", `/threads/${thread}/messages/${ids.assistant}/feedback`, { rating: "good" }),
    raw("DELETE", `/threads/${thread}/messages/${ids.assistant}/feedback`),
    raw("PUT", `/threads/${thread}/handoff`, { by: "Ana" }),
    raw("GET", `/threads/${thread}/handoff`),
    raw("DELETE", `/threads/${thread}/handoff`),
    raw("POST", `/threads/${thread}/messages`, { content: "hello", author: "Ana" }),
    raw("POST", "/openai/v1/chat/completions", completion({ metadata: { thread_id: thread } })),
    raw("POST", "/openai/v1/chat/completions", completion({ metadata: { patient_id: patientId } })),
    raw("POST", "/openai/v1/chat/completions", completion({ user: patientId })),
    raw("GET", `/patients/${patientId}`),
    raw("POST", "/threads", { patientId }),
    raw("POST", "/chat", { message: "When does the pharmacy open?", threadId: thread }),
    raw("POST", "/chat", { message: "When does the pharmacy open?", patientId }),
    raw("POST", "/chat", { message: "When does the pharmacy open?", phone }),
  ];
  expect(await Promise.all(requests(foreign))).toEqual(await Promise.all(requests(never)));
  const { thread } = (await service.call("GET", `/threads/${threadId}`, { key: alder })).body;
  expect(thread.messageCount).toBe(2);
  const next = await service.call("POST", "/chat", { body: { message: "And on Sunday?", threadId }, key: alder });
  expect(next.body.response).toBe("answer to: And on Sunday?"); // nobody has taken over

  const same = await service.call("POST", "/patients", { body: created, key: birch });
  expect(same).toMatchObject({ status: 201, body: { patient: created } });
  expect(same.body.patient.id).not.toBe(patient.id);
});

test("a chat gets the sources of its own tenant only", async () => {
  const store = (key: string, text: string) =>
    service.call("PUT", "/sources/hours", { body: { title: "Opening hours", text }, key });
  await store("key-of-alder", "Open until 6.");
  await store("key-of-birch", "Open until 9.");
  const passagesOf = async (key: string) => {
    await service.call("POST", "/chat", { body: { message: "What are your opening hours?" }, key });
    return JSON.stringify(service.prompt()).match(/Open until \d/g);
  };
  expect(await passagesOf("key-of-alder-desk")).toEqual(["Open until 6"]);
  expect(await passagesOf("key-of-birch")).toEqual(["Open until 9"]);
  await service.call("DELETE", "/sources/hours", { key: "key-of-alder" });
  expect((await service.call("GET", "/sources/hours", { key: "key-of-alder-desk" })).status).toBe(404);
  expect((await service.call("GET", "/sources/hours", { key: "key-of-birch" })).status).toBe(200);
});

test("feedback is counted for the tenant of the thread only", async () => {
  const { threadId } = (await service.call("POST", "/threads", { body: {}, key: "key-of-alder" })).body;
  for (let answer = 0; answer < 5; answer++) {
    const body = { message: "When does the pharmacy open?", threadId, include: ["ids"] };
    const { ids } = (await service.call("POST", "/chat", { body, key: "key-of-alder" })).body;
    const feedback = { body: { rating: "good" }, key: "key-of-alder" };
    await service.call("PUT", `/threads/${threadId}/messages/${ids.assistant}/feedback`, feedback);
  }
  const groupsOf = async (key: string) => (await service.call("GET", "/feedback", { key })).body.groups;
  expect(await groupsOf("key-of-alder-desk")).toMatchObject([{ rating: "good", count: 5 }]);
  expect(await groupsOf("key-of-birch")).toEqual([]);
});

test("two clients of a tenant may choose the same Idempotency-Key", async () => {
  const headers = { "idempotency-key": "chosen-by-both" };
  for (const client of ["alder", "alder-desk"]) {
    const reply = await service.call("POST", "/patients", { body: { name: client }, key: `key-of-${client}`, headers });
    expect(reply).toMatchObject({ status: 201, body: { patient: { name: client } } });
  }
});
