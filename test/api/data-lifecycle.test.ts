import { describe, expect, test } from "@jest/globals";
import { endpoints } from "../../shared/openapi/registry.ts";
import { PATIENT_GONE } from "../../shared/patients/patient.ts";
import { THREAD_GONE } from "../../shared/threads/thread.ts";
import { type Reply, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

let phones = 5_550_180_000;
const nextPhone = () => String(phones++);

type Body = Record<string, unknown>;
const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(method, path, { ...(body !== undefined && { body }), headers });
const create = async (fields: Body = {}) =>
  (await call("POST", "/patients", { name: "Pat Example", age: 40, gender: "x", ...fields })).body.patient;
const openThread = async (body: Body) => (await call("POST", "/threads", body)).body.threadId as string;
const say = (threadId: string, message: string) => call("POST", "/chat", { threadId, message });

/** Reads a list page by page: full pages, except for the last one. */
async function pages(list: string, path: string, next: (body: Reply["body"]) => string): Promise<Reply["body"][]> {
  const all = [];
  let before = "";
  for (let more = true; more; ) {
    const { status, body } = await call("GET", path + before);
    expect(status).toBe(200);
    expect(body[list].length).toBe(body.hasMore ? Number(/limit=(\d+)/.exec(path)?.[1]) : body[list].length);
    all.push(...body[list]);
    more = body.hasMore;
    before = `&before=${next(body)}`;
  }
  return all;
}

const FULLEST = {
  name: "Ann Example",
  phone_number: "15550189999",
  conditions: ["asthma", '{"name":"hay fever","symptoms":["sneezing"]}'],
  medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }, { name: "m" }],
  allergies: "penicillin, latex",
  notes: [{ text: "n", nested: { deep: [1, 2.5, null, true] } }, {}],
  reminders_enabled: true,
  refill_info: { pharmacy: "p", refills: 2, none: null },
  gender: "female",
  age: 34.5,
  height: "170 cm",
  weight: "60 kg",
  race: "r",
  blood_type: "AB-",
  consent: { given: true, at: "2026-03-01T10:00:00+01:00", version: "2026-03" },
};

describe("GET /threads/{id}/messages", () => {
  test("has no gaps and no duplicates while 8 turns are appended", async () => {
    const threadId = await openThread({});
    await say(threadId, "first");
    const read = async () => {
      const messages = await pages(
        "messages",
        `/threads/${threadId}/messages?limit=3`,
        ({ messages }) => messages.at(-1).id,
      );
      const places = messages.map(({ id }) => Number(id.split("-").at(-1)));
      expect(places).toEqual(places.map((_, index) => places.length - 1 - index));
    };
    for (let index = 0; index < 8; index++) {
      await Promise.all([say(threadId, `m${index}`), read()]);
    }
    const { messages } = (await call("GET", `/threads/${threadId}/messages`)).body;
    expect(messages).toHaveLength(18);
    expect(messages[0]).toMatchObject({ role: "assistant", content: "answer to: m7" });
  });

  test("does not return the request behind an opening question", async () => {
    service.model.script = () => ({ content: "How old are you?" });
    const { id } = (await call("POST", "/patients", { name: "Pat Example" })).body.patient;
    const threadId = await openThread({ patientId: id });
    const { body } = await call("GET", `/threads/${threadId}/messages`);
    expect(body).toMatchObject({ messages: [{ role: "assistant", content: "How old are you?" }], hasMore: false });
    await say(threadId, "40");
    const first = (await call("GET", `/threads/${threadId}/messages?limit=3`)).body;
    expect(first.messages.map(({ role }: { role: string }) => role)).toEqual(["assistant", "user", "assistant"]);
    expect(first.hasMore).toBe(false);
  });

  test("may have no messages; neither reading them nor the thread extends its lifetime", async () => {
    const threadId = await openThread({});
    const before = (await call("GET", `/threads/${threadId}`)).body;
    const { body } = await call("GET", `/threads/${threadId}/messages`);
    expect(body).toEqual({ success: true, messages: [], hasMore: false });
    expect((await call("GET", `/threads/${threadId}`)).body).toEqual(before);
  });

  test("accepts neither a cursor of another thread nor an unknown thread", async () => {
    const [one, other] = [await openThread({}), await openThread({})];
    await say(one, "hello");
    const [{ id }] = (await call("GET", `/threads/${one}/messages`)).body.messages;
    for (const cursor of [id, "x", "", `${id}9`]) {
      const reply = await call("GET", `/threads/${other}/messages?before=${cursor}`);
      expect(reply.status).toBe(400);
      expect(reply.body.error).toBe("before: is not a cursor of this list");
    }
    expect((await call("GET", "/threads/00000/messages")).body).toEqual({ error: THREAD_GONE.error });
  });
});

