import { expect } from "@jest/globals";
import { agree, type Interval, type PatientModel, presence, type ThreadModel } from "./reference.ts";
import { type Client, call, newPhone, notation, type World } from "./world.ts";

// Reading, correcting, searching, exporting and erasing what the other commands have stored.

const PATIENT_GONE = { error: "Patient not found" };

/** Every thread that is linked to a patient, or has answered about one, and was not deleted by this client. */
function threadsAbout({ threads }: Client, patient: PatientModel): ThreadModel[] {
  return threads.filter(({ about, reused, deletedFrom }) => about === patient && !reused && deletedFrom > Date.now());
}

/** What a thread's messages must be, the newest first. */
function messagesOf({ turns }: ThreadModel): { role: string; content: string }[] {
  return turns
    .flatMap(({ question, answer }) => [
      ...(question === undefined ? [] : [{ role: "user", content: question }]),
      { role: "assistant", content: answer },
    ])
    .reverse();
}

const rolesAndTexts = (messages: { role: string; content: string }[]) =>
  messages.map(({ role, content }) => ({ role, content }));

export async function readMessages(thread: ThreadModel, _: Client, world: World, limit: number): Promise<void> {
  const read: { role: string; content: string }[] = [];
  let cursor = "";
  for (let hasMore = true; hasMore; ) {
    const { status, body, interval } = await call(
      world,
      "GET",
      `/threads/${thread.id}/messages?limit=${limit}${cursor}`,
    );
    if (!agree(thread, interval, world.idle, status === 200)) {
      return;
    }
    hasMore = body.hasMore;
    expect(body.messages.length).toBeLessThanOrEqual(limit);
    read.push(...rolesAndTexts(body.messages));
    cursor = `&before=${body.messages.at(-1)?.id}`;
  }
  expect(read).toEqual(messagesOf(thread));
}

/** Corrects a patient; the same correction with the old entity tag is refused and changes nothing. */
export async function correctPatient(patient: PatientModel, _: Client, world: World): Promise<void> {
  const path = `/patients/${patient.id}`;
  const { headers } = await call(world, "GET", path);
  const ifMatch = { "if-match": headers.get("etag") ?? "" };
  const number = world.next();
  patient.name = `Patient ${number}`;
  patient.condition = `condition-${number}`;
  const { status, body } = await call(world, "PATCH", path, {
    body: { name: patient.name, conditions: [patient.condition] },
    headers: ifMatch,
  });
  expect({ status, patient: body.patient }).toMatchObject({
    status: 200,
    patient: { id: patient.id, name: patient.name, phone_number: patient.phone, conditions: [patient.condition] },
  });
  const late = await call(world, "PATCH", path, { body: { name: "Nobody" }, headers: ifMatch });
  expect(late.status).toBe(412);
}

/** The old number is free again, the new one is not. */
export async function changePhone(patient: PatientModel, _: Client, world: World, way: number): Promise<void> {
  const old = patient.phone;
  patient.phone = newPhone(world);
  const { status, body } = await call(world, "PATCH", `/patients/${patient.id}`, {
    body: { phone_number: notation(patient.phone, way) },
  });
  expect({ status, phone: body.patient?.phone_number }).toEqual({ status: 200, phone: patient.phone });
  const { body: found } = await call(world, "POST", "/patients/search", { body: { phone_number: notation(old, way) } });
  expect(found).toEqual({ success: true, patients: [] });
}

export async function searchPatient({ id, name, phone }: PatientModel, _: Client, world: World, way: number) {
  const { body } = await call(world, "POST", "/patients/search", { body: { phone_number: notation(phone, way) } });
  expect(body).toEqual({ success: true, patients: [{ id, name, phone_number: phone }] });
}

/** A thread that must be in a list is in it, and one that must not be is not; one that expires meanwhile may be. */
function compareThreads(world: World, expected: ThreadModel[], interval: Interval, ids: string[]): void {
  expect(new Set(ids).size).toBe(ids.length);
  for (const thread of expected) {
    agree(thread, interval, world.idle, ids.includes(thread.id));
  }
  expect(ids.filter((id) => !expected.some((thread) => thread.id === id))).toEqual([]);
}

export async function listThreads(patient: PatientModel, client: Client, world: World, limit: number): Promise<void> {
  const expected = threadsAbout(client, patient);
  const ids: string[] = [];
  const start = Date.now();
  let end = start;
  let cursor = "";
  for (let hasMore = true; hasMore; ) {
    const path = `/patients/${patient.id}/threads?limit=${limit}${cursor}`;
    const { status, body, interval } = await call(world, "GET", path);
    expect(status).toBe(200);
    expect(body.threads.length).toBeLessThanOrEqual(limit);
    ids.push(...body.threads.map(({ threadId }: { threadId: string }) => threadId));
    ({ hasMore } = body);
    cursor = `&before=${body.next}`;
    end = interval.end;
  }
  compareThreads(world, expected, { start, end }, ids);
}

export async function exportPatient(patient: PatientModel, client: Client, world: World): Promise<void> {
  const expected = threadsAbout(client, patient);
  const { status, body, interval } = await call(world, "GET", `/patients/${patient.id}/export`);
  expect(status).toBe(200);
  const { id, name, phone, condition } = patient;
  expect(body.patient).toMatchObject({ id, name, phone_number: phone, conditions: [condition] });
  const exported: { threadId: string; messages: { role: string; content: string }[] }[] = body.threads;
  compareThreads(
    world,
    expected,
    interval,
    exported.map(({ threadId }) => threadId),
  );
  for (const { threadId, messages } of exported) {
    const thread = expected.find((one) => one.id === threadId) as ThreadModel;
    expect(rolesAndTexts(messages)).toEqual(messagesOf(thread));
  }
}

/** Nothing of the patient is left: neither the record nor a thread, and the number is free. */
export async function erasePatient(patient: PatientModel, client: Client, world: World, way: number): Promise<void> {
  const path = `/patients/${patient.id}`;
  const threads = threadsAbout(client, patient);
  for (const thread of threads) {
    thread.deletedFrom = Date.now();
  }
  const { status, body, interval } = await call(world, "DELETE", path);
  expect(status).toBe(200);
  // One that has expired and was not swept yet is erased as well.
  const certain = threads.filter((thread) => presence(thread, interval, world.idle) === "present");
  expect(body.erased.threads).toBeGreaterThanOrEqual(certain.length);
  expect(body.erased.threads).toBeLessThanOrEqual(threads.length);
  expect(body.erased.messages).toBeGreaterThanOrEqual(certain.reduce((sum, { turns }) => sum + 2 * turns.length, 0));
  for (const thread of threads) {
    thread.gone = true;
  }
  client.patients = client.patients.filter((one) => one !== patient);
  for (const [method, gone] of [
    ["GET", path],
    ["GET", `${path}/threads`],
    ["GET", `${path}/export`],
    ["DELETE", path],
  ] as const) {
    const answer = await call(world, method, gone);
    expect({ method, gone, status: answer.status, body: answer.body }).toEqual({
      method,
      gone,
      status: 404,
      body: PATIENT_GONE,
    });
  }
  const search = { body: { phone_number: notation(patient.phone, way) } };
  expect((await call(world, "POST", "/patients/search", search)).body).toEqual({ success: true, patients: [] });
}
