import type { Endpoint } from "../contract/endpoint.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { KEY_REUSED } from "../idempotency/idempotency.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import { createThreadRequest } from "./create-thread-request.ts";
import { NO_THREAD, THREAD_GONE } from "./thread.ts";

/** What `include` adds to a list of messages. */
export const MESSAGE_FIELDS = ["parts", "safety"] as const;

export const createThreadEndpoint = {
  name: "create-thread",
  profile: "meanwhile",
  method: "POST",
  path: "/threads",
  status: 201,
  errors: {
    shape: "plain",
    failure: "Failed to create thread",
    texts: { "not-found": [PATIENT_UNKNOWN], unprocessable: [KEY_REUSED] },
  },
  p95Milliseconds: 7_000, // the opening question may take 5 s
  // Opening a thread may call the model too, but happens once for many chats.
  lambda: { memory: 512, concurrencyShare: 0.25 },
  database: {
    // GetItem is for idempotency records.
    threads: ["GetItem", "PutItem"],
    patients: ["GetItem", "ConditionCheckItem"],
    patientsByPhone: true,
  },
  quotas: ["liveThreads"],
  model: true,
  body: createThreadRequest,
} as const satisfies Endpoint;

export const getThreadEndpoint = {
  name: "get-thread",
  method: "GET",
  path: "/threads/{id}",
  status: 200,
  errors: { shape: "plain", failure: "Failed to retrieve thread", texts: { "not-found": [THREAD_GONE] } },
  p95Milliseconds: 1_500,
  database: { threads: ["GetItem"] },
} as const satisfies Endpoint;

export const deleteThreadEndpoint = {
  name: "delete-thread",
  method: "DELETE",
  path: "/threads/{id}",
  status: 200,
  errors: {
    shape: "plain",
    failure: "Failed to delete thread",
    texts: { "not-found": [NO_THREAD], "precondition-failed": [CONDITION_FAILED] },
  },
  p95Milliseconds: 1_500,
  database: { threads: ["Query", "DeleteItem", "UpdateItem", "BatchWriteItem"] },
} as const satisfies Endpoint;

export const listMessagesEndpoint = {
  name: "list-messages",
  method: "GET",
  path: "/threads/{id}/messages",
  status: 200,
  errors: { shape: "plain", failure: "Failed to retrieve messages", texts: { "not-found": [THREAD_GONE] } },
  p95Milliseconds: 1_500,
  database: { threads: ["GetItem", "Query"] },
} as const satisfies Endpoint;

/** The error of stopping a turn too late. */
export const TURN_STORED = { error: "The answer has already been given", code: "turn-stored" };

export const stopTurnEndpoint = {
  name: "stop-turn",
  function: "handoff", // both change who answers on a thread
  method: "DELETE",
  path: "/threads/{id}/turns/{key}",
  status: 200,
  errors: {
    shape: "plain",
    failure: "Failed to stop turn",
    texts: { "not-found": [THREAD_GONE], conflict: [TURN_STORED] },
  },
  p95Milliseconds: 1_500,
  rarelyCalled: true,
  database: { threads: ["GetItem", "UpdateItem"] },
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const threadEndpoints = [
  createThreadEndpoint,
  getThreadEndpoint,
  deleteThreadEndpoint,
  listMessagesEndpoint,
  stopTurnEndpoint,
] as const;