test("GET /threads/{id}?include=metadata returns null if there is none", async () => {
  const bare = await openThread({});
  expect((await call("GET", `/threads/${bare}?include=metadata`)).body.thread.metadata).toBeNull();
});

describe("PATCH /patients/{id}", () => {
  test("merges the patch, removes what is null, and returns what GET returns", async () => {
    const { id } = await create({ ...FULLEST, phone_number: nextPhone() });
    const patch = { allergies: null, age: null, conditions: ["c"], refill_info: { refills: null, pharmacy: "q" } };
    const reply = await call("PATCH", `/patients/${id}`, patch);
    expect(reply.status).toBe(200);
    expect(reply.body.patient).toMatchObject({
      allergies: null,
      age: null,
      conditions: ["c"],
      refill_info: { pharmacy: "q" },
      gender: "female",
      notes: FULLEST.notes,
    });
    expect(reply.body.patient.refill_info).not.toHaveProperty("refills");
    const read = await call("GET", `/patients/${id}`);
    expect(read.body).toEqual(reply.body);
    expect(read.headers.get("etag")).toBe(reply.headers.get("etag"));
    expect(Date.parse(read.body.patient.updated_at)).toBeGreaterThan(Date.parse(read.body.patient.created_at));
  });

  test("needs a body: a patch that was lost on the way is not an empty one", async () => {
    const path = `/patients/${(await create()).id}`;
    expect(await call("PATCH", path)).toMatchObject({
      status: 400,
      body: { error: "Failed to update patient", details: [{ path: "", message: "Request body is not valid JSON" }] },
    });
    expect((await call("PATCH", path, {})).status).toBe(200);
  });

  test("cannot leave a patient with neither a name nor a phone number", async () => {
    const reply = await call("PATCH", `/patients/${(await create()).id}`, { name: null });
    expect([reply.status, reply.body.details[0].path]).toEqual([400, "name"]);
  });

  test("moves the phone lock: the old number is free, the new one is taken", async () => {
    const [from, to] = [nextPhone(), nextPhone()];
    const { id } = await create({ phone_number: from });
    expect((await call("PATCH", `/patients/${id}`, { phone_number: to })).body.patient.phone_number).toBe(`1${to}`);
    expect((await call("POST", "/patients", { phone_number: to })).body.patient).toMatchObject({ id });
    expect((await call("POST", "/patients", { name: "New", phone_number: from })).status).toBe(201);
    expect((await call("PATCH", `/patients/${id}`, { phone_number: from })).status).toBe(409);
    expect((await call("PATCH", `/patients/${id}`, { phone_number: null })).status).toBe(200);
    expect((await call("POST", "/patients", { name: "New", phone_number: to })).status).toBe(201);
  });

  test("gives a free number to one of 20 patients that change to it at once; the others keep their own", async () => {
    const patients = await Promise.all(Array.from({ length: 20 }, () => create({ phone_number: nextPhone() })));
    const phone_number = nextPhone();
    const replies = await Promise.all(patients.map(({ id }) => call("PATCH", `/patients/${id}`, { phone_number })));
    const winners = patients.filter((_, index) => replies[index]?.status === 200);
    expect(winners).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      expect(reply.status).toBe(409);
      expect(reply.body.patient).toMatchObject({ id: winners[0].id, phone_number: `1${phone_number}` });
    }
    for (const { id, phone_number } of patients) {
      const [found] = (await call("POST", "/patients/search", { phone_number })).body.patients;
      expect(found?.id).toBe(id === winners[0].id ? undefined : id);
    }
  });
});

