import * as z from "zod";
import { deletedThread, exactly, NO_THREAD, plainError, plainFault, succeeded } from "../bodies.ts";
import { openThread } from "../fixtures.ts";
import { rulesOf } from "../rule.ts";

const AUTHOR = "Live check";
const MESSAGE = { content: "A person writes.", author: AUTHOR };

const timestamp = z.iso.datetime();
const held = succeeded({ hold: z.strictObject({ by: exactly(AUTHOR), since: timestamp }), expiresAt: timestamp });
const nobodyHolds = succeeded({ hold: z.null(), expiresAt: timestamp });

/** The rules for a person in a thread. They take over a thread of their own, which nobody is told of. */
export const handoff = [
  ...rulesOf("PUT /threads/{id}/handoff", {
    "with a name that is not a text: 400": (target) =>
      target.expect("PUT /threads/00000/handoff", 400, plainFault("by: must be a string", "by"), { body: { by: 1 } }),
    "with an unknown id: 404": (target) => target.expect("PUT /threads/00000/handoff", 404, NO_THREAD, { body: {} }),
    "on a thread: 200 with who holds it, and the same again": async (target) => {
      const { threadId } = await openThread(target, {});
      const request = { body: { by: AUTHOR } };
      const { body } = await target.expect(`PUT /threads/${threadId}/handoff`, 200, held, request);
      await target.expect(`PUT /threads/${threadId}/handoff`, 200, exactly(body), request);
      await target.expect(`DELETE /threads/${threadId}`, 200, deletedThread);
    },
  }),
  ...rulesOf("GET /threads/{id}/handoff", {
    "with an unknown id: 404": (target) => target.expect("GET /threads/00000/handoff", 404, NO_THREAD),
    "on a thread: 200 with nobody, then with who holds it": async (target) => {
      const { threadId } = await openThread(target, {});
      const nobody = succeeded({ hold: z.null(), request: z.null(), expiresAt: timestamp });
      await target.expect(`GET /threads/${threadId}/handoff`, 200, nobody);
      const { body } = await target.expect(`PUT /threads/${threadId}/handoff`, 200, held, { body: { by: AUTHOR } });
      await target.expect(`GET /threads/${threadId}/handoff`, 200, exactly({ ...(body as object), request: null }));
      await target.expect(`DELETE /threads/${threadId}`, 200, deletedThread);
    },
  }),
  ...rulesOf("POST /threads/{id}/messages", {
    "without content: 400": (target) =>
      target.expect("POST /threads/00000/messages", 400, plainFault("content: is required", "content"), {
        body: { author: AUTHOR },
      }),
    "with an unknown id: 404": (target) =>
      target.expect("POST /threads/00000/messages", 404, NO_THREAD, { body: MESSAGE }),
    "on a thread that nobody has taken over: 409": async (target) => {
      const { threadId } = await openThread(target, {});
      const refused = plainError("No person has taken over this thread");
      await target.expect(`POST /threads/${threadId}/messages`, 409, refused, { body: MESSAGE });
      await target.expect(`DELETE /threads/${threadId}`, 200, deletedThread);
    },
  }),
  ...rulesOf("DELETE /threads/{id}/handoff", {
    "with an unknown id: 404": (target) => target.expect("DELETE /threads/00000/handoff", 404, NO_THREAD),
    "on a thread: 200, and the same again": async (target) => {
      const { threadId } = await openThread(target, {});
      const { body } = await target.expect(`DELETE /threads/${threadId}/handoff`, 200, nobodyHolds);
      await target.expect(`DELETE /threads/${threadId}/handoff`, 200, exactly(body));
      await target.expect(`DELETE /threads/${threadId}`, 200, deletedThread);
    },
  }),
];
