import type { Endpoint } from "../contract/endpoint.ts";
import { THREAD_GONE } from "../threads/thread.ts";
import { NO_ANSWER } from "./answer.ts";
import type { Field } from "./counter.ts";
import { feedbackRequest } from "./feedback.ts";

/** How many days are counted without `from`. */
export const COUNTED_PERIOD_DAYS = 30;

/** The fields by which feedback is counted without `by`. */
export const COUNTED_BY: readonly Field[] = ["rating", "model", "instructions"];

const onAnswer = {
  function: "feedback",
  path: "/threads/{id}/messages/{messageId}/feedback",
  status: 200,
  p95Milliseconds: 1_500,
  canWait: true,
} as const;

export const giveFeedbackEndpoint = {
  ...onAnswer,
  name: "give-feedback",
  method: "PUT",
  errors: {
    shape: "plain",
    failure: "Failed to store feedback",
    texts: { "not-found": [THREAD_GONE, NO_ANSWER] },
  },
  database: { threads: ["GetItem", "PutItem", "UpdateItem"], feedback: ["UpdateItem"], events: ["PutItem"] },
  body: feedbackRequest,
} as const satisfies Endpoint;

export const withdrawFeedbackEndpoint = {
  ...onAnswer,
  name: "withdraw-feedback",
  method: "DELETE",
  errors: {
    shape: "plain",
    failure: "Failed to withdraw feedback",
    texts: { "not-found": [THREAD_GONE, NO_ANSWER] },
  },
  database: { threads: ["GetItem", "UpdateItem", "DeleteItem"], feedback: ["UpdateItem"] },
} as const satisfies Endpoint;

export const countFeedbackEndpoint = {
  name: "count-feedback",
  function: "feedback",
  method: "GET",
  path: "/feedback",
  status: 200,
  errors: { shape: "generic", failure: "Failed to count feedback" },
  p95Milliseconds: 1_500,
  canWait: true,
  database: { feedback: ["Query"] },
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const feedbackEndpoints = [giveFeedbackEndpoint, withdrawFeedbackEndpoint, countFeedbackEndpoint] as const;
