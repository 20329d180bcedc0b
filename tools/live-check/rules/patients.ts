import * as z from "zod";
import { genericFault, plainError } from "../bodies.ts";
import { needed } from "../deviation.ts";
import type { Rule } from "../rule.ts";
import {
  createdPatient,
  existingPatient,
  NOBODYS_ID,
  NOTATIONS,
  patientRecord,
  SYNTHETIC_PATIENT,
} from "../synthetic-patient.ts";

const invalid = (path: string) => genericFault("Failed to create patient", path);

const INVALID_REQUESTS: [what: string, body: unknown, path: string][] = [
  ["neither name nor phone number", {}, "name"],
  ["no body", undefined, "name"],
  ["a phone number of 9 digits", { name: "Live Check", phone_number: "555-0143-12" }, "phone_number"],
  ["a phone number of 12 digits", { name: "Live Check", phone_number: "+44 202 555 01430" }, "phone_number"],
  ["conditions that are not a list", { name: "Live Check", conditions: "asthma" }, "conditions"],
  ["a body that is not JSON", "{", ""],
];

/** The patient rules. */
export const patients: Rule[] = [
  ...INVALID_REQUESTS.map(
    ([what, body, path]): Rule => ({
      name: `POST /patients with ${what}: 400`,
      play: async (target) => target.hold(await target.raw("POST", "/patients", { body }), 400, invalid(path)),
    }),
  ),
  {
    name: "POST /patients with the synthetic record: 201 in the first run, 409 with its id in every later one",
    setup: true,
    play: async (target) => {
      const reply = await target.call((client, options) => client.createPatient(SYNTHETIC_PATIENT, options));
      const first = reply.status === 201;
      target.hold(reply, first ? 201 : 409, first ? createdPatient : existingPatient(z.uuid()));
      target.found.patientId = (reply.body as { patient: { id: string } }).patient.id;
    },
  },
  ...Object.entries(NOTATIONS).map(
    ([notation, phone_number]): Rule => ({
      name: `POST /patients with the same number in another format (${notation}): 409 with the same id`,
      play: async (target) => {
        const id = needed(target.found.patientId);
        const reply = await target.call((client, options) => client.createPatient({ phone_number }, options));
        target.hold(reply, 409, existingPatient(z.literal(id)));
      },
    }),
  ),
  {
    name: "GET /patients/{id}: 200 with the whole record and an 11-digit phone number",
    play: async (target) => {
      const id = needed(target.found.patientId);
      target.hold(await target.call((client, options) => client.getPatient(id, options)), 200, patientRecord(id));
    },
  },
  ...[NOBODYS_ID, "no-uuid"].map(
    (id): Rule => ({
      name: `GET /patients/{id} with ${id === NOBODYS_ID ? "an unknown id" : "an id that is not a UUID"}: 404`,
      play: async (target) => {
        const reply = await target.call((client, options) => client.getPatient(id, options));
        target.hold(reply, 404, plainError("Patient not found"));
      },
    }),
  ),
];
