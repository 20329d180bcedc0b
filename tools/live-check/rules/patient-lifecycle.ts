import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { createdThread, fault, genericError, genericFault, PAGE_ERRORS, plainError, threadInfo } from "../bodies.ts";
import { Deviation } from "../deviation.ts";
import { createErasable, deleteThread, erasableId, erase, erasedId, patientId, postErasable } from "../fixtures.ts";
import { exchange, type Rule } from "../rule.ts";
import { exactly, NOBODYS_ID, NOBODYS_NUMBER, NOTATIONS } from "../synthetic-patient.ts";
import type { Target } from "../target.ts";

const GONE = plainError("Patient not found");
const PHONE_RULE = "phone_number must have 10 digits, or 11 with the country code";
const STRICT = { prefer: "handling=strict" };

const success = z.literal(true);
const found = (patients: unknown[]) => z.strictObject({ success, patients: exactly(patients) });

const patch = async (target: Target, body: unknown, headers?: Record<string, string>) =>
  target.raw("PATCH", `/patients/${await erasableId(target)}`, { body, ...(headers && { headers }) });

/** What a search rejects. */
const INVALID_SEARCHES: [what: string, body: unknown, answer: z.ZodType][] = [
  ["a number of 7 digits", { phone_number: "555-0143" }, genericFault(PHONE_RULE, "phone_number")],
  ["a number that is not a string", { phone_number: 5 }, fault("phone_number")],
  ["a body that is not JSON", "{", genericFault("Request body is not valid JSON", "")],
];

/** What a correction rejects, with the invalid field. */
const INVALID_PATCHES: [what: string, body: unknown, path: string][] = [
  ["an unknown field", { phone: NOBODYS_NUMBER }, "phone"],
  ["neither name nor phone number", { name: null, phone_number: null }, "name"],
  ["a phone number of 9 digits", { phone_number: "555-0143-12" }, "phone_number"],
  ["a body that is not JSON", "{", ""],
];

/** Opens a thread for the patient that is corrected and erased. */
async function openFor(target: Target, patientId: string): Promise<string> {
  const opened = await target.call((client, options) => client.createThread({ patientId }, options));
  target.hold(opened, 201, createdThread);
  return (opened.body as { threadId: string }).threadId;
}

