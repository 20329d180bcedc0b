import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ModelRequest } from "../helpers/model/scripted-model.ts";
import { CARDIAC, SUSPECTED } from "../helpers/safety-messages.ts";
import { setUpService, type TestService } from "../helpers/service/service.ts";

const service = setUpService({ OPENAI_REASONING_EFFORT: "none", OPENAI_PROMPT_CACHE: "breakpoints" });

const [SUSPICION] = SUSPECTED.emergency;

/** The number of turns that fit in a thread's window. */
const WINDOW = 10;

type Part = string | { text: string; prompt_cache_breakpoint?: unknown }[];

/** A prompt as the provider caches it: its texts in order, and the length of each marked prefix. */
interface Cached {
  texts: string[];
  marked: number[];
  /** The texts up to the user's message; a notice may follow. */
  untilMessage: number;
}

function cached({ messages }: ModelRequest): Cached {
  const parts = messages.map(({ role, content }) => ({ role, content: content as unknown as Part }));
  const textOf = (content: Part) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""));
  return {
    texts: parts.map(({ role, content }) => `${role}: ${textOf(content)}`),
    marked: parts.flatMap(({ content }, index) =>
      typeof content !== "string" && content.at(-1)?.prompt_cache_breakpoint ? [index + 1] : [],
    ),
    untilMessage: parts.findLastIndex(({ role }) => role === "user") + 1,
  };
}

/** The number of texts in the common prefix of two prompts. */
function commonPrefix(first: Cached, second: Cached): number {
  const length = Math.min(first.texts.length, second.texts.length);
  const different = first.texts.findIndex((text, index) => index >= length || text !== second.texts[index]);
  return different < 0 ? length : different;
}

/** Sends these messages on a new thread and returns what the provider received. */
async function conversation(messages: string[]): Promise<{ requests: ModelRequest[]; prompts: Cached[] }> {
  const { id } = await service.newPatient();
  const threadId = await service.newThread({ patientId: id });
  const before = service.model.requests.length;
  for (const message of messages) {
    expect((await service.chat({ message, threadId })).status).toBe(200);
  }
  const requests = service.model.requests.slice(before).map(({ body }) => body);
  expect(requests).toHaveLength(messages.length);
  return { requests, prompts: requests.map(cached) };
}

const lastRequest = ({ model }: TestService) => model.requests.at(-1)?.body ?? ({ messages: [] } as never);

const small = (turns: number) =>
  Array.from({ length: turns }, (_, turn) => `What helps against a headache, part ${turn}?`);

const CONVERSATIONS: [string, string[]][] = [
  ["without an alert", small(WINDOW)],
  ["with an alert", small(WINDOW).with(3, CARDIAC)],
  ["with an alert in the first message", small(WINDOW).with(0, CARDIAC)],
  ["with a suspected alert", small(WINDOW).with(4, SUSPICION)],
];

describe.each(CONVERSATIONS)("in a conversation %s,", (_, messages) => {
  let prompts: Cached[];
  let requests: ModelRequest[];
  beforeAll(async () => {
    ({ prompts, requests } = await conversation(messages));
  });

  test("each prompt starts with the previous one, up to its message, which was marked for the cache", () => {
    for (const [index, prompt] of prompts.slice(1).entries()) {
      const before = prompts[index] as Cached;
      expect(commonPrefix(before, prompt)).toBeGreaterThanOrEqual(before.untilMessage);
      expect(before.marked.at(-1)).toBe(before.untilMessage);
      expect(prompt.marked).toContain(before.untilMessage);
    }
  });

  test("all prompts have the same cache key, which no other thread has", async () => {
    const keys = new Set(requests.map(({ prompt_cache_key: key }) => key));
    expect([...keys]).toEqual([expect.stringMatching(/^\w{26}$/)]);
    const other = await conversation(["hello"]);
    expect([...keys]).not.toContain(other.requests[0]?.prompt_cache_key);
  });
});

test("an alert's notice is at the end of the prompt and nowhere else", async () => {
  const { prompts } = await conversation(["hello", CARDIAC]);
  const [harmless, alarming] = prompts as [Cached, Cached];
  expect(harmless.texts.at(-1)).toBe("user: hello");
  expect(alarming.texts.at(-1)).toMatch(/^system: The user's last message was recognised as emergency/);
  expect(alarming.texts.at(-2)).toBe(`user: ${CARDIAC}`);
});

test("once the window moves, nothing is written to the cache, because the next prompt would not find it", async () => {
  const { prompts, requests } = await conversation(small(WINDOW + 3));
  const [full, moved] = prompts.slice(WINDOW) as [Cached, Cached];
  expect(commonPrefix(prompts[WINDOW - 1] as Cached, full)).toBe(2 * WINDOW);
  expect(full.marked).not.toEqual([]);
  expect(commonPrefix(full, moved)).toBe(1); // the instructions
  expect(moved.marked).toEqual([]);
  expect(requests.map(({ prompt_cache_options: options }) => options)).toEqual(
    requests.map(() => ({ mode: "explicit" })),
  );
});

test("without a thread, the model is told not to reason first, and no cache is mentioned", async () => {
  await service.chat({ message: "hello" });
  const { messages, ...parameters } = lastRequest(service);
  expect(messages.at(-1)).toEqual({ role: "user", content: "hello" });
  expect(parameters).toEqual({
    model: expect.any(String),
    max_completion_tokens: expect.any(Number),
    store: false,
    reasoning_effort: "none",
  });
});

describe("with a server that only supports the common protocol", () => {
  const other = setUpService();

  test("nothing about reasoning or a cache is sent, and the notice is part of the instructions", async () => {
    await other.chat({ message: CARDIAC, threadId: await other.newThread() });
    const { messages, ...parameters } = lastRequest(other);
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(messages[0]?.content).toMatch(/\n\nThe user's last message was recognised as emergency: .*\n/);
    expect(parameters).toEqual({
      model: expect.any(String),
      max_completion_tokens: expect.any(Number),
      store: false,
      stream: true, // the first word after an alert is waited for
      stream_options: { include_usage: true },
    });
  });
});
