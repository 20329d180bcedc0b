import { NOTHING_FOUND } from "../../../shared/threads/answer-parts.ts";
import type { Exchange } from "../../../shared/threads/thread.ts";

/** A turn as it is stored, with an answer by a model. */
export function exchange(question: string | undefined, answer: string): Exchange {
  return {
    question,
    parts: [{ kind: "words", text: answer }],
    origin: { model: "test-model", instructions: "1", language: "en" },
    findings: question === undefined ? undefined : NOTHING_FOUND,
  };
}
