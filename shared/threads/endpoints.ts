import * as z from "zod/mini";
import { type Endpoint, invalid, success } from "../contract/endpoint.ts";
import { nextPage } from "../contract/fields.ts";
import { PREFER_HEADER } from "../contract/header.ts";
import { PAGE_ERRORS, PAGE_PARAMETERS } from "../contract/page.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { IDEMPOTENCY_KEY_HEADER, KEY_REUSED } from "../idempotency/idempotency.ts";
import { PATIENT_ID_EXAMPLE } from "../patients/examples.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import { createThreadRequest } from "./create-thread-request.ts";
import { ALERT_EXAMPLE, MESSAGES_EXAMPLE, THREAD_EXAMPLE } from "./examples.ts";
import { idleTime, NO_THREAD, THREAD_GONE } from "./thread.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_EXAMPLE } from "./thread-id.ts";
import { createThreadResponse, threadDetails, threadMessage } from "./thread-responses.ts";

/** What `include` adds to a list of messages. */
export const MESSAGE_FIELDS = ["parts", "safety"] as const;

const THREAD_ID = { description: `The thread id, ${THREAD_ID_DESCRIPTION}`, example: THREAD_ID_EXAMPLE };

const created = (messageCount: number) => ({
  expiresAt: "2026-03-01T09:30:00.000Z",
  messageCount,
  message: `Thread created. Send messages with POST /chat and threadId ${THREAD_ID_EXAMPLE}.`,
});

export const createThreadEndpoint = {
  name: "create-thread",
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Threads",
        summary: "Open a thread",
        description: `Opens a conversation, which is deleted after ${idleTime()} without a message. Every field is optional, and the body may be
empty. With \`patientId\`, or with the \`phone\` of a patient, the thread is linked to that patient. A phone number that
belongs to no patient creates a thread without one; \`message\` and the header \`x-phone-lookup\` say so.

If the linked patient's age or gender is unknown, the assistant may open with a question, \`initialMessage\`; it is part
of the thread, which then has 2 messages. It does not if your operator requires the patient's consent, and there is none.

With \`"include": ["disclosure"]\`, the response has \`disclosure\`: that answers come from an AI and, if the deployment has set
it, how to reach a person. Show it to the user.`,
        headers: [
          IDEMPOTENCY_KEY_HEADER,
          PREFER_HEADER,
          {
            name: "Accept-Language",
            description: "The language of the disclosure that answers come from an AI; English by default",
            example: "es",
          },
        ],
        responseHeaders: ["ai-disclosure", "idempotent-replayed", "x-phone-lookup"],
        response: createThreadResponse,
        requests: {
          "Linked by phone": { phone: "+1 (555) 123-4567", metadata: { source: "web" } },
          "Linked by id": { patientId: PATIENT_ID_EXAMPLE },
          "Without a patient": { include: ["disclosure"] },
        },
        success: {
          "Without an opening question": { success: true, threadId: THREAD_ID_EXAMPLE, ...created(0) },
          "With the disclosure": {
            success: true,
            threadId: THREAD_ID_EXAMPLE,
            ...created(0),
            disclosure: "Answers come from an AI and are no substitute for medical care.",
          },
          "With an opening question": {
            success: true,
            threadId: THREAD_ID_EXAMPLE,
            initialMessage:
              "Hello! May I ask how old you are? It helps me to answer better, but you don't have to tell me.",
            ...created(2),
          },
        },
        links: {
          chat: { description: "Send a message on the thread: `threadId` is its `threadId`" },
          getThread: { description: "Get the thread", id: "$response.body#/threadId" },
          deleteThread: { description: "Delete the thread", id: "$response.body#/threadId" },
          listMessages: { description: "Read the thread's messages", id: "$response.body#/threadId" },
        },
        errors: { invalid: [invalid("phone", "must be a string")] },
      }),
} as const satisfies Endpoint;

export const getThreadEndpoint = {
  name: "get-thread",
  method: "GET",
  path: "/threads/{id}",
  status: 200,
  errors: { shape: "plain", failure: "Failed to retrieve thread", texts: { "not-found": [THREAD_GONE] } },
  p95Milliseconds: 1_500,
  database: { threads: ["GetItem"] },
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Threads",
        summary: "Get a thread",
        description:
          "Returns a thread without its messages, and with its metadata if asked for. This does not extend the thread's lifetime.",
        id: THREAD_ID,
        query: [
          {
            name: "include",
            description: "`metadata`: also returns the metadata given at creation",
            schema: { type: "string", enum: ["metadata"] },
          },
        ],
        response: success("GetThreadResult", { thread: threadDetails }),
        success: { "A linked thread": { success: true, thread: THREAD_EXAMPLE } },
        links: {
          deleteThread: { description: "Delete the thread", id: "$response.body#/thread/threadId" },
          chat: { description: "Send a message on the thread: `thread.threadId` is its `threadId`" },
          listMessages: { description: "Read the thread's messages", id: "$response.body#/thread/threadId" },
        },
        errors: { invalid: [invalid("include", "must be metadata")] },
      }),
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Threads",
        summary: "Delete a thread",
        description:
          "Permanently deletes a thread and all its messages. A chat that is still waiting for its answer ends with a 404.",
        id: THREAD_ID,
        response: success("DeleteThreadResult", { message: z.literal("Thread deleted successfully") }),
        success: { Deleted: { success: true, message: "Thread deleted successfully" } },
        links: {
          getThread: { description: "Find that the thread is gone", id: "$request.path.id" },
        },
      }),
} as const satisfies Endpoint;

export const listMessagesEndpoint = {
  name: "list-messages",
  method: "GET",
  path: "/threads/{id}/messages",
  status: 200,
  errors: { shape: "plain", failure: "Failed to retrieve messages", texts: { "not-found": [THREAD_GONE] } },
  p95Milliseconds: 1_500,
  database: { threads: ["GetItem", "Query"] },
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Threads",
        summary: "List a thread's messages",
        description: `Returns the messages of a thread, the newest first, on pages. For the next page, pass \`next\` as \`before\`;
the \`id\` of any message is a cursor too. Messages are only ever appended, so no page misses or repeats one, even while a chat is under way. An opening
question has no user message before it, although \`messageCount\` counts one. This does not extend the thread's lifetime.

With \`include=parts\`, answers have their \`parts\`, as \`POST /chat\` returns them. With \`include=safety\`, they have \`safety\`: what
was found in the message, as \`POST /chat\` returns it, and the texts of the alert and the cautions. Opening questions have none.`,
        id: THREAD_ID,
        query: [
          ...PAGE_PARAMETERS,
          {
            name: "include",
            description:
              "Additional fields, separated by commas: `parts`, the parts of each answer; `safety`, what the safety layer found",
            schema: { type: "string" },
          },
        ],
        responseHeaders: ["ai-disclosure"],
        response: success("ListMessagesResult", { messages: z.array(threadMessage), ...nextPage }),
        success: {
          "Two messages": { success: true, messages: MESSAGES_EXAMPLE, hasMore: false },
          "An alert, with include=parts,safety": { success: true, messages: ALERT_EXAMPLE, hasMore: false },
        },
        errors: { invalid: [...PAGE_ERRORS, invalid("include", `must be some of ${MESSAGE_FIELDS.join(", ")}`)] },
      }),
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const threadEndpoints = [
  createThreadEndpoint,
  getThreadEndpoint,
  deleteThreadEndpoint,
  listMessagesEndpoint,
] as const;