describe("GET /patients/{id}/threads", () => {
  test("lists active threads, linked and bound, in pages, newest first", async () => {
    const { id } = await create();
    const linked: string[] = [];
    for (const _ of [1, 2, 3]) {
      linked.push(await openThread({ patientId: id }));
    }
    const bound = await openThread({});
    await call("POST", "/chat", { threadId: bound, patientId: id, message: "hello" });
    await call("DELETE", `/threads/${linked[1]}`);
    const expected = [bound, linked[2], linked[0]];
    const all = (await call("GET", `/patients/${id}/threads`)).body;
    expect(all.threads.map(({ threadId }: { threadId: string }) => threadId)).toEqual(expected);
    expect(all).toEqual({ success: true, threads: all.threads, hasMore: false });
    expect(all.threads[1]).toEqual((await call("GET", `/threads/${linked[2]}`)).body.thread);

    const single = await pages("threads", `/patients/${id}/threads?limit=1`, ({ next }) => next);
    expect(single).toEqual(all.threads);
    expect((await call("GET", `/patients/${id}/threads?before=x`)).status).toBe(400);
  });
});

describe("GET /patients/{id}/export", () => {
  test.each<[string, Body]>([
    ["fullest", FULLEST],
    ["emptiest", { name: "E" }],
  ])("equals the input field by field for the %s record", async (which, input) => {
    const created = await call("POST", "/patients", input, { "idempotency-key": `export-of-${which}` });
    const { id } = created.body.patient;
    const { status, body } = await call("GET", `/patients/${id}/export`);
    expect(status).toBe(200);
    const { id: _id, join_status, created_at, updated_at, ...own } = body.patient;
    const empty = { conditions: [], medications: [], notes: [], reminders_enabled: false };
    expect(own).toEqual({ ...empty, ...input });
    expect(body.threads).toEqual([]);

    // Both POST /patients and patientData accept the exported record.
    expect((await call("DELETE", `/patients/${id}`)).status).toBe(200);
    expect((await call("POST", "/chat", { message: "hello", patientData: body.patient })).status).toBe(200);
    const again = (await call("POST", "/patients", body.patient)).body.patient;
    const exported = (await call("GET", `/patients/${again.id}/export`)).body.patient;
    expect({ ...exported, id, created_at, updated_at }).toEqual(body.patient);
    await call("DELETE", `/patients/${again.id}`);
  });
});

describe("DELETE /patients/{id}", () => {
  test("erases the patient and their threads, which are then unknown to every operation", async () => {
    const phone_number = nextPhone();
    const { id } = await create({ phone_number });
    const threadId = await openThread({ patientId: id });
    await say(threadId, "hello");
    expect((await call("DELETE", `/patients/${id}`)).body).toEqual({
      success: true,
      message: "Patient deleted successfully",
      erased: { threads: 1, messages: 2 },
    });
    for (const [method, path] of [
      ["DELETE", ""],
      ["GET", ""],
      ["GET", "/threads"],
      ["GET", "/export"],
    ] as const) {
      const { status, body } = await call(method, `/patients/${id}${path}`);
      expect({ method, path, status, body }).toEqual({
        method,
        path,
        status: 404,
        body: { error: PATIENT_GONE.error },
      });
    }
    expect((await call("GET", `/threads/${threadId}`)).status).toBe(404);
    expect((await say(threadId, "hello")).status).toBe(404);
    expect((await call("POST", "/patients/search", { phone_number })).body.patients).toEqual([]);
    expect((await call("POST", "/patients", { phone_number })).status).toBe(201);
    expect((await call("DELETE", "/patients/no-uuid")).status).toBe(404);
  });
});

