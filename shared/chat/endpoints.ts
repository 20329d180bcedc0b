import type { Endpoint } from "../contract/endpoint.ts";
import { KEY_IN_USE, KEY_REUSED } from "../idempotency/idempotency.ts";
import { CONSENT_REQUIRED } from "../patients/consent.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import { THREAD_GONE } from "../threads/thread.ts";
import { chatRequest } from "./chat-request.ts";

export const chatEndpoint = {
  name: "chat",
  profile: "meanwhile",
  method: "POST",
  path: "/chat",
  status: 200,
  errors: {
    shape: "generic",
    failure: "Failed to process chat request",
    texts: {
      forbidden: [CONSENT_REQUIRED],
      "not-found": [THREAD_GONE, PATIENT_UNKNOWN],
      conflict: [KEY_IN_USE],
      unprocessable: [KEY_REUSED],
    },
  },
  streams: true,
  lambda: { memory: 256, concurrencyShare: 1 },
  database: {
    // GetItem and DeleteItem are for idempotency records: to read one, and to release it after a failure.
    threads: ["Query", "GetItem", "PutItem", "UpdateItem", "DeleteItem"],
    patients: ["GetItem", "ConditionCheckItem"],
    patientsByPhone: true,
    events: ["PutItem"],
    webhookTypes: true,
    sources: ["GetItem", "Query"],
  },
  quotas: ["concurrentChats", "tokensPerDay"],
  answersOverQuota: true,
  model: true,
  body: chatRequest,
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const chatEndpoints = [chatEndpoint] as const;
