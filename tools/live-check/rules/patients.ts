import * as z from "zod";
import {
  createdThread,
  erasedPatient,
  exactly,
  genericError,
  genericFault,
  KEY_REUSED,
  LIMIT_RULE,
  messageList,
  NO_PATIENT,
  NO_THREAD,
  succeeded,
  thread,
} from "../bodies.ts";
import { erasableId, linkedThread, patientId } from "../fixtures.ts";
import { rulesOf } from "../rule.ts";
import { NOBODYS_ID } from "../synthetic-patient.ts";

const PHONE_RULE = "phone_number must have 10 digits, or 11 with the country code";

/** The rules for creating, reading, finding and correcting a patient. */
export const patients = [
  ...rulesOf("POST /patients", {
    "with neither name nor phone number: 400": (target) =>
      target.expect("POST /patients", 400, genericFault("Failed to create patient", "name"), { body: {} }),
    "with a whole record: 201": patientId,
    "with the number of another patient: 409 with that patient": async (target) => {
      const existing = target.patient.existing(await patientId(target));
      await target.expect("POST /patients", 409, existing, { body: { phone_number: target.patient.phone } });
    },
    "again with the same Idempotency-Key: 201 with the same response": async (target) => {
      await erasableId(target);
      const request = { body: target.erasable.request, headers: target.idempotencyKey("patient") };
      await target.expect("POST /patients", 201, exactly(target.fixtures.created), { ...request, replayed: true });
    },
    "with another body and the same Idempotency-Key: 422": async (target) => {
      await erasableId(target);
      const request = { body: { name: "Live Check" }, headers: target.idempotencyKey("patient") };
      await target.expect("POST /patients", 422, genericError(KEY_REUSED), request);
    },
  }),
  ...rulesOf("GET /patients/{id}", {
    "with an unknown id: 404": (target) => target.expect(`GET /patients/${NOBODYS_ID}`, 404, NO_PATIENT),
    "of the patient: 200 with the whole record": async (target) => {
      const id = await patientId(target);
      await target.expect(`GET /patients/${id}`, 200, target.patient.record(id));
    },
  }),
  ...rulesOf("POST /patients/search", {
    "with a number of 7 digits: 400": (target) => {
      const body = { phone_number: "555-0143" };
      return target.expect("POST /patients/search", 400, genericFault(PHONE_RULE, "phone_number"), { body });
    },
    "with the patient's number: 200 with the patient": async (target) => {
      const found = [target.patient.summary(await patientId(target))];
      const body = { phone_number: target.patient.phone };
      await target.expect("POST /patients/search", 200, succeeded({ patients: exactly(found) }), { body });
    },
  }),
  ...rulesOf("PATCH /patients/{id}", {
    "with an unknown id: 404": (target) =>
      target.expect(`PATCH /patients/${NOBODYS_ID}`, 404, NO_PATIENT, { body: { allergies: "none" } }),
    "with an unknown field: 400": async (target) => {
      const invalid = genericFault("Failed to update patient", "phone");
      await target.expect(`PATCH /patients/${await erasableId(target)}`, 400, invalid, { body: { phone: "" } });
    },
    "with the current ETag: 200 with the whole record, and GET returns the same": async (target) => {
      const id = await erasableId(target);
      const path = `/patients/${id}`;
      const before = await target.expect(`GET ${path}`, 200, target.erasable.record(id));
      const change = { body: { allergies: "none" }, headers: { "if-match": before.headers.get("etag") } };
      const { body } = await target.expect(`PATCH ${path}`, 200, target.erasable.record(id, "none"), change);
      await target.expect(`GET ${path}`, 200, exactly(body));
    },
    "with another ETag: 412": async (target) => {
      const request = { body: { allergies: "none" }, headers: { "if-match": '"another"' } };
      const changed = genericError("Patient was changed since it was read");
      await target.expect(`PATCH /patients/${await erasableId(target)}`, 412, changed, request);
    },
    "with the number of another patient: 409 with that patient": async (target) => {
      const existing = target.patient.existing(await patientId(target));
      const body = { phone_number: target.patient.phone };
      await target.expect(`PATCH /patients/${await erasableId(target)}`, 409, existing, { body });
    },
  }),
];

/** The rules for what concerns a patient's threads. */
export const patientThreads = [
  ...rulesOf("GET /patients/{id}/threads", {
    "with an unknown id: 404": (target) => target.expect(`GET /patients/${NOBODYS_ID}/threads`, 404, NO_PATIENT),
    "with limit=0: 400": async (target) => {
      const path = `/patients/${await patientId(target)}/threads?limit=0`;
      await target.expect(`GET ${path}`, 400, genericFault(LIMIT_RULE, "limit"));
    },
    "of the patient: 200 with the thread": async (target) => {
      const page = { threads: z.tuple([thread(await linkedThread(target))]), hasMore: z.literal(false) };
      await target.expect(`GET /patients/${await patientId(target)}/threads`, 200, succeeded(page));
    },
  }),
  ...rulesOf("GET /patients/{id}/export", {
    "with an unknown id: 404": (target) => target.expect(`GET /patients/${NOBODYS_ID}/export`, 404, NO_PATIENT),
    "of the patient: 200 with the record and the thread": async (target) => {
      const id = await patientId(target);
      const linked = await linkedThread(target);
      const exported = {
        exportedAt: z.iso.datetime(),
        patient: target.patient.exported(id),
        threads: z.tuple([
          thread(linked, { metadata: exactly({ source: "live check" }), messages: messageList(linked.messages, true) }),
        ]),
      };
      const marked = linked.messages.length > 0;
      await target.expect(`GET /patients/${id}/export`, 200, succeeded(exported), { marked });
    },
  }),
];

/** The rules for erasing a patient. */
export const erasure = rulesOf("DELETE /patients/{id}", {
  "with an unknown id: 404": (target) => target.expect(`DELETE /patients/${NOBODYS_ID}`, 404, NO_PATIENT),
  "with a thread: 200, both are erased": async (target) => {
    const id = await erasableId(target);
    const opened = await target.expect("POST /threads", 201, createdThread, { body: { patientId: id } });
    const { threadId } = opened.body;
    await target.expect(`DELETE /patients/${id}`, 200, erasedPatient(1));
    target.owned.delete(`/threads/${threadId}`);
    await target.expect(`GET /threads/${threadId}`, 404, NO_THREAD);
    await target.expect(`GET /patients/${id}`, 404, NO_PATIENT);
  },
});
