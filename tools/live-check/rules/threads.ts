import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { idleTime } from "../../../shared/threads/thread.ts";
import { createdThread, messagePage, PAGE_ERRORS, plainError, plainFault, threadInfo } from "../bodies.ts";
import { Deviation } from "../deviation.ts";
import { openLinkedThread, openThread, patientId } from "../fixtures.ts";
import { exchange, type Rule } from "../rule.ts";
import { NOBODYS_ID, NOBODYS_NUMBER, NOTATIONS } from "../synthetic-patient.ts";

const INVALID_REQUESTS: [what: string, body: unknown, answer: z.ZodType][] = [
  ["a phone that is not a string", { phone: 5550143 }, plainFault("phone")],
  ["metadata that is not an object", { metadata: [] }, plainFault("metadata")],
  ["metadata of more than 16 KB", { metadata: { filling: "x".repeat(17 * 1024) } }, plainFault("metadata")],
  ["a body that is not JSON", "{", plainFault("", z.literal("Request body is not valid JSON"))],
];

/** The rules for creating and reading a thread. Chats on a thread are in `conversation.ts`. */
export const threads: Rule[] = [
  {
    name: `POST /threads with an empty object: 201, without a patient, for ${idleTime()}`,
    play: async (target) => {
      await openThread(target, {}, null);
    },
  },
  {
    name: "POST /threads without a body: 201",
    play: async (target) => target.hold(await target.raw("POST", "/threads"), 201, createdThread),
  },
  {
    name: "POST /threads with a patientId and metadata: 201, linked; GET does not return the metadata",
    play: async (target) => {
      await openLinkedThread(target);
    },
  },
  ...Object.keys(NOTATIONS).map(
    (notation): Rule => ({
      name: `POST /threads with the patient's phone (${notation}): 201, linked`,
      play: async (target) => {
        const id = await patientId(target);
        await openThread(target, { phone: target.patient.number(notation) }, id);
      },
    }),
  ),
  {
    name: "POST /threads with an unknown phone: 201, without a patient",
    play: async (target) => {
      await openThread(target, { phone: NOBODYS_NUMBER }, null);
    },
  },
  exchange(
    "POST /threads with an unknown patientId",
    404,
    plainError("Patient not found with the provided ID"),
    (target) => target.call((client, options) => client.createThread({ patientId: NOBODYS_ID }, options)),
  ),
  {
    name: "POST /threads again with the same Idempotency-Key: 201 with the same thread",
    play: async (target) => {
      const headers = { "idempotency-key": target.idempotencyKey("thread") };
      const first = await target.raw("POST", "/threads", { body: {}, headers });
      target.hold(first, 201, createdThread);
      const again = await target.raw("POST", "/threads", { body: {}, headers });
      target.hold(again, 201, createdThread);
      if (!isDeepStrictEqual(again.body, first.body) || again.headers.get("idempotent-replayed") !== "true") {
        throw new Deviation(["body: expected the first response, with the header idempotent-replayed"]);
      }
    },
  },
  {
    name: "POST /threads with another body and the same Idempotency-Key: 422",
    play: async (target) => {
      const headers = { "idempotency-key": target.idempotencyKey("other-thread") };
      target.hold(await target.raw("POST", "/threads", { body: {}, headers }), 201, createdThread);
      const reply = await target.raw("POST", "/threads", { body: { metadata: {} }, headers });
      target.hold(reply, 422, plainError("Idempotency-Key was used with another request"));
    },
  },
  exchange(
    "POST /threads with an unknown field and Prefer: handling=strict",
    400,
    plainFault("phone_number"),
    (target) =>
      target.raw("POST", "/threads", {
        body: { phone_number: NOBODYS_NUMBER },
        headers: { prefer: "handling=strict" },
      }),
  ),
  {
    name: "GET /threads/{id} with include=metadata: 200 with the metadata",
    play: async (target) => {
      const { threadId } = await openThread(target, { metadata: { source: "live check" } }, null);
      const reply = await target.call((client, options) =>
        client.getThread(threadId, { ...options, include: "metadata" }),
      );
      const expected = threadInfo({ threadId, patientId: null, messageCount: 0 });
      const thread = expected.shape.thread.safeExtend({
        metadata: z.strictObject({ source: z.literal("live check") }),
      });
      target.hold(reply, 200, expected.safeExtend({ thread }));
    },
  },
  exchange(
    "GET /threads/{id} with another include",
    400,
    plainFault("include", z.literal("include: must be metadata")),
    (target) => target.raw("GET", "/threads/00000?include=messages"),
  ),
  {
    name: "GET /threads/{id}/messages of a new thread: 200 with none",
    play: async (target) => {
      const { threadId } = await openThread(target, {}, null);
      const reply = await target.call((client, options) => client.listMessages(threadId, options));
      target.hold(reply, 200, messagePage([]));
    },
  },
  ...PAGE_ERRORS.map(([query, error]) =>
    exchange(
      `GET /threads/{id}/messages with ${query}`,
      400,
      plainFault(query.split("=")[0] ?? "", z.literal(error)),
      async (target) => {
        const { threadId } = await openThread(target, {}, null);
        return target.raw("GET", `/threads/${threadId}/messages?${query}`);
      },
    ),
  ),
  ...INVALID_REQUESTS.map(([what, body, answer]) =>
    exchange(`POST /threads with ${what}`, 400, answer, (target) => target.raw("POST", "/threads", { body })),
  ),
  ...Object.entries({ "an unknown id": "00000", "an invalid id": "no-id" }).flatMap(([what, id]) => [
    exchange(`GET /threads/{id} with ${what}`, 404, plainError("Thread not found or expired"), (target) =>
      target.call((client, options) => client.getThread(id, options)),
    ),
    exchange(`DELETE /threads/{id} with ${what}`, 404, plainError("Thread not found"), (target) =>
      target.call((client, options) => client.deleteThread(id, options)),
    ),
  ]),
];
