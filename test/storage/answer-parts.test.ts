import { expect, test } from "@jest/globals";
import { toMessages } from "../../shared/chat/prompt.ts";
import { listMessages } from "../../shared/threads/list-messages.ts";
import { newContext, TENANT } from "../helpers/caller.ts";
import { exchange } from "../helpers/database/exchange.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();

test("a caution of two paragraphs, and words that repeat it, are read back as they were stored", async () => {
  const text = "Caution: your own text.\n\nAsk your pharmacist.";
  const cautions = ["aspirin", "ibuprofen"].map((drug) => ({
    kind: "caution" as const,
    text,
    basis: "allergy" as const,
    drug,
    because: "salicylates",
  }));
  const answer = exchange("What helps?", text);
  const findings = { level: "none", category: null, certainty: null, decidedBy: null } as const;
  const parts = [...answer.parts, ...cautions, { kind: "disclosure" as const, text: "By an AI." }];
  const thread = await storage.storeThread();
  await storage.commit(thread, { ...answer, parts, findings });

  const fields = new Set(["parts", "safety"] as const);
  const page = await listMessages(newContext(), thread.threadId, { limit: 2, before: undefined }, fields);
  expect(page.messages[0]).toMatchObject({
    content: `${text}\n\n${text}\n\n${text}\n\nBy an AI.`,
    parts,
    safety: {
      alertText: null,
      cautions: [
        { drug: "aspirin", text },
        { drug: "ibuprofen", text },
      ],
    },
  });
  const conversation = await storage.threads.readConversation(TENANT, thread.threadId);
  const messages = toMessages(conversation?.turns ?? []);
  expect(messages.at(-1)?.content).toBe(`${text}\n\n${text}\n\n${text}`);
});
