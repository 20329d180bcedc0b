import { deletedThread } from "../bodies.ts";
import type { Rule } from "../rule.ts";

/** Runs last. */
export const cleanup: Rule = {
  name: "DELETE /threads/{id} of every thread that the check created: 200",
  play: async (target) => {
    for (const threadId of target.openThreads) {
      const reply = await target.call((client, options) => client.deleteThread(threadId, options));
      target.hold(reply, 200, deletedThread);
    }
  },
};
