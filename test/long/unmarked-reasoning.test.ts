import { expect, test } from "@jest/globals";
import { chunk, REASONING_FORMS, type WireForm } from "../../tools/safety/wire-forms.ts";
import { setUpService, type TestService } from "../helpers/service/service.ts";

// Two of their own: a process remembers how a model answers.
const plain = setUpService({});
const reasoning = setUpService({});

/** A stream without the level that the service asks for, as small models and most reasoning templates send it. */
const streamOf = (...contents: string[]): WireForm => ({
  ...(REASONING_FORMS[0] as WireForm),
  stream: [...contents.map((content) => chunk({ content })), chunk({}, "stop")].join(""),
});

/** The texts of a stream's deltas. */
async function deltasOf(service: TestService, form: WireForm): Promise<string[]> {
  service.model.script = () => ({ wire: form });
  const events = await service.stream({ message: "How much should I walk?", threadId: await service.newThread() });
  expect(events.at(-1)?.event).toBe("done");
  return events.flatMap(({ event, data }) => (event === "delta" ? [data.text] : []));
}

test("the first answer of a model that does not write the level comes in one piece, the next ones in several", async () => {
  const words = ["Walk ", "half an hour ", "a day, ", "or as much as ", "you like."];
  expect(await deltasOf(plain, streamOf(...words))).toEqual([words.join("")]);
  expect((await deltasOf(plain, streamOf(...words))).length).toBeGreaterThan(1);
});

test("reasoning of which only the end is marked is in no delta, the first time and later", async () => {
  const form = streamOf(
    "Walking is healthy. ",
    "Half an hour is what most ",
    "say.",
    "\n</think>\n\n",
    "Half an hour ",
    "a day.",
  );
  for (const _ of [1, 2]) {
    expect((await deltasOf(reasoning, form)).join("")).toBe("Half an hour a day.");
  }
});
