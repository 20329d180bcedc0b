import { deletedThread } from "../bodies.ts";
import type { Rule } from "../rule.ts";

/** Played last, and also when the check is ended from outside. */
export const cleanup: Rule = {
  name: "every thread that the check has opened is deleted",
  play: async (target) => {
    for (const threadId of target.openThreads) {
      const reply = await target.call((client, options) => client.deleteThread(threadId, options));
      target.hold(reply, 200, deletedThread);
    }
  },
};