/** The rules for correcting, finding, exporting and erasing a patient, in this order. */
export const patientLifecycle: Rule[] = [
  {
    name: "POST /patients with the record to be erased: 201",
    play: async (target) => {
      await createErasable(target);
    },
  },
  {
    name: "POST /patients again with the same Idempotency-Key: 201 with the same response",
    play: async (target) => {
      await erasableId(target);
      const reply = await postErasable(target);
      target.hold(reply, 201, exactly(target.found.created));
      if (reply.headers.get("idempotent-replayed") !== "true") {
        throw new Deviation(["header idempotent-replayed: expected true"]);
      }
    },
  },
  exchange(
    "POST /patients with another record and the same Idempotency-Key",
    422,
    genericError("Idempotency-Key was used with another request"),
    async (target) => {
      await erasableId(target);
      return postErasable(target, { name: "Live Check" });
    },
  ),
  exchange(
    "POST /patients with an unknown field and Prefer: handling=strict",
    400,
    genericFault("Failed to create patient", "phone"),
    (target) => target.raw("POST", "/patients", { body: { phone: NOBODYS_NUMBER }, headers: STRICT }),
  ),
  ...Object.keys(NOTATIONS).map(
    (notation): Rule => ({
      name: `POST /patients/search with the patient's number (${notation}): 200 with the patient`,
      play: async (target) => {
        const summary = target.patient.summary(await patientId(target));
        const phone_number = target.patient.number(notation);
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
  ...INVALID_SEARCHES.map(([what, body, answer]) =>
    exchange(`POST /patients/search with ${what}`, 400, answer, (target) =>
      target.raw("POST", "/patients/search", { body }),
    ),
  ),
  {
    name: "PATCH /patients/{id} with an allergy: 200 with the whole record, and GET returns the same",
    play: async (target) => {
      const id = await erasableId(target);
      const reply = await target.call((client, options) => client.updatePatient(id, { allergies: "none" }, options));
      target.hold(reply, 200, target.erasable.record(id, "none"));
      const read = await target.call((client, options) => client.getPatient(id, options));
      target.hold(read, 200, target.erasable.record(id, "none"));
      if (!isDeepStrictEqual(read.body, reply.body) || read.headers.get("etag") !== reply.headers.get("etag")) {
        throw new Deviation(["body: expected the record that PATCH returned, with the same ETag"]);
      }
    },
  },
  {
    name: "PATCH /patients/{id} with the current ETag and null: 200, the field is removed",
    play: async (target) => {
      const id = await erasableId(target);
      const read = await target.call((client, options) => client.getPatient(id, options));
      target.hold(read, 200, target.erasable.record(id, "none"));
      const ifMatch = read.headers.get("etag") ?? "";
      const reply = await target.call((client, options) =>
        client.updatePatient(id, { allergies: null }, { ...options, ifMatch }),
      );
      target.hold(reply, 200, target.erasable.record(id, null));
    },
  },
  exchange(
    "PATCH /patients/{id} with another ETag",
    412,
    genericError("Patient was changed since it was read"),
    (target) => patch(target, { allergies: "none" }, { "if-match": '"another"' }),
  ),
  {
    name: "PATCH /patients/{id} with another patient's number: 409 with that patient",
    play: async (target) => {
      const id = await patientId(target);
      const reply = await patch(target, { phone_number: target.patient.request.phone_number });
      target.hold(reply, 409, target.patient.existing(id));
    },
  },
  ...INVALID_PATCHES.map(([what, body, path]) =>
    exchange(`PATCH /patients/{id} with ${what}`, 400, genericFault("Failed to update patient", path), (target) =>
      patch(target, body),
    ),
  ),
  exchange("PATCH /patients/{id} with an unknown id", 404, GONE, (target) =>
    target.raw("PATCH", `/patients/${NOBODYS_ID}`, { body: { allergies: "none" } }),
  ),
  {
    name: "GET /patients/{id}/threads: 200 with the thread that was opened for the patient",
    play: async (target) => {
      const id = await erasableId(target);
      const threadId = await openFor(target, id);
      const seen = await target.call((client, options) => client.getThread(threadId, options));
      target.hold(seen, 200, threadInfo({ threadId, patientId: id, messageCount: 0 }));
      const { thread } = seen.body as { thread: unknown };
      const reply = await target.call((client, options) => client.listPatientThreads(id, { ...options, limit: 100 }));
      target.hold(reply, 200, z.strictObject({ success, threads: exactly([thread]), hasMore: z.literal(false) }));
      await deleteThread(target, threadId);
    },
  },
  ...PAGE_ERRORS.map(([query, error]) =>
    exchange(
      `GET /patients/{id}/threads with ${query}`,
      400,
      genericFault(error, query.split("=")[0] ?? ""),
      async (target) => target.raw("GET", `/patients/${await erasableId(target)}/threads?${query}`),
    ),
  ),
  ...["threads", "export"].map((part) =>
    exchange(`GET /patients/{id}/${part} with an unknown id`, 404, GONE, (target) =>
      target.raw("GET", `/patients/${NOBODYS_ID}/${part}`),
    ),
  ),
  {
    name: "GET /patients/{id}/export: 200 with the record and its threads",
    play: async (target) => {
      const id = await erasableId(target);
      const reply = await target.call((client, options) => client.exportPatient(id, options));
      target.hold(reply, 200, target.erasable.exported(id));
    },
  },
  {
    name: "DELETE /patients/{id} with a thread: 200, both are erased",
    play: async (target) => {
      const id = await erasableId(target);
      const threadId = await openFor(target, id);
      await erase(target, id, 1);
      target.openThreads.delete(threadId);
      const seen = await target.call((client, options) => client.getThread(threadId, options));
      target.hold(seen, 404, plainError("Thread not found or expired"));
    },
  },
  exchange("DELETE /patients/{id} of the erased patient", 404, GONE, async (target) => {
    const id = await erasedId(target);
    return target.call((client, options) => client.deletePatient(id, options));
  }),
  exchange("GET /patients/{id} of the erased patient", 404, GONE, async (target) => {
    const id = await erasedId(target);
    return target.call((client, options) => client.getPatient(id, options));
  }),
];
