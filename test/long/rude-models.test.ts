import { describe, expect, test } from "@jest/globals";
import {
  ANSWER,
  CONTENT_FORMS,
  ENDING_FORMS,
  ERROR_FORMS,
  REASONING_FORMS,
  USAGE_FORMS,
  type WireForm,
} from "../../tools/safety/wire-forms.ts";
import { CARDIAC, EMERGENCY_TEXT, HARMLESS } from "../helpers/safety-messages.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService({}); // its own: a process remembers that a model reasons

const MEDIA = ["JSON", "a stream"] as const;

/** Chats in a new thread, and returns the response, whether it was streamed, and how many messages are stored. */
async function chat(message: string, medium: (typeof MEDIA)[number], include: string[] = []) {
  const threadId = await service.newThread();
  const id = `rude-${threadId}`;
  const request = { message, threadId, include };
  const headers: Record<string, string> = { "x-request-id": id };
  if (medium === "JSON") {
    const { status, body } = await service.chat(request, headers);
    return { status, body, said: body.response, threadId, id };
  }
  const events = await service.stream(request, headers);
  const last = events.at(-1);
  return { status: last?.event === "done" ? 200 : 500, body: last?.data, said: textOf(events), threadId, id };
}

const send = (form: WireForm) => Object.assign(service.model, { script: () => ({ wire: form }) });
const stored = async (threadId: string) => (await service.thread(threadId)).messageCount;
const named = (forms: WireForm[], ...names: string[]) => forms.filter(({ name }) => names.includes(name));
const rows = (forms: WireForm[]) => forms.map((form) => [form.name, form] as const);

describe.each(MEDIA)("in %s, a model that sends", (medium) => {
  test.each(rows(ERROR_FORMS))("%s loses no alert: it is shown and stored", async (_, form) => {
    Object.assign(service.model, { script: () => ({ wire: form }), verdict: undefined });
    const { body, said, threadId } = await chat(CARDIAC, medium);
    expect(body).toMatchObject({ success: true, threadId, messageCount: 2 });
    expect(said).toMatch(EMERGENCY_TEXT);
    expect(said).toBe(body.response);
    expect(await stored(threadId)).toBe(2);
    expect(service.logs.filter((line) => line.includes("stray-error"))).toEqual([]);
  });

  test.each(rows(ERROR_FORMS))("%s in answer to a calm message has failed; nothing is stored", async (_, form) => {
    send(form);
    const { status, threadId } = await chat(HARMLESS, medium);
    expect(status).toBe(500);
    expect(await stored(threadId)).toBe(0);
  });

  const REASONING = ["think tags", "the end of a think block alone", "Harmony's channels", "the field reasoning"];
  test.each(
    rows([
      ...named(REASONING_FORMS, ...REASONING),
      ...named(CONTENT_FORMS, "a list with thinking and a text"),
      ...named(ENDING_FORMS, "the reason null"),
    ]),
  )("%s gives its answer: without reasoning, which raises no alert and is not stored", async (_, form) => {
    send(form);
    const { body, said, threadId } = await chat(HARMLESS, medium, ["safety"]);
    expect(said).toBe(ANSWER);
    expect(body).toMatchObject({ success: true, response: ANSWER, safety: { level: "none" } });
    await service.chat({ message: "And then?", threadId });
    expect(service.prompt().find(({ role }) => role === "assistant")?.content).toBe(ANSWER);
  });

  test("no usage is counted by an estimate, which the log says, and so is an answer that was cut", async () => {
    for (const form of [...named(USAGE_FORMS, "no usage"), ...named(ERROR_FORMS, "words and an error object")]) {
      send(form);
      const { id } = await chat(HARMLESS, medium);
      const line = (await service.linesOf(id)).at(-1);
      const isAnswer = form.name === "no usage";
      expect(line).toMatchObject(isAnswer || medium === "a stream" ? { usageEstimated: true } : {});
      expect(line["gen_ai.usage.input_tokens"] > 100).toBe(true);
    }
  });
});
