import { exactly } from "../expected.ts";
import { openThread } from "../fixtures.ts";
import { type Rule, rulesOf } from "../rule.ts";
import type { Target } from "../target.ts";

const BY = "Live check";
const HELD = { hold: { by: BY } };

/** Plays a rule on a thread of its own, which it deletes. */
const onThread =
  (play: (target: Target, path: string) => Promise<unknown>): Rule["play"] =>
  async (target) => {
    const { threadId } = await openThread(target, {});
    await play(target, `/threads/${threadId}`);
    await target.expect(`DELETE /threads/${threadId}`, 200, {});
  };

/** The rules for a person in a thread. They take over threads that nobody is told of. */
export const handoff = [
  ...rulesOf("PUT /threads/{id}/handoff", {
    "on a thread: 200 with who has taken over, and the same again": onThread(async (target, path) => {
      const request = { body: { by: BY } };
      const { body } = await target.expect(`PUT ${path}/handoff`, 200, HELD, request);
      await target.expect(`PUT ${path}/handoff`, 200, exactly(body), request);
    }),
  }),
  ...rulesOf("GET /threads/{id}/handoff", {
    "on a thread: 200 with nobody, then with who has taken over": onThread(async (target, path) => {
      await target.expect(`GET ${path}/handoff`, 200, { hold: null, request: null });
      const { body } = await target.expect(`PUT ${path}/handoff`, 200, HELD, { body: { by: BY } });
      await target.expect(`GET ${path}/handoff`, 200, exactly({ ...(body as object), request: null }));
    }),
  }),
  ...rulesOf("POST /threads/{id}/messages", {
    "on a thread: 409, and 201 once a person has taken over": onThread(async (target, path) => {
      const request = { body: { content: "A person writes.", author: BY } };
      const refused = exactly({ error: "No person has taken over this thread" });
      await target.expect(`POST ${path}/messages`, 409, refused, request);
      await target.expect(`PUT ${path}/handoff`, 200, HELD, { body: { by: BY } });
      const message = { role: "person", author: BY, content: request.body.content, generatedBy: null, model: null };
      const id = (value: string) => /^[\w-]+$/.test(value);
      const none = { parts: undefined, safety: undefined };
      const added = { message: { ...message, ...none, id }, messageCount: 1 };
      await target.expect(`POST ${path}/messages`, 201, added, request);
    }),
  }),
  ...rulesOf("DELETE /threads/{id}/handoff", {
    "on a thread: 200, and the same again": onThread(async (target, path) => {
      const { body } = await target.expect(`DELETE ${path}/handoff`, 200, { hold: null });
      await target.expect(`DELETE ${path}/handoff`, 200, exactly(body));
    }),
  }),
];
