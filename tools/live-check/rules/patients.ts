import { genericFault, plainError } from "../bodies.ts";
import { createPatient, patientId } from "../fixtures.ts";
import { exchange, type Rule } from "../rule.ts";
import { NOBODYS_ID, NOTATIONS } from "../synthetic-patient.ts";

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
  ...INVALID_REQUESTS.map(([what, body, path]) =>
    exchange(`POST /patients with ${what}`, 400, genericFault("Failed to create patient", path), (target) =>
      target.raw("POST", "/patients", { body }),
    ),
  ),
  {
    name: "POST /patients with a whole record: 201",
    play: async (target) => {
      await createPatient(target);
    },
  },
  ...Object.keys(NOTATIONS).map(
    (notation): Rule => ({
      name: `POST /patients with the same number (${notation}): 409 with the same id`,
      play: async (target) => {
        const id = await patientId(target);
        const phone_number = target.patient.number(notation);
        const reply = await target.call((client, options) => client.createPatient({ phone_number }, options));
        target.hold(reply, 409, target.patient.existing(id));
      },
    }),
  ),
  {
    name: "GET /patients/{id}: 200 with the whole record and an 11-digit phone number",
    play: async (target) => {
      const id = await patientId(target);
      const reply = await target.call((client, options) => client.getPatient(id, options));
      target.hold(reply, 200, target.patient.record(id));
    },
  },
  ...Object.entries({ "an unknown id": NOBODYS_ID, "an id that is not a UUID": "no-uuid" }).map(([what, id]) =>
    exchange(`GET /patients/{id} with ${what}`, 404, plainError("Patient not found"), (target) =>
      target.call((client, options) => client.getPatient(id, options)),
    ),
  ),
];
