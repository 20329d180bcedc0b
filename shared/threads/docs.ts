import * as z from "zod/mini";
import { nextPage } from "../contract/fields.ts";
import { PREFER_HEADER } from "../contract/header.ts";
import { type Docs, invalid, success } from "../contract/operation.ts";
import { PAGE_ERRORS, PAGE_PARAMETERS } from "../contract/page.ts";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_HEADER } from "../idempotency/idempotency.ts";
import { PATIENT_ID_EXAMPLE } from "../patients/examples.ts";
import { MESSAGE_FIELDS, type threadEndpoints } from "./endpoints.ts";
import { ALERT_EXAMPLE, MESSAGES_EXAMPLE, THREAD_EXAMPLE } from "./examples.ts";
import { idleTime } from "./thread.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_EXAMPLE } from "./thread-id.ts";
import { createThreadResponse, threadDetails, threadMessage } from "./thread-responses.ts";

const THREAD_ID = { description: `The thread id, ${THREAD_ID_DESCRIPTION}`, example: THREAD_ID_EXAMPLE };

const created = (messageCount: number) => ({
  expiresAt: "2026-03-01T09:30:00.000Z",
  messageCount,
  message: `Thread created. Send messages with POST /chat and threadId ${THREAD_ID_EXAMPLE}.`,
});

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const threadDocs = {
  "create-thread": {
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
  },

  "get-thread": {
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
  },

  "delete-thread": {
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
  },

  "list-messages": {
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
  },

  "stop-turn": {
    tag: "Threads",
    summary: "Stop an answer",
    description: `Stops the answer to a message whose user no longer wants it. The path has the \`Idempotency-Key\` of its \`POST /chat\`, or of a chat
of an OpenAI client, which was sent with the same API key. To close the connection is not enough: the model goes on, and its answer is stored.

The chat notices it within about a second. The model's request ends, and what has arrived of its answer is stored, followed by
a part \`cut\` that says so in the user's language; the chat itself responds with that, as a 200. Tokens that were used count. An alert
stays, and so does everything else that the service itself says. The thread can be used at once.

\`turn\` is \`stopping\` until the turn is stored, and \`stopped\` from then on. A turn that has not begun yet is stopped
when it does. If the answer was stored whole before, the response is a 409, and the answer stays.`,
    id: THREAD_ID,
    parameters: {
      key: {
        description: "The chat's `Idempotency-Key`, percent-encoded",
        example: IDEMPOTENCY_KEY_HEADER.example,
        schema: IDEMPOTENCY_KEY,
      },
    },
    response: success("StopTurnResult", { turn: z.enum(["stopping", "stopped"]) }),
    success: {
      "The model was still answering": { success: true, turn: "stopping" },
      "Stopped before": { success: true, turn: "stopped" },
    },
    links: {
      listMessages: { description: "Read what was stored", id: "$request.path.id" },
      chat: { description: "Send the next message on the thread" },
    },
    errors: { invalid: [invalid("key", "must have 1 to 255 printable ASCII characters")] },
  },
} satisfies Docs<typeof threadEndpoints>;
