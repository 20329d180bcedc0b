import { IDLE_SECONDS, idleTime } from "../../threads/thread.ts";
import { exactly } from "../expected.ts";
import { linkedThread, METADATA, messagesOf, NEW_THREAD, openThread, threadFields } from "../fixtures.ts";
import { NO_THREAD, UNKNOWN_PATIENT } from "../not-found.ts";
import { rulesOf } from "../rule.ts";
import { NOBODYS_ID } from "../synthetic-patient.ts";
import { Deviation } from "../target.ts";

/** The rules for creating a thread. */
export const newThreads = rulesOf("POST /threads", {
  "with an unknown patientId: 404": (target) => {
    const unknown = exactly({ error: UNKNOWN_PATIENT });
    return target.expect("POST /threads", 404, unknown, { body: { patientId: NOBODYS_ID } });
  },
  "again with the same Idempotency-Key: 201 with the same thread; with another body: 422": async (target) => {
    const headers = target.idempotencyKey("thread");
    const { body } = await target.expect("POST /threads", 201, NEW_THREAD, { body: {}, headers });
    await target.expect("POST /threads", 201, exactly(body), { body: {}, headers, replayed: true });
    const used = exactly({ error: "Idempotency-Key was used with another request" });
    await target.expect("POST /threads", 422, used, { body: { metadata: {} }, headers });
  },
  "with a patientId and metadata: 201": linkedThread,
  "with the patient's phone: 201, linked to the patient": async (target) => {
    const opened = await openThread(target, { phone: target.patient.phone });
    await target.expect(`GET /threads/${opened.threadId}`, 200, { thread: threadFields(opened) });
    await target.expect(`DELETE /threads/${opened.threadId}`, 200, {});
  },
});

/** The rules for reading and deleting a thread. */
export const threads = [
  ...rulesOf("GET /threads/{id}", {
    "with a wrong key in the header, even with a valid one in the query: 401": (target) => {
      const path = `/threads/00000?api_key=${encodeURIComponent(target.apiKey)}`;
      const unauthorized = exactly({ error: "Unauthorized - Invalid API key" });
      return target.expect(`GET ${path}`, 401, unauthorized, { headers: { "x-api-key": "no-such-key" } });
    },
    "with an unknown id, and the key in the query: 404": (target) => {
      const path = `/threads/00000?api_key=${encodeURIComponent(target.apiKey)}`;
      const gone = exactly({ error: NO_THREAD });
      return target.expect(`GET ${path}`, 404, gone, { headers: { "x-api-key": null } });
    },
    "of the thread: 200": async (target) => {
      const linked = await linkedThread(target);
      const expected = { thread: { ...threadFields(linked), metadata: undefined } };
      const { body } = await target.expect(`GET /threads/${linked.threadId}`, 200, expected);
      const { lastActivity, expiresAt } = body.thread;
      if (Date.parse(expiresAt) - Date.parse(lastActivity) !== IDLE_SECONDS * 1_000) {
        throw new Deviation(`thread.expiresAt: expected ${idleTime()} after lastActivity`);
      }
    },
    "with include=metadata: 200 with the metadata": async (target) => {
      const linked = await linkedThread(target);
      const expected = { thread: { ...threadFields(linked), metadata: exactly(METADATA) } };
      await target.expect(`GET /threads/${linked.threadId}?include=metadata`, 200, expected);
    },
  }),
  ...rulesOf("DELETE /threads/{id}/turns/{key}", {
    "of a turn that has not begun: 200, and the same again": async (target) => {
      const { threadId } = await openThread(target, {});
      const path = `/threads/${threadId}/turns/no-such-turn`;
      const { body } = await target.expect(`DELETE ${path}`, 200, { turn: "stopping" });
      await target.expect(`DELETE ${path}`, 200, exactly(body));
      await target.expect(`DELETE /threads/${threadId}`, 200, {});
    },
  }),
  ...rulesOf("GET /threads/{id}/messages", {
    "of the thread: 200 with all messages, the newest first": async (target) => {
      const linked = await linkedThread(target);
      const page = { messages: messagesOf(linked), hasMore: false, next: undefined };
      const marked = linked.messages.length > 0;
      await target.expect(`GET /threads/${linked.threadId}/messages`, 200, page, { marked });
    },
  }),
  ...rulesOf("DELETE /threads/{id}", {
    "of the thread: 200, and it is gone": async (target) => {
      const { threadId } = await linkedThread(target);
      await target.expect(`DELETE /threads/${threadId}`, 200, {});
      delete target.fixtures.thread;
      await target.expect(`GET /threads/${threadId}`, 404, exactly({ error: NO_THREAD }));
    },
  }),
];
