import { afterEach, describe, expect, test } from "@jest/globals";
import { CUT, ENDING_FORMS } from "../../tools/safety/wire-forms.ts";
import { echo } from "../helpers/model/scripted-model.ts";
import { CARDIAC, HARMLESS } from "../helpers/safety-messages.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
afterEach(() => {
  service.model.script = echo;
});

const CUTS = ['the reason "error"', 'the reason "max_tokens"', 'the reason "timeout"'];
const forms = ENDING_FORMS.filter(({ name }) => CUTS.includes(name)).map((form) => [form.name, form] as const);
const include = ["parts"];

/** Chats in a new thread; @returns the response's body, and how many messages are stored. */
async function chat(message: string, medium: string) {
  const threadId = await service.newThread();
  const request = { message, threadId, include };
  const body = medium === "JSON" ? (await service.chat(request)).body : (await service.stream(request)).at(-1)?.data;
  return { body, stored: (await service.thread(threadId)).messageCount };
}

describe.each(["JSON", "a stream"])("in %s, once the model has answered,", (medium) => {
  test.each(forms)("%s is a failure; beside an alert, the words are followed by a cut", async (_, form) => {
    service.model.script = echo;
    expect((await chat("hello", medium)).body.success).toBe(true);
    Object.assign(service.model, { script: () => ({ wire: form }) });
    const calm = await chat(HARMLESS, medium);
    expect([calm.body.success, calm.stored]).toEqual([false, 0]);
    const { body, stored } = await chat(CARDIAC, medium);
    expect(body.parts.slice(0, 3).map(({ kind }: { kind: string }) => kind)).toEqual(["alert", "words", "cut"]);
    expect(body.parts[1].text).toBe(CUT);
    expect(stored).toBe(2);
  });
});
