import type { Endpoint } from "../contract/endpoint.ts";
import { KEY_REUSED } from "../idempotency/idempotency.ts";
import { THREAD_GONE } from "../threads/thread.ts";
import { addMessageRequest, holdThreadRequest } from "./handoff-requests.ts";

/** The error of a message on a thread that the model answers: two would answer the user at once. */
export const NOT_HELD = { error: "No person has taken over this thread", code: "thread-not-held" };

/** The error of taking over what another person has taken over, if the request does not want that. */
export const HELD = { error: "Another person has taken over this thread", code: "thread-held" };

const texts = { "not-found": [THREAD_GONE] } as const;

const onThread = {
  function: "handoff",
  path: "/threads/{id}/handoff",
  status: 200,
  p95Milliseconds: 1_500,
  rarelyCalled: true,
} as const;

export const holdThreadEndpoint = {
  ...onThread,
  name: "hold-thread",
  method: "PUT",
  errors: {
    shape: "plain",
    failure: "Failed to hand over thread",
    texts: { ...texts, "precondition-failed": [HELD] },
  },
  database: { threads: ["GetItem", "UpdateItem"] },
  body: holdThreadRequest,
} as const satisfies Endpoint;

export const getHandoffEndpoint = {
  ...onThread,
  name: "get-handoff",
  method: "GET",
  errors: { shape: "plain", failure: "Failed to retrieve handoff", texts },
  database: { threads: ["GetItem"] },
} as const satisfies Endpoint;

export const returnThreadEndpoint = {
  ...onThread,
  name: "return-thread",
  method: "DELETE",
  errors: { shape: "plain", failure: "Failed to return thread", texts },
} as const satisfies Endpoint;

export const addMessageEndpoint = {
  ...onThread,
  name: "add-message",
  method: "POST",
  path: "/threads/{id}/messages",
  status: 201,
  errors: {
    shape: "plain",
    failure: "Failed to add message",
    texts: { ...texts, conflict: [NOT_HELD], unprocessable: [KEY_REUSED] },
  },
  database: { threads: ["GetItem", "PutItem", "UpdateItem"] },
  body: addMessageRequest,
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const handoffEndpoints = [
  holdThreadEndpoint,
  getHandoffEndpoint,
  returnThreadEndpoint,
  addMessageEndpoint,
] as const;