describe("an Idempotency-Key of a creation", () => {
  const key = (name: string) => ({ "idempotency-key": name });

  test("replays the response of POST /patients until the patient is deleted", async () => {
    const body = { name: "Pat Example", phone_number: nextPhone(), notes: [{ a: 1 }] };
    const first = await call("POST", "/patients", body, key("p1"));
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    await call("PATCH", `/patients/${first.body.patient.id}`, { name: "Other" });
    const again = await call("POST", "/patients", body, key("p1"));
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    const other = await call("POST", "/patients", { ...body, name: "x" }, key("p1"));
    expect([other.status, other.body.error]).toEqual([422, "Idempotency-Key was used with another request"]);
    await call("DELETE", `/patients/${first.body.patient.id}`);
    const fresh = await call("POST", "/patients", body, key("p1"));
    expect(fresh.status).toBe(201);
    expect(fresh.headers.get("idempotent-replayed")).toBeNull();
    expect(fresh.body.patient.id).not.toBe(first.body.patient.id);
  });

  test("replays the response of POST /threads until the thread is deleted", async () => {
    const { id } = (await call("POST", "/patients", { name: "Pat Example" })).body.patient;
    service.model.script = () => ({ content: `${service.model.requests.length}: how old are you?` });
    const body = { patientId: id, metadata: { a: 1 } };
    const first = await call("POST", "/threads", body, key("t1"));
    const again = await call("POST", "/threads", body, key("t1"));
    expect(first.body.initialMessage).toContain("how old");
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await call("POST", "/threads", {}, key("t1"))).status).toBe(422);
    await call("DELETE", `/threads/${first.body.threadId}`);
    const fresh = await call("POST", "/threads", body, key("t1"));
    expect(fresh.headers.get("idempotent-replayed")).toBeNull();
    expect(fresh.body.initialMessage).not.toBe(first.body.initialMessage);
  });

  test("creates one patient or thread for 20 requests at once", async () => {
    const body = { name: "Pat Example", phone_number: nextPhone() };
    const patients = await Promise.all(Array.from({ length: 20 }, () => call("POST", "/patients", body, key("p2"))));
    expect(new Set(patients.map(({ status, body }) => `${status} ${body.patient.id}`)).size).toBe(1);
    const threads = await Promise.all(Array.from({ length: 20 }, () => call("POST", "/threads", {}, key("t2"))));
    expect(new Set(threads.map(({ status, body }) => `${status} ${body.threadId}`)).size).toBe(1);
  });

  test("is separate for each operation, and must be valid", async () => {
    expect((await call("POST", "/threads", {}, key("same"))).status).toBe(201);
    expect((await call("POST", "/patients", { name: "x" }, key("same"))).status).toBe(201);
    for (const path of ["/threads", "/patients"]) {
      const reply = await call("POST", path, { name: "x" }, key("x".repeat(256)));
      expect(reply.status).toBe(400);
      expect(reply.body.details[0].path).toBe("Idempotency-Key");
    }
  });
});

test.each(endpoints.filter(({ path }) => path.startsWith("/patients/{id}")))(
  "$method $path accepts the id in upper case",
  async ({ method, path, status }) => {
    const { id } = await create();
    const body = { PATCH: {}, PUT: { resourceType: "Patient", name: [{ text: "Pat Example" }] } }[method as string];
    const reply = await call(method, path.replace("{id}", id.toUpperCase()), body);
    expect(reply.status).toBe(status);
    expect(JSON.stringify(reply.body)).not.toContain(id.toUpperCase());
  },
);
