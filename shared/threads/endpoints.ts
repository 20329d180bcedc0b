import * as z from "zod/mini";
import type { Endpoint, Operation } from "../endpoint.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import { idleTime, THREAD_GONE } from "./thread.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_EXAMPLE } from "./thread-id.ts";
import { createThreadRequest, createThreadResponse, threadInfo } from "./thread-schemas.ts";

export const createThreadEndpoint = {
  name: "create-thread",
  method: "POST",
  path: "/threads",
  status: 201,
  errors: { shape: "plain", failure: "Failed to create thread", texts: { "not-found": [PATIENT_UNKNOWN] } },
  p95Milliseconds: 7_000, // the opening question may take 5 s
  // Opening a thread may call the model too, but happens once for many chats.
  lambda: { memory: 512, concurrencyShare: 1 / 4 },
  database: { threads: ["PutItem"], patients: ["GetItem"], patientsByPhone: true },
  quotas: ["liveThreads"],
  model: true,
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
  errors: { shape: "plain", failure: "Failed to delete thread", texts: { "not-found": ["Thread not found"] } },
  p95Milliseconds: 1_500,
  database: { threads: ["Query", "DeleteItem", "UpdateItem", "BatchWriteItem"] },
} as const satisfies Endpoint;

const THREAD_ID = { description: `The thread id, ${THREAD_ID_DESCRIPTION}`, example: THREAD_ID_EXAMPLE };
const PATIENT_ID = "7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11";

export const createThreadOperation = () =>
  ({
    tag: "Threads",
    summary: "Open a thread",
    description: `Opens a conversation, which is deleted after ${idleTime()} without a message. Every field is optional, and the body may be
empty. With \`patientId\`, or with the \`phone\` of a patient, the thread is linked to that patient. A phone number that
belongs to no patient creates a thread without one.

If the linked patient's age or gender is unknown, the assistant may open with a question, \`initialMessage\`; it is part
of the thread, which then has 2 messages.`,
    body: createThreadRequest,
    response: createThreadResponse,
    requests: {
      "Linked by phone": { phone: "+1 (555) 123-4567", metadata: { source: "web" } },
      "Linked by id": { patientId: PATIENT_ID },
      "Without a patient": {},
    },
    success: {
      "Without an opening question": {
        success: true,
        threadId: THREAD_ID_EXAMPLE,
        expiresAt: "2026-03-01T09:30:00.000Z",
        messageCount: 0,
        message: `Thread created. Send messages with POST /chat and threadId ${THREAD_ID_EXAMPLE}.`,
      },
      "With an opening question": {
        success: true,
        threadId: THREAD_ID_EXAMPLE,
        initialMessage:
          "Hello! May I ask how old you are? It helps me to answer better, but you don't have to tell me.",
        expiresAt: "2026-03-01T09:30:00.000Z",
        messageCount: 2,
        message: `Thread created. Send messages with POST /chat and threadId ${THREAD_ID_EXAMPLE}.`,
      },
    },
    links: {
      Chat: {
        operationId: "chat",
        description: "Send a message on the thread: `threadId` is its `threadId`",
      },
      GetThread: {
        operationId: "getThread",
        description: "Get the thread",
        parameters: { id: "$response.body#/threadId" },
      },
      DeleteThread: {
        operationId: "deleteThread",
        description: "Delete the thread",
        parameters: { id: "$response.body#/threadId" },
      },
    },
    errors: {
      invalid: [
        {
          error: "phone: must be a string",
          details: [{ path: "phone", message: "must be a string" }],
        },
      ],
    },
  }) satisfies Operation;

export const getThreadOperation = () =>
  ({
    tag: "Threads",
    summary: "Get a thread",
    description: "Returns a thread without its messages and metadata. This does not extend the thread's lifetime.",
    id: THREAD_ID,
    body: undefined,
    response: z.object({ success: z.literal(true), thread: threadInfo }).check(z.meta({ id: "GetThreadResponse" })),
    success: {
      "A linked thread": {
        success: true,
        thread: {
          threadId: THREAD_ID_EXAMPLE,
          patientId: PATIENT_ID,
          messageCount: 4,
          lastActivity: "2026-03-01T09:05:00.000Z",
          createdAt: "2026-03-01T09:00:00.000Z",
          expiresAt: "2026-03-01T09:35:00.000Z",
        },
      },
    },
    links: {
      DeleteThread: {
        operationId: "deleteThread",
        description: "Delete the thread",
        parameters: { id: "$response.body#/thread/threadId" },
      },
      Chat: {
        operationId: "chat",
        description: "Send a message on the thread: `thread.threadId` is its `threadId`",
      },
    },
  }) satisfies Operation;

export const deleteThreadOperation = () =>
  ({
    tag: "Threads",
    summary: "Delete a thread",
    description: `Permanently deletes a thread and all its messages. A chat that is still waiting for its answer ends with a 404.`,
    id: THREAD_ID,
    body: undefined,
    response: z
      .object({ success: z.literal(true), message: z.literal("Thread deleted successfully") })
      .check(z.meta({ id: "DeleteThreadResponse" })),
    success: { Deleted: { success: true, message: "Thread deleted successfully" } },
    links: {
      GetThread: {
        operationId: "getThread",
        description: "Find that the thread is gone",
        parameters: { id: "$request.path.id" },
      },
    },
  }) satisfies Operation;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const threadEndpoints = [
  { endpoint: createThreadEndpoint, operation: createThreadOperation },
  { endpoint: getThreadEndpoint, operation: getThreadOperation },
  { endpoint: deleteThreadEndpoint, operation: deleteThreadOperation },
] as const;
