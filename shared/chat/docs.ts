import { PREFER_HEADER } from "../contract/header.ts";
import { type Docs, invalid } from "../contract/operation.ts";
import { IDEMPOTENCY_KEY } from "../idempotency/idempotency.ts";
import { textOf } from "../threads/answer-parts.ts";
import { PARTS_EXAMPLE } from "../threads/examples.ts";
import { CONTEXT_MESSAGES } from "../threads/thread.ts";
import { THREAD_ID_EXAMPLE } from "../threads/thread-id.ts";
import { chatResponse } from "./chat-response.ts";
import type { chatEndpoints } from "./endpoints.ts";

const STREAM_EXAMPLE = `event: delta
data: {"text":"Ibuprofen can make asthma worse"}

event: delta
data: {"text":" in some people."}

event: done
data: {"success":true,"response":"Ibuprofen can make asthma worse in some people.","threadId":"${THREAD_ID_EXAMPLE}","messageCount":2}

`;

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const chatDocs = {
  chat: {
    tag: "Chat",
    summary: "Ask the assistant",
    description: `Answers a message. With a \`threadId\`, the thread's last ${CONTEXT_MESSAGES} messages are the context, and the message and its answer are
appended to the thread; \`conversationHistory\` is then ignored. Without one, \`conversationHistory\` is the context and
nothing is stored.

The patient is the one linked to the thread, else the one with \`patientId\`, else the one with \`phone\`; if no patient has
that number, the chat continues without a record. \`patientData\` overrides the record field by field, for this request only.

A thread never mixes two patients. On a thread that is not linked to a patient, \`patientId\` or \`phone\` applies to this
request, and the first answer about a patient binds the thread to that patient: from then on, naming another patient is a
400, as on a linked thread. The thread's \`patientId\` stays null. If chats about two patients run in parallel on a new
thread, only one is answered; the other gets the 400, and its answer is not stored.

Chats on one thread may run in parallel: each is committed as a whole, in the order in which the answers are ready. If the
thread is deleted or expires before the answer is ready, the call ends with a 404 and nothing is stored.

If your operator requires consent (the setting \`consentRequired\`), a chat about a patient without it is a 403,
\`consent-required\`, and no model is asked. A message that may be about a danger is answered all the same, with fixed texts only,
and stored on the thread.

**The answer** consists of these parts, in this order. Most have only one, \`words\`; \`response\` is their texts, separated by
empty lines. With \`"include": ["parts"]\`, the response has them as \`parts\`.

| kind | text | when |
|---|---|---|
| \`alert\` | whom to call, and what to do until help arrives | there is an emergency, suicide, self-harm or abuse |
| \`safety-net\` | whom to call if it gets worse | the screen finds a danger likely, and the model sees none |
| \`neutral\` | whom to call | nobody could judge whether there is |
| \`offer\` | to go on talking | below the alert of a crisis |
| \`words\` | the model's | the model answers; interrupted by an \`alert\`, they go on below it |
| \`unanswered\`, \`cut\` | that there is no answer, or no more of it | the model fails where someone may be in danger |
| \`held\` | that a person has taken over | instead of the model's words, while one has |
| \`caution\` | why a drug may be dangerous for the patient | the record, the question and the answer say so |
| \`handoff\` | how to reach a person, or what becomes of the request | the user, or the model, asks for one |
| \`disclosure\` | that an AI answers | the deployment is set to say so below each answer |

All texts but \`words\` are the service's own, in the language of the message if that is one of the twelve that it can screen. A
message in which a danger is found or suspected, and any later one of the conversation after an alert, is never answered with
a 500: if the database fails, the answer has no \`threadId\` and no \`messageCount\`, because it was not stored. If the model
fails, only a message that is recognized as calm gets the 500; any other gets a text that says whom to call. Each error has the
header \`x-help-lines\` with the numbers: show them. The service does not recognize every emergency: it is a safety net below your
own, not a replacement for it. The guide "Safety" says more.

**Other fields.** \`"include": ["safety"]\` adds \`safety\`, what was found in the message; \`["evidence"]\`, the same with the
phrases that it rests on, and a third certainty, \`likely\`, which is otherwise called \`suspected\`; \`["ids"]\`, on a thread, the ids of the
message and of its answer; \`["handoff"]\`, why a person is needed. On a thread, an alert is recorded as the event \`safety.alert\`,
and a request for a person as \`handoff.requested\`, together with the turn; without a thread, only the response says so.

**Streaming.** With \`Accept: text/event-stream\`, a 200 is sent as server-sent events: \`delta\` with \`{"text": …}\` as the text
arrives, then \`done\` with exactly the JSON body of a plain call, sent once the turn is stored. The texts of all deltas,
concatenated, are the \`response\`. If the model fails after the first delta, \`error\` with the error's body is sent instead
of \`done\`, and nothing is stored; before the first delta, errors have their status and JSON body. Ignore lines that begin
with a colon; they keep an idle connection open. A turn is stored even if the caller disconnects. The guide "Streaming" shows
the events that \`include\` adds.

**Retries.** With an \`Idempotency-Key\`, a request on a thread can safely be sent again after a lost connection: it receives
the stored answer, and neither is the model called nor a turn stored again. A retry that arrives while the first request is
still running waits for it. A stored answer has the header \`idempotent-replayed: true\`. The key is deleted together with
its thread.`,
    headers: [
      {
        name: "Idempotency-Key",
        description: "1 to 255 printable ASCII characters, new for each message; used only together with a threadId.",
        example: "9d0a7c9e-2f61-4f0e-8f6a-6a0de2a4b3c1",
        schema: IDEMPOTENCY_KEY,
      },
      PREFER_HEADER,
    ],
    responseHeaders: ["ai-disclosure", "idempotent-replayed", "x-phone-lookup"],
    bodyRequired: true,
    response: chatResponse,
    requests: {
      "In a thread": { message: "Can I take ibuprofen for a headache?", threadId: THREAD_ID_EXAMPLE },
      "Without a thread": {
        message: "And how often?",
        phone: "(555) 123-4567",
        patientData: { age: 34, allergies: ["penicillin"] },
        conversationHistory: [
          { role: "user", content: "Can I take paracetamol?" },
          { role: "assistant", content: "Most adults can. Do you take any other medicine?" },
        ],
      },
      "With the messages' ids": {
        message: "Can I take it at night?",
        threadId: THREAD_ID_EXAMPLE,
        include: ["ids"],
      },
      "With what was found": {
        message: "Can I take amoxicillin for a sore throat?",
        patientData: { allergies: ["penicillin"] },
        include: ["safety"],
      },
      "With its parts": { message: "My chest hurts, and my left arm is numb.", include: ["parts"] },
    },
    success: {
      "In a thread": {
        success: true,
        response: "Ibuprofen can make asthma worse in some people. Has it ever done so for you?",
        threadId: THREAD_ID_EXAMPLE,
        messageCount: 2,
      },
      "With the messages' ids": {
        success: true,
        response: "Yes. Take it with some food.",
        threadId: THREAD_ID_EXAMPLE,
        messageCount: 4,
        ids: { user: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-2", assistant: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-3" },
      },
      "Without a thread": { success: true, response: "Follow the leaflet, and ask your pharmacist when unsure." },
      "With what was found": {
        success: true,
        response:
          "Ask your doctor first.\n\nCaution: the record lists an allergy to penicillin, and amoxicillin belongs to the same group (penicillins). Do not take amoxicillin before a clinician or pharmacist who knows of this allergy has agreed.",
        safety: {
          level: "none",
          category: null,
          certainty: null,
          decidedBy: null,
          cautions: [{ kind: "allergy", drug: "amoxicillin", because: "penicillin" }],
        },
      },
      "With its parts": {
        success: true,
        response: textOf(PARTS_EXAMPLE),
        parts: PARTS_EXAMPLE,
      },
    },
    stream: STREAM_EXAMPLE,
    links: {
      getThread: { description: "Get the thread that the chat was on", id: "$response.body#/threadId" },
      deleteThread: { description: "Delete the thread that the chat was on", id: "$response.body#/threadId" },
      listMessages: { description: "Read the thread's messages", id: "$response.body#/threadId" },
      chat: { description: "Send the next message on the same thread: `threadId` is its `threadId`" },
    },
    errors: {
      invalid: [
        invalid("message", "message is required", "message is required"),
        invalid(
          "patientId",
          "must be the thread's own patient",
          "patientId names another patient than the one this thread is linked to",
        ),
      ],
    },
  },
} satisfies Docs<typeof chatEndpoints>;
