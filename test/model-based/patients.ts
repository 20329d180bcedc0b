import { expect } from "@jest/globals";
import { PATIENT_GONE } from "../../shared/patients/patient.ts";
import { certainlyThere, type Interval, type Message, note, type Patient, type Thread } from "./thread.ts";
import { inOrder, newThread } from "./threads.ts";
import { type Client, call, newPhone, notation } from "./world.ts";

const NO_PATIENT = { status: 404, body: { error: PATIENT_GONE.error } };

export function patientsOf({ patients }: Client): Patient[] {
  return patients;
}

export async function createPatient(complete: boolean, client: Client, way: number): Promise<void> {
  const number = client.world.next();
  const phone = newPhone(client.world);
  const name = `Patient ${number} of ${client.name}`;
  const condition = `condition-${number}`;
  const given = { name, conditions: [condition], ...(complete && { age: 40, gender: "female" }) };
  const { status, body } = await call(client, "POST", "/patients", {
    body: { ...given, phone_number: notation(phone, way) },
  });
  expect(status).toBe(201);
  expect(body.patient).toMatchObject({ name, conditions: [condition], phone_number: phone, join_status: "API" });
  client.patients.push({ id: body.patient.id, name, phone, condition, complete });
  client.tenant.patients.push(body.patient.id);
}

export async function createPatientAgain({ id, name, phone }: Patient, client: Client, way: number) {
  const request = { body: { phone_number: notation(phone, way) } };
  const { status, body } = await call(client, "POST", "/patients", request);
  expect({ status, body }).toEqual({
    status: 409,
    body: { error: "Patient with this phone number already exists", patient: { id, name, phone_number: phone } },
  });
}

/** Of all clients of a tenant that register a number, one creates the patient, and the others are told of that one. */
export async function registerShared(index: number, client: Client, way: number): Promise<void> {
  const number = client.tenant.phones[index] as Client["tenant"]["phones"][number];
  const { status, body } = await call(client, "POST", "/patients", {
    body: { name: client.name, phone_number: notation(number.phone, way), age: 40, gender: "male" },
  });
  expect([201, 409]).toContain(status);
  (status === 201 ? number.created : number.known).push(body.patient.id);
  const reply = await call(client, "POST", "/threads", { body: { phone: number.phone } });
  const thread = newThread(client, reply, undefined);
  const shown = await call(client, "GET", `/threads/${thread.id}`);
  if (shown.status === 200) {
    expect(shown.body.thread.patientId).toBe(body.patient.id);
  }
}

export async function getPatient({ id, name, phone, condition, complete }: Patient, client: Client) {
  const { status, body } = await call(client, "GET", `/patients/${id}`);
  const patient = { id, name, phone_number: phone, conditions: [condition], age: complete ? 40 : null };
  expect({ status, body }).toMatchObject({ status: 200, body: { patient } });
}

/** Corrects a patient; the same correction with the old entity tag is refused and changes nothing. */
export async function correctPatient(patient: Patient, client: Client): Promise<void> {
  const path = `/patients/${patient.id}`;
  const { headers } = await call(client, "GET", path);
  const ifMatch = { "if-match": headers.get("etag") ?? "" };
  const number = client.world.next();
  patient.name = `Patient ${number} of ${client.name}`;
  patient.condition = `condition-${number}`;
  const { id, name, phone, condition } = patient;
  const correction = { body: { name, conditions: [condition] }, headers: ifMatch };
  const { status, body } = await call(client, "PATCH", path, correction);
  const corrected = { id, name, phone_number: phone, conditions: [condition] };
  expect({ status, body }).toMatchObject({ status: 200, body: { patient: corrected } });
  const late = await call(client, "PATCH", path, { body: { name: "Nobody" }, headers: ifMatch });
  expect(late.status).toBe(412);
}

/** The old number is free again, the new one is not. */
export async function changePhone(patient: Patient, client: Client, way: number): Promise<void> {
  const old = patient.phone;
  patient.phone = newPhone(client.world);
  const change = { body: { phone_number: notation(patient.phone, way) } };
  const { status, body } = await call(client, "PATCH", `/patients/${patient.id}`, change);
  expect({ status, body }).toMatchObject({ status: 200, body: { patient: { phone_number: patient.phone } } });
  await expectFound(client, notation(old, way), []);
}

