import * as z from "zod/mini";
import type { Endpoint, Operation } from "../endpoint.ts";
import { DEMOGRAPHICS } from "./demographics.ts";
import { createdPatient, patientRecord } from "./patient-responses.ts";
import { createPatientRequest } from "./patient-schemas.ts";

export const createPatientEndpoint = {
  name: "create-patient",
  method: "POST",
  path: "/patients",
  status: 201,
  errors: {
    shape: "generic",
    plain: ["not-found", "conflict"],
    invalid: "Failed to create patient",
    failure: "Failed to create patient",
  },
  p95Milliseconds: 1_500,
  database: { patients: ["PutItem", "GetItem"] },
} as const satisfies Endpoint;

export const getPatientEndpoint = {
  name: "get-patient",
  method: "GET",
  path: "/patients/{id}",
  status: 200,
  errors: {
    shape: "generic",
    plain: ["not-found", "conflict"],
    failure: "Failed to fetch patient",
    texts: { "not-found": ["Patient not found"] },
  },
  p95Milliseconds: 1_500,
  database: { patients: ["GetItem"] },
} as const satisfies Endpoint;

const PATIENT_ID = "7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11";

const patient = {
  id: PATIENT_ID,
  name: "Maria Lopez",
  phone_number: "15551234567",
  conditions: ["asthma"],
  medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }],
  allergies: "penicillin",
  notes: [],
  reminders_enabled: false,
  refill_info: null,
  join_status: "API",
  created_at: "2026-03-01T09:00:00.000Z",
  updated_at: "2026-03-01T09:00:00.000Z",
};

export const createPatientOperation = () =>
  ({
    tag: "Patients",
    summary: "Create a patient",
    description: `Creates a patient record. Phone numbers are unique, whatever their format: all non-digit characters are removed, and a
10-digit number gets the country code 1. Every field is optional, but a patient needs a \`name\` or a \`phone_number\`, and a
phone number must have 10 or 11 digits.`,
    body: createPatientRequest,
    bodyRequired: true,
    response: z
      .object({ success: z.literal(true), patient: createdPatient })
      .check(z.meta({ id: "CreatePatientResponse" })),
    requests: {
      "A full record": {
        name: "Maria Lopez",
        phone_number: "+1 (555) 123-4567",
        age: 34,
        gender: "female",
        conditions: ["asthma"],
        medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }],
        allergies: "penicillin",
      },
      "A phone number": { phone_number: "555.123.4567" },
    },
    success: { Created: { success: true, patient } },
    links: {
      GetPatient: {
        operationId: "getPatient",
        description: "Get the patient's record",
        parameters: { id: "$response.body#/patient/id" },
      },
      CreateThread: {
        operationId: "createThread",
        description: "Open a thread that is linked to the patient: `patient.id` is its `patientId`",
      },
      Chat: {
        operationId: "chat",
        description: "Ask something about the patient, without a thread: `patient.id` is its `patientId`",
      },
    },
    errors: {
      invalid: [
        {
          error: "Failed to create patient",
          details: [{ path: "phone_number", message: "must have 10 digits, or 11 with the country code" }],
        },
      ],
      conflict: [
        {
          error: "Patient with this phone number already exists",
          patient: { id: PATIENT_ID, name: "Maria Lopez", phone_number: "15551234567" },
        },
      ],
    },
  }) satisfies Operation;

export const getPatientOperation = () =>
  ({
    tag: "Patients",
    summary: "Get a patient",
    description: "Returns a patient record. Unknown values are null or omitted.",
    id: { description: "The patient's UUID", example: PATIENT_ID },
    body: undefined,
    response: z
      .object({ success: z.literal(true), patient: patientRecord })
      .check(z.meta({ id: "GetPatientResponse" })),
    success: {
      Found: {
        success: true,
        patient: {
          ...patient,
          ...Object.fromEntries(DEMOGRAPHICS.map((name) => [name, null])),
          gender: "female",
          age: 34,
          subscription_plan: "free",
          whatsapp_terms_accepted: false,
          never_show_audio_prompt: false,
          access_code: null,
          apple_messages_id: null,
          apple_messages_terms_accepted: false,
        },
      },
    },
    links: {
      CreateThread: {
        operationId: "createThread",
        description: "Open a thread that is linked to the patient: `patient.id` is its `patientId`",
      },
    },
  }) satisfies Operation;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const patientEndpoints = [
  { endpoint: createPatientEndpoint, operation: createPatientOperation },
  { endpoint: getPatientEndpoint, operation: getPatientOperation },
] as const;
