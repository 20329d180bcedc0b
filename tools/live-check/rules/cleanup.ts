import { deleteThread, erase } from "../fixtures.ts";
import type { Rule } from "../rule.ts";

/** The rules that run last. */
export const cleanup: Rule[] = [
  {
    name: "DELETE /threads/{id} of every thread that the check created: 200",
    play: async (target) => {
      for (const threadId of target.openThreads) {
        await deleteThread(target, threadId);
      }
    },
  },
  {
    name: "DELETE /patients/{id} of every patient that the check created: 200",
    play: async (target) => {
      for (const id of target.openPatients) {
        await erase(target, id, 0);
      }
    },
  },
];
