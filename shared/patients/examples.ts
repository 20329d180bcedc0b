import { DEMOGRAPHICS } from "./demographics.ts";

// What the examples of the OpenAPI document show: one patient, as sent and as returned.

export const PATIENT_ID_EXAMPLE = "7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11";
export const PATIENT_ID = { description: "The patient's UUID", example: PATIENT_ID_EXAMPLE };

const body = { age: 34, gender: "female" };
const clinical = {
  conditions: ["asthma"],
  medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }],
  allergies: "penicillin",
};
const own = {
  join_status: "API",
  created_at: "2026-03-01T09:00:00.000Z",
  updated_at: "2026-03-01T09:00:00.000Z",
};

export const PATIENT_REQUEST_EXAMPLE = {
  name: "Maria Lopez",
  phone_number: "+1 (555) 123-4567",
  ...body,
  ...clinical,
};

export const SUMMARY_EXAMPLE = { id: PATIENT_ID_EXAMPLE, name: "Maria Lopez", phone_number: "15551234567" };

/** As returned by `POST`. */
export const CREATED_EXAMPLE = {
  ...SUMMARY_EXAMPLE,
  ...clinical,
  notes: [],
  reminders_enabled: false,
  refill_info: null,
  ...own,
};

/** As returned by `GET`. */
export const RECORD_EXAMPLE = {
  ...CREATED_EXAMPLE,
  ...Object.fromEntries(DEMOGRAPHICS.map((name) => [name, null])),
  ...body,
  subscription_plan: "free",
  whatsapp_terms_accepted: false,
  never_show_audio_prompt: false,
  access_code: null,
  apple_messages_id: null,
  apple_messages_terms_accepted: false,
};

/** As exported. */
export const EXPORTED_EXAMPLE = {
  ...SUMMARY_EXAMPLE,
  ...body,
  ...clinical,
  notes: [],
  reminders_enabled: false,
  ...own,
};

const ETAG_EXAMPLE = '"4b7d9c52-0e6a-4f3b-9a51-2d8c6e1f7a03"';

/** The description of the header for operations that change a record. */
export const IF_MATCH = {
  name: "If-Match",
  description: "The ETag of the record that you have read, or `*`",
  example: ETAG_EXAMPLE,
};

/** The description of the header for operations that read a record. */
export const IF_NONE_MATCH = {
  name: "If-None-Match",
  description: "The ETag of the record that you have; if it has not changed, the response is a 304 without a body",
  example: ETAG_EXAMPLE,
};
