import { PREFER_HEADER } from "../contract/header.ts";
import { type Docs, invalid } from "../contract/operation.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../idempotency/idempotency.ts";
import { idleTime } from "../threads/thread.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_EXAMPLE } from "../threads/thread-id.ts";
import type { handoffEndpoints } from "./endpoints.ts";
import {
  addMessageResponse,
  getHandoffResponse,
  holdThreadResponse,
  returnThreadResponse,
} from "./handoff-responses.ts";

const THREAD_ID = { description: `The thread id, ${THREAD_ID_DESCRIPTION}`, example: THREAD_ID_EXAMPLE };

const BY = "Ana from the Example Clinic";

const EXPIRES_AT = "2026-03-01T09:35:00.000Z";

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const handoffDocs = {
  "hold-thread": {
    tag: "Handoff",
    summary: "Take over a thread",
    description: `Puts a thread into the hands of a person, until \`DELETE\` gives it back. Meanwhile, the model is not asked: \`POST /chat\` stores
the message and responds with a short fixed text in the user's language, which says who has taken over. The safety screen
still runs, and a certain alert is still answered at once with its fixed text. An answer that the model is writing at this
time is dropped, and the chat gets the fixed text instead; what a stream has sent already cannot be taken back, so there the
fixed text follows it, and only the fixed text is stored.

Repeating the call changes nothing. Another \`by\` replaces the person, unless the request has \`If-None-Match: *\`: the response
is then a 412, nothing changes, and \`GET\` says who has taken over. Taking a thread over does not extend its lifetime: it
still expires after ${idleTime()} without a message. It ends an open request for a person, so no \`handoff.unanswered\`
follows.`,
    id: THREAD_ID,
    headers: [
      {
        name: "If-None-Match",
        description: "`*`: do not take the thread from another person. Persons are told apart by `by`",
        example: "*",
      },
      PREFER_HEADER,
    ],
    response: holdThreadResponse,
    requests: { "With a name": { by: BY }, "Without a name": {} },
    success: {
      "Taken over": { success: true, hold: { by: BY, since: "2026-03-01T09:06:00.000Z" }, expiresAt: EXPIRES_AT },
    },
    links: {
      addMessage: { description: "Write to the user", id: "$request.path.id" },
      listMessages: { description: "Read what was said", id: "$request.path.id" },
      returnThread: { description: "Give the thread back", id: "$request.path.id" },
    },
    errors: { invalid: [invalid("by", "must be a string")] },
  },

  "get-handoff": {
    tag: "Handoff",
    summary: "Read who answers",
    description: `Returns who has taken over a thread or, if nobody has, the user's request for a person that is still open: for an app that was
reloaded, or that asks now and then instead of receiving events. \`reason\` is that of the answer that opened the request; an
alert on a later message is an event \`safety.alert\` of its own. A request ends when a person takes over, or with the user's
first message after \`answerBy\`, which may open another one.

Reading this does not extend the thread's lifetime.`,
    id: THREAD_ID,
    response: getHandoffResponse,
    success: {
      "Somebody is needed": {
        success: true,
        hold: null,
        request: {
          reason: "asked",
          requestedAt: "2026-03-01T09:05:00.000Z",
          answerBy: "2026-03-01T09:15:00.000Z",
          told: true,
        },
        expiresAt: EXPIRES_AT,
      },
      "Taken over": {
        success: true,
        hold: { by: BY, since: "2026-03-01T09:06:00.000Z" },
        request: null,
        expiresAt: EXPIRES_AT,
      },
      "The model answers": { success: true, hold: null, request: null, expiresAt: EXPIRES_AT },
    },
    links: {
      holdThread: { description: "Take the thread over", id: "$request.path.id" },
      listMessages: { description: "Read what was said", id: "$request.path.id" },
    },
  },

  "return-thread": {
    tag: "Handoff",
    summary: "Give back a thread",
    description: `Lets the model answer again. It is shown what the person wrote, and where the person began and ended. Repeating the call
changes nothing, and neither does calling it on a thread that nobody has taken over.`,
    id: THREAD_ID,
    response: returnThreadResponse,
    success: { "Given back": { success: true, hold: null, expiresAt: EXPIRES_AT } },
    links: { chat: { description: "Send the next message on the thread, which the model answers" } },
  },

  "add-message": {
    tag: "Handoff",
    summary: "Write as a person",
    description: `Adds a message by the person who has taken over the thread. Your app shows it to the user, as \`GET /threads/{id}/messages\` does,
with its \`author\`. It is one message of the thread's \`messageCount\`, and resets the expiry to ${idleTime()} as a chat does.

On a thread that nobody has taken over, the response is a 409: the model would answer beside the person.`,
    id: THREAD_ID,
    headers: [IDEMPOTENCY_KEY_HEADER, PREFER_HEADER],
    responseHeaders: ["idempotent-replayed"],
    bodyRequired: true,
    response: addMessageResponse,
    requests: { "A message": { content: "Hello, this is Ana. Shall I call you today?", author: BY } },
    success: {
      "A message": {
        success: true,
        message: {
          id: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-3",
          role: "person",
          author: BY,
          content: "Hello, this is Ana. Shall I call you today?",
          createdAt: "2026-03-01T09:07:00.000Z",
          generatedBy: null,
          model: null,
        },
        messageCount: 3,
        expiresAt: "2026-03-01T09:37:00.000Z",
      },
    },
    links: {
      listMessages: { description: "Read what was said", id: "$request.path.id" },
      returnThread: { description: "Give the thread back", id: "$request.path.id" },
    },
    errors: { invalid: [invalid("content", "is required")] },
  },
} satisfies Docs<typeof handoffEndpoints>;
