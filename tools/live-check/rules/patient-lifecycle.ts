import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import {
  createdThread,
  deletedThread,
  fault,
  genericError,
  genericFault,
  PAGE_ERRORS,
  plainError,
  threadInfo,
} from "../bodies.ts";
import { Deviation, needed } from "../deviation.ts";
import type { Rule } from "../rule.ts";
import {
  ERASABLE_PATIENT,
  existingPatient,
  NOBODYS_ID,
  NOBODYS_NUMBER,
  NOTATIONS,
  STORED_NUMBER,
  SYNTHETIC_PATIENT,
} from "../synthetic-patient.ts";

const success = z.literal(true);
const timestamp = z.iso.datetime();
const GONE = plainError("Patient not found");
const NUMBER = "12025550144";
const PHONE_RULE = "phone_number must have 10 digits, or 11 with the country code";
const STRICT = { prefer: "handling=strict" };

/** Matches exactly this value. */
const exactly = (value: unknown) =>
  z.unknown().refine((other) => isDeepStrictEqual(other, value), "expected another value");

const stored = (id: string, allergies: string | undefined) => ({
  id: z.literal(id),
  name: z.literal(ERASABLE_PATIENT.name),
  phone_number: z.literal(NUMBER),
  conditions: exactly([]),
  medications: exactly([]),
  notes: exactly([]),
  reminders_enabled: z.literal(false),
  join_status: z.literal("API"),
  created_at: timestamp,
  updated_at: timestamp,
  age: z.literal(ERASABLE_PATIENT.age),
  gender: z.literal(ERASABLE_PATIENT.gender),
  ...(allergies !== undefined && { allergies: z.literal(allergies) }),
});

const record = (id: string, allergies: string | null) =>
  z.strictObject({
    success,
    patient: z.strictObject({
      ...stored(id, undefined),
      allergies: z.literal(allergies),
      refill_info: z.null(),
      height: z.null(),
      weight: z.null(),
      race: z.null(),
      blood_type: z.null(),
      subscription_plan: z.literal("free"),
      whatsapp_terms_accepted: z.literal(false),
      never_show_audio_prompt: z.literal(false),
      access_code: z.null(),
      apple_messages_id: z.null(),
      apple_messages_terms_accepted: z.literal(false),
    }),
  });

const { age: _age, gender: _gender, ...createdFields } = stored("", undefined);
const created = z.strictObject({
  success,
  patient: z.strictObject({ ...createdFields, id: z.uuid(), refill_info: z.null() }),
});
const existing = z.strictObject({
  error: z.literal("Patient with this phone number already exists"),
  patient: z.strictObject({ id: z.uuid(), name: createdFields.name, phone_number: createdFields.phone_number }),
});

const found = (patients: unknown[]) => z.strictObject({ success, patients: exactly(patients) });

const patch = (target: Parameters<Rule["play"]>[0], body: unknown, headers?: Record<string, string>) =>
  target.raw("PATCH", `/patients/${needed(target.found.erasableId)}`, { body, ...(headers && { headers }) });

const invalidPatch = (path: string) => genericFault("Failed to update patient", path);

