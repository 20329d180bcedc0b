import { exactly } from "../expected.ts";
import { erasableId, linkedThread, METADATA, messagesOf, NEW_THREAD, patientId, threadFields } from "../fixtures.ts";
import { NO_PATIENT, NO_THREAD } from "../not-found.ts";
import { rulesOf } from "../rule.ts";

/** The rules for creating, reading, finding and correcting a patient. */
export const patients = [
  ...rulesOf("POST /patients", {
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
  }),
  ...rulesOf("GET /patients/{id}", {
    "of the patient: 200 with the whole record": async (target) => {
      const id = await patientId(target);
      await target.expect(`GET /patients/${id}`, 200, target.patient.record(id));
    },
  }),
  ...rulesOf("POST /patients/search", {
    "with the patient's number: 200 with the patient": async (target) => {
      const found = { patients: [target.patient.summary(await patientId(target))] };
      await target.expect("POST /patients/search", 200, found, { body: { phone_number: target.patient.phone } });
    },
  }),
  ...rulesOf("PATCH /patients/{id}", {
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
      const changed = exactly({ success: false, error: "Patient was changed since it was read" });
      await target.expect(`PATCH /patients/${await erasableId(target)}`, 412, changed, request);
    },
  }),
];

/** The rules for what concerns a patient's threads. */
export const patientThreads = [
  ...rulesOf("GET /patients/{id}/threads", {
    "of the patient: 200 with the thread": async (target) => {
      const page = { threads: [threadFields(await linkedThread(target))], hasMore: false, next: undefined };
      await target.expect(`GET /patients/${await patientId(target)}/threads`, 200, page);
    },
  }),
  ...rulesOf("GET /patients/{id}/export", {
    "of the patient: 200 with the record and the thread": async (target) => {
      const id = await patientId(target);
      const linked = await linkedThread(target);
      const exported = {
        patient: target.patient.exported(id),
        threads: [{ ...threadFields(linked), metadata: exactly(METADATA), messages: messagesOf(linked, true) }],
      };
      await target.expect(`GET /patients/${id}/export`, 200, exported, { marked: linked.messages.length > 0 });
    },
  }),
];

/** The rules for erasing a patient. */
export const erasure = rulesOf("DELETE /patients/{id}", {
  "with a thread: 200, both are erased": async (target) => {
    const id = await erasableId(target);
    const opened = await target.expect("POST /threads", 201, NEW_THREAD, { body: { patientId: id } });
    const { threadId } = opened.body;
    await target.expect(`DELETE /patients/${id}`, 200, { erased: { threads: 1, messages: 0 } });
    target.owned.delete(`/threads/${threadId}`);
    await target.expect(`GET /threads/${threadId}`, 404, exactly({ error: NO_THREAD }));
    await target.expect(`GET /patients/${id}`, 404, exactly({ error: NO_PATIENT }));
  },
});