export async function searchPatient({ id, name, phone }: Patient, client: Client, way: number) {
  await expectFound(client, notation(phone, way), [{ id, name, phone_number: phone }]);
}

async function expectFound(client: Client, phone_number: string, patients: unknown[]): Promise<void> {
  const { body } = await call(client, "POST", "/patients/search", { body: { phone_number } });
  expect(body).toEqual({ success: true, patients });
}

/** Every thread that is linked to a patient, or has answered about one, and was not deleted. */
function threadsAbout({ threads }: Client, patient: Patient): Thread[] {
  return threads.filter(
    ({ about, reused, deletedFrom }) => about === patient && !reused && deletedFrom === Number.POSITIVE_INFINITY,
  );
}

/** Notes which threads were in a list of those about a patient, and with which messages if it had any. */
function noteList(expected: Thread[], interval: Interval, listed: { threadId: string; messages?: Message[] }[]): void {
  const byId = new Map(listed.map((one) => [one.threadId, one]));
  expect(byId.size).toBe(listed.length);
  for (const thread of expected) {
    const one = byId.get(thread.id);
    const messages = one?.messages && { messages: inOrder(one.messages) };
    note(thread, { name: "list", found: one !== undefined, ...messages, ...interval });
  }
  const ids = expected.map(({ id }) => id);
  expect([...byId.keys()].filter((id) => !ids.includes(id))).toEqual([]);
}

export async function listThreads(patient: Patient, client: Client, limit: number): Promise<void> {
  const expected = threadsAbout(client, patient);
  const listed: { threadId: string }[] = [];
  const start = Date.now();
  let cursor = "";
  for (let hasMore = true; hasMore; ) {
    const path = `/patients/${patient.id}/threads?limit=${limit}${cursor}`;
    const { status, body } = await call(client, "GET", path);
    expect(status).toBe(200);
    expect(body.threads.length).toBeLessThanOrEqual(limit);
    listed.push(...body.threads.map(({ threadId }: { threadId: string }) => ({ threadId })));
    ({ hasMore } = body);
    cursor = `&before=${body.next}`;
  }
  noteList(expected, { start, end: Date.now() }, listed);
}

export async function exportPatient(patient: Patient, client: Client): Promise<void> {
  const expected = threadsAbout(client, patient);
  const { id, name, phone, condition } = patient;
  const { status, body, interval } = await call(client, "GET", `/patients/${id}/export`);
  expect(status).toBe(200);
  expect(body.patient).toMatchObject({ id, name, phone_number: phone, conditions: [condition] });
  noteList(expected, interval, body.threads);
}

/** Nothing of the patient is left: neither the record nor a thread, and the number is free. */
export async function erasePatient(patient: Patient, client: Client, way: number): Promise<void> {
  const path = `/patients/${patient.id}`;
  const threads = threadsAbout(client, patient);
  const { status, body, interval } = await call(client, "DELETE", path);
  expect(status).toBe(200);
  // One that has expired and was not swept yet is erased as well.
  const certain = threads.filter((thread) => certainlyThere(thread, interval.end, client.world.idle));
  const messages = certain.flatMap(({ history }) => Math.max(0, ...history.map(({ count = 0 }) => count)));
  expect(body.erased.threads).toBeGreaterThanOrEqual(certain.length);
  expect(body.erased.threads).toBeLessThanOrEqual(threads.length);
  expect(body.erased.messages).toBeGreaterThanOrEqual(messages.reduce((sum, count) => sum + count, 0));
  for (const thread of threads) {
    thread.deletedFrom = interval.start;
    note(thread, { name: "erasure", found: undefined, deletes: true, ...interval });
  }
  client.patients = client.patients.filter((one) => one !== patient);
  for (const [method, gone] of [
    ["GET", path],
    ["GET", `${path}/threads`],
    ["GET", `${path}/export`],
    ["DELETE", path],
  ] as const) {
    const answer = await call(client, method, gone);
    expect({ status: answer.status, body: answer.body }).toEqual(NO_PATIENT);
  }
  await expectFound(client, notation(patient.phone, way), []);
}
