import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import { scriptedAnswer, scriptedVerdict } from "./scripted-answer.ts";

export interface OfflineModel {
  /** For everything that says which model wrote a text. */
  name: string;
  /** The value for OPENAI_BASE_URL. */
  baseUrl: string;
  /** The messages of the last request: what a real model would receive. Empty before the first and once forgotten. */
  lastMessages(): ChatCompletionRequest["messages"];
  /** Forgets the last request, which contains a conversation and a patient's record. */
  forget(): void;
  stop(): Promise<void>;
}

/** Stands below each answer, which could be mistaken for advice. */
const NOTE = "\n\n*A scripted answer: no AI is connected.*";

/**
 * Starts a model that needs no network and answers by a script.
 *
 * @param pauseMilliseconds the wait before each piece of a streamed answer
 * @param note stands below each answer
 */
export async function startOfflineModel(pauseMilliseconds = 0, note = NOTE): Promise<OfflineModel> {
  let messages: ChatCompletionRequest["messages"] = [];
  const mock = new LLMock({ host: "127.0.0.1", port: 0, journalMaxEntries: 1, latency: pauseMilliseconds });
  mock.on({ predicate: () => true }, (request) => {
    if (request.response_format) {
      return { content: scriptedVerdict(request) };
    }
    messages = request.messages;
    return { content: scriptedAnswer(request) + note };
  });
  await mock.start();
  return {
    name: "scripted-demonstration",
    baseUrl: `${mock.url}/v1`,
    lastMessages: () => messages,
    forget: () => {
      messages = [];
      mock.clearRequests();
    },
    stop: () => mock.stop(),
  };
}
