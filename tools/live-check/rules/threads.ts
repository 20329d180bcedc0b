import * as z from "zod";
import {
  createdThread,
  deletedThread,
  exactly,
  KEY_REUSED,
  LIMIT_RULE,
  messageList,
  NO_THREAD,
  plainError,
  plainFault,
  succeeded,
  thread,
  UNAUTHORIZED,
} from "../bodies.ts";
import { linkedThread, METADATA, openThread } from "../fixtures.ts";
import { rulesOf } from "../rule.ts";
import { NOBODYS_ID } from "../synthetic-patient.ts";

/** The rules for creating a thread. */
export const newThreads = rulesOf("POST /threads", {
  "with metadata that is not an object: 400": (target) =>
    target.expect("POST /threads", 400, plainFault("metadata: must be an object", "metadata"), {
      body: { metadata: [] },
    }),
  "with an unknown patientId: 404": (target) =>
    target.expect("POST /threads", 404, plainError("Patient not found with the provided ID"), {
      body: { patientId: NOBODYS_ID },
    }),
  "again with the same Idempotency-Key: 201 with the same thread; with another body: 422": async (target) => {
    const headers = target.idempotencyKey("thread");
    const { body } = await target.expect("POST /threads", 201, createdThread, { body: {}, headers });
    await target.expect("POST /threads", 201, exactly(body), { body: {}, headers, replayed: true });
    await target.expect("POST /threads", 422, plainError(KEY_REUSED), { body: { metadata: {} }, headers });
  },
  "with a patientId and metadata: 201": linkedThread,
  "with the patient's phone: 201, linked to the patient": async (target) => {
    const opened = await openThread(target, { phone: target.patient.phone });
    await target.expect(`GET /threads/${opened.threadId}`, 200, succeeded({ thread: thread(opened) }));
    await target.expect(`DELETE /threads/${opened.threadId}`, 200, deletedThread);
  },
});

/** The rules for reading and deleting a thread. */
export const threads = [
  ...rulesOf("GET /threads/{id}", {
    "with a wrong key in the header, even with a valid one in the query: 401": (target) =>
      target.expect(`GET /threads/00000?api_key=${encodeURIComponent(target.apiKey)}`, 401, UNAUTHORIZED, {
        headers: { "x-api-key": "no-such-key" },
      }),
    "with an unknown id, and the key in the query: 404": (target) =>
      target.expect(`GET /threads/00000?api_key=${encodeURIComponent(target.apiKey)}`, 404, NO_THREAD, {
        headers: { "x-api-key": null },
      }),
    "with another include than metadata: 400": (target) =>
      target.expect("GET /threads/00000?include=messages", 400, plainFault("include: must be metadata", "include")),
    "of the thread: 200": async (target) => {
      const linked = await linkedThread(target);
      await target.expect(`GET /threads/${linked.threadId}`, 200, succeeded({ thread: thread(linked) }));
    },
    "with include=metadata: 200 with the metadata": async (target) => {
      const linked = await linkedThread(target);
      const known = thread(linked, { metadata: exactly(METADATA) });
      await target.expect(`GET /threads/${linked.threadId}?include=metadata`, 200, succeeded({ thread: known }));
    },
  }),
  ...rulesOf("GET /threads/{id}/messages", {
    "with an unknown id: 404": (target) => target.expect("GET /threads/00000/messages", 404, NO_THREAD),
    "with limit=0: 400": async (target) => {
      const { threadId } = await linkedThread(target);
      await target.expect(`GET /threads/${threadId}/messages?limit=0`, 400, plainFault(LIMIT_RULE, "limit"));
    },
    "with another include than safety: 400": (target) =>
      target.expect("GET /threads/00000/messages?include=all", 400, plainFault("include: must be safety", "include")),
    "of the thread: 200 with all messages, the newest first": async (target) => {
      const { threadId, messages } = await linkedThread(target);
      const page = succeeded({ messages: messageList(messages), hasMore: z.literal(false) });
      const marked = messages.length > 0;
      await target.expect(`GET /threads/${threadId}/messages`, 200, page, { marked });
    },
  }),
  ...rulesOf("DELETE /threads/{id}", {
    "with an unknown id: 404": (target) => target.expect("DELETE /threads/00000", 404, plainError("Thread not found")),
    "of the thread: 200, and it is gone": async (target) => {
      const { threadId } = await linkedThread(target);
      await target.expect(`DELETE /threads/${threadId}`, 200, deletedThread);
      delete target.fixtures.thread;
      await target.expect(`GET /threads/${threadId}`, 404, NO_THREAD);
    },
  }),
];
