import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";

export interface OfflineModel {
  /** The value for OPENAI_BASE_URL. */
  baseUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts a model that needs no network.
 *
 * @param answer returns the answer to a request; a description of what the model received by default
 * @param pauseMilliseconds the wait before each piece of a streamed answer
 */
export async function startOfflineModel(answer = describeContext, pauseMilliseconds = 0): Promise<OfflineModel> {
  const mock = new LLMock({ host: "127.0.0.1", port: 0, journalMaxEntries: 1, latency: pauseMilliseconds });
  mock.on({ predicate: () => true }, (request) => ({ content: answer(request) }));
  await mock.start();
  return { baseUrl: `${mock.url}/v1`, stop: () => mock.stop() };
}

/** @returns an answer that cannot be mistaken for a real one, and shows that thread and record reached the model */
function describeContext({ messages }: ChatCompletionRequest): string {
  const record = /<patient_record>\n(.*)\n<\/patient_record>(?:\n|$)/s.exec(textOf(messages[0]))?.[1];
  const earlier = messages.slice(1, -1);
  const lines = [
    "[offline model] I am not an AI: I only show what a model would be given here. Set OPENAI_API_KEY or OPENAI_BASE_URL for real answers.",
    `Your message: ${textOf(messages.at(-1))}`,
    `Earlier messages in the conversation: ${earlier.length}`,
    ...earlier.slice(-4).map((message) => `  ${message.role}: ${shorten(textOf(message))}`),
    // Names only, not values: an answer that names a drug could be mistaken for advice.
    `Patient record, by its fields: ${record ? Object.keys(JSON.parse(record)).join(", ") : "none"}`,
  ];
  return lines.join("\n");
}

function textOf(message: ChatCompletionRequest["messages"][number] | undefined): string {
  return typeof message?.content === "string" ? message.content : "";
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
