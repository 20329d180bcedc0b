import { expect } from "@jest/globals";
import fc from "fast-check";
import { type Command, command } from "./command.ts";
import { agree, type Interval, type PatientModel, presence, type ThreadModel } from "./reference.ts";
import { type Client, call, newPhone, notation, type World } from "./world.ts";

// Reading, correcting, searching, exporting and erasing what the other commands have stored.

const PATIENT_GONE = { error: "Patient not found" };

const hasPatient = ({ patients }: Client) => patients.length > 0;
const hasThread = ({ threads }: Client) => threads.some(({ gone }) => !gone);

function patientOf({ patients }: Client, choice: number): PatientModel {
  return patients[choice % patients.length] as PatientModel;
}

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

async function readMessages(client: Client, world: World, which: number, limit: number): Promise<void> {
  const inUse = client.threads.filter(({ gone }) => !gone);
  const thread = inUse[which % inUse.length] as ThreadModel;
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
async function correctPatient(client: Client, world: World, which: number): Promise<void> {
  const patient = patientOf(client, which);
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
async function changePhone(client: Client, world: World, which: number, way: number): Promise<void> {
  const patient = patientOf(client, which);
  const old = patient.phone;
  patient.phone = newPhone(world);
  const { status, body } = await call(world, "PATCH", `/patients/${patient.id}`, {
    body: { phone_number: notation(patient.phone, way) },
  });
  expect({ status, phone: body.patient?.phone_number }).toEqual({ status: 200, phone: patient.phone });
  const { body: found } = await call(world, "POST", "/patients/search", { body: { phone_number: notation(old, way) } });
  expect(found).toEqual({ success: true, patients: [] });
}

async function searchPatient(client: Client, world: World, which: number, way: number): Promise<void> {
  const { id, name, phone } = patientOf(client, which);
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

async function listThreads(client: Client, world: World, which: number, limit: number): Promise<void> {
  const patient = patientOf(client, which);
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

async function exportPatient(client: Client, world: World, which: number): Promise<void> {
  const patient = patientOf(client, which);
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
async function erasePatient(client: Client, world: World, which: number, way: number): Promise<void> {
  const patient = patientOf(client, which);
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

export function lifecycleCommands(): fc.Arbitrary<Command> {
  const choice = fc.nat(20);
  const limit = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(100));
  const onPatient = (
    name: string,
    run: (client: Client, world: World, which: number, way: number) => Promise<void>,
    another = choice,
  ) =>
    fc
      .tuple(choice, another)
      .map(([which, way]) =>
        command(`${name}(${which}, ${way})`, hasPatient, (client, world) => run(client, world, which, way)),
      );
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(choice, limit)
        .map(([which, size]) =>
          command(`readMessages(${which}, limit ${size})`, hasThread, (client, world) =>
            readMessages(client, world, which, size),
          ),
        ),
    },
    { weight: 3, arbitrary: onPatient("correctPatient", correctPatient) },
    { weight: 2, arbitrary: onPatient("changePhone", changePhone) },
    { weight: 2, arbitrary: onPatient("searchPatient", searchPatient) },
    { weight: 3, arbitrary: onPatient("listThreads", listThreads, limit) },
    { weight: 2, arbitrary: onPatient("exportPatient", exportPatient) },
    { weight: 2, arbitrary: onPatient("erasePatient", erasePatient) },
  );
}