/** The rules for correcting, finding, exporting and erasing a patient, in this order. */
export const patientLifecycle: Rule[] = [
  {
    name: "POST /patients with the record to be erased: 201, or 409 if an earlier run was interrupted",
    setup: true,
    play: async (target) => {
      const options = { headers: { "idempotency-key": target.idempotencyKey("patient") }, body: ERASABLE_PATIENT };
      const reply = await target.raw("POST", "/patients", options);
      const first = reply.status === 201;
      target.hold(reply, first ? 201 : 409, first ? created : existing);
      target.found.erasableId = (reply.body as { patient: { id: string } }).patient.id;
      if (first) {
        target.found.created = reply.body;
      }
    },
  },
  {
    name: "POST /patients again with the same Idempotency-Key: 201 with the same response",
    play: async (target) => {
      const created = needed(target.found.created);
      const options = { headers: { "idempotency-key": target.idempotencyKey("patient") }, body: ERASABLE_PATIENT };
      const reply = await target.raw("POST", "/patients", options);
      target.hold(reply, 201, exactly(created));
      if (reply.headers.get("idempotent-replayed") !== "true") {
        throw new Deviation(["header idempotent-replayed: expected true"]);
      }
    },
  },
  {
    name: "POST /patients with another record and the same Idempotency-Key: 422",
    play: async (target) => {
      needed(target.found.created);
      const options = {
        headers: { "idempotency-key": target.idempotencyKey("patient") },
        body: { name: "Live Check" },
      };
      const reply = await target.raw("POST", "/patients", options);
      target.hold(reply, 422, genericError("Idempotency-Key was used with another request"));
    },
  },
  {
    name: "POST /patients with an unknown field and Prefer: handling=strict: 400",
    play: async (target) => {
      const reply = await target.raw("POST", "/patients", { body: { phone: NOBODYS_NUMBER }, headers: STRICT });
      target.hold(reply, 400, genericFault("Failed to create patient", "phone"));
    },
  },
  ...Object.entries(NOTATIONS).map(
    ([notation, phone_number]): Rule => ({
      name: `POST /patients/search with the patient's number (${notation}): 200 with the patient`,
      play: async (target) => {
        const summary = {
          id: needed(target.found.patientId),
          name: SYNTHETIC_PATIENT.name,
          phone_number: STORED_NUMBER,
        };
        const reply = await target.call((client, options) => client.searchPatients({ phone_number }, options));
        target.hold(reply, 200, found([summary]));
      },
    }),
  ),
  {
    name: "POST /patients/search with an unknown number: 200 with an empty list",
    play: async (target) => {
      const request = { phone_number: NOBODYS_NUMBER };
      target.hold(await target.call((client, options) => client.searchPatients(request, options)), 200, found([]));
    },
  },
  ...(
    [
      ["a number of 7 digits", { phone_number: "555-0143" }, genericFault(PHONE_RULE, "phone_number")],
      ["a number that is not a string", { phone_number: 5 }, fault("phone_number")],
      ["a body that is not JSON", "{", genericFault("Request body is not valid JSON", "")],
    ] as const
  ).map(
    ([what, body, answer]): Rule => ({
      name: `POST /patients/search with ${what}: 400`,
      play: async (target) => {
        const reply = await target.raw("POST", "/patients/search", { body });
        target.hold(reply, 400, answer);
      },
    }),
  ),
  {
    name: "PATCH /patients/{id} with an allergy: 200 with the whole record, and GET returns the same",
    play: async (target) => {
      const id = needed(target.found.erasableId);
      const reply = await target.call((client, options) => client.updatePatient(id, { allergies: "none" }, options));
      target.hold(reply, 200, record(id, "none"));
      const read = await target.call((client, options) => client.getPatient(id, options));
      target.hold(read, 200, record(id, "none"));
      if (!isDeepStrictEqual(read.body, reply.body) || read.headers.get("etag") !== reply.headers.get("etag")) {
        throw new Deviation(["body: expected the record that PATCH returned, with the same ETag"]);
      }
    },
  },
  {
    name: "PATCH /patients/{id} with the current ETag and null: 200, the field is removed",
    play: async (target) => {
      const id = needed(target.found.erasableId);
      const read = await target.call((client, options) => client.getPatient(id, options));
      target.hold(read, 200, record(id, "none"));
      const ifMatch = read.headers.get("etag") ?? "";
      const reply = await target.call((client, options) =>
        client.updatePatient(id, { allergies: null }, { ...options, ifMatch }),
      );
      target.hold(reply, 200, record(id, null));
    },
  },
  {
    name: "PATCH /patients/{id} with another ETag: 412",
    play: async (target) => {
      const reply = await patch(target, { allergies: "none" }, { "if-match": '"another"' });
      target.hold(reply, 412, genericError("Patient was changed since it was read"));
    },
  },
  {
    name: "PATCH /patients/{id} with another patient's number: 409 with that patient",
    play: async (target) => {
      const id = needed(target.found.patientId);
      const reply = await patch(target, { phone_number: SYNTHETIC_PATIENT.phone_number });
      target.hold(reply, 409, existingPatient(z.literal(id)));
    },
  },
  ...(
    [
      ["an unknown field", { phone: NOBODYS_NUMBER }, "phone"],
      ["neither name nor phone number", { name: null, phone_number: null }, "name"],
      ["a phone number of 9 digits", { phone_number: "555-0143-12" }, "phone_number"],
      ["a body that is not JSON", "{", ""],
    ] as const
  ).map(
    ([what, body, path]): Rule => ({
      name: `PATCH /patients/{id} with ${what}: 400`,
      play: async (target) => target.hold(await patch(target, body), 400, invalidPatch(path)),
    }),
  ),
  {
    name: "PATCH /patients/{id} with an unknown id: 404",
    play: async (target) =>
      target.hold(await target.raw("PATCH", `/patients/${NOBODYS_ID}`, { body: { allergies: "none" } }), 404, GONE),
  },
  {
    name: "GET /patients/{id}/threads: 200 with the thread that was opened for the patient",
    play: async (target) => {
      const id = needed(target.found.erasableId);
      const opened = await target.call((client, options) => client.createThread({ patientId: id }, options));
      target.hold(opened, 201, createdThread);
      const { threadId } = opened.body as { threadId: string };
      const seen = await target.call((client, options) => client.getThread(threadId, options));
      target.hold(seen, 200, threadInfo({ threadId, patientId: id, messageCount: 0 }));
      const { thread } = seen.body as { thread: unknown };
      const reply = await target.call((client, options) => client.listPatientThreads(id, { ...options, limit: 100 }));
      target.hold(reply, 200, z.strictObject({ success, threads: exactly([thread]), hasMore: z.literal(false) }));
      const deleted = await target.call((client, options) => client.deleteThread(threadId, options));
      target.hold(deleted, 200, deletedThread);
    },
  },
  ...PAGE_ERRORS.map(
    ([query, error]): Rule => ({
      name: `GET /patients/{id}/threads with ${query}: 400`,
      play: async (target) => {
        const reply = await target.raw("GET", `/patients/${needed(target.found.erasableId)}/threads?${query}`);
        target.hold(reply, 400, genericFault(error, query.split("=")[0] ?? ""));
      },
    }),
  ),
  {
    name: "GET /patients/{id}/threads with an unknown id: 404",
    play: async (target) => target.hold(await target.raw("GET", `/patients/${NOBODYS_ID}/threads`), 404, GONE),
  },
  {
    name: "GET /patients/{id}/export: 200 with the record and its threads",
    play: async (target) => {
      const id = needed(target.found.erasableId);
      const reply = await target.call((client, options) => client.exportPatient(id, options));
      const patient = z.strictObject(stored(id, undefined));
      target.hold(reply, 200, z.strictObject({ success, exportedAt: timestamp, patient, threads: exactly([]) }));
    },
  },
  {
    name: "GET /patients/{id}/export with an unknown id: 404",
    play: async (target) => target.hold(await target.raw("GET", `/patients/${NOBODYS_ID}/export`), 404, GONE),
  },
  {
    name: "DELETE /patients/{id} with a thread: 200, both are erased",
    play: async (target) => {
      const id = needed(target.found.erasableId);
      const opened = await target.call((client, options) => client.createThread({ patientId: id }, options));
      target.hold(opened, 201, createdThread);
      const { threadId } = opened.body as { threadId: string };
      const reply = await target.call((client, options) => client.deletePatient(id, options));
      const erased = z.strictObject({ threads: z.literal(1), messages: z.literal(0) });
      target.hold(reply, 200, z.strictObject({ success, message: z.literal("Patient deleted successfully"), erased }));
      target.openThreads.delete(threadId);
      const seen = await target.call((client, options) => client.getThread(threadId, options));
      target.hold(seen, 404, plainError("Thread not found or expired"));
    },
  },
  {
    name: "DELETE /patients/{id} of the erased patient: 404",
    play: async (target) => {
      const id = needed(target.found.erasableId);
      const reply = await target.call((client, options) => client.deletePatient(id, options));
      target.hold(reply, 404, GONE);
    },
  },
  {
    name: "GET /patients/{id} of the erased patient: 404",
    play: async (target) => {
      const id = needed(target.found.erasableId);
      if (!target.erased) {
        needed(undefined);
      }
      target.hold(await target.call((client, options) => client.getPatient(id, options)), 404, GONE);
    },
  },
];
