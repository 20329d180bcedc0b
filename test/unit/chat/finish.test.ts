import "../../helpers/service/help-lines.ts";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import { LANGUAGES, type Language } from "../../../packages/safety/alerts.ts";
import { screen } from "../../../packages/safety/screen.ts";
import type { Answered } from "../../../shared/chat/answer-message.ts";
import { finish, finishOnceHeld } from "../../../shared/chat/finish.ts";
import { Reply } from "../../../shared/chat/reply.ts";
import { Warnings } from "../../../shared/chat/warnings.ts";
import { clinicOfStage } from "../../../shared/clinic.ts";
import { config } from "../../../shared/config.ts";
import { newContext } from "../../helpers/caller.ts";
import { newThread } from "../../helpers/database/database.ts";
import { CARDIAC } from "../../helpers/safety-messages.ts";

beforeAll(() => {
  Object.assign(process.env, { HANDOFF_MINUTES: "10", THREAD_IDLE_SECONDS: "1800", SWEEP_INTERVAL_SECONDS: "600" });
});

const SAID = "something that only the patient may read";

/** Fails whatever is done with it. */
const fail = () => {
  throw new Error(SAID);
};
const broken = () => new Proxy([] as never[], { get: fail, has: fail });

/** A chat whose model has answered, with everything broken besides the alert. */
function answeredTo(message: string, language: Language = "en"): Answered {
  const reply = new Reply(undefined);
  const screening = { ...screen(message), language };
  const warnings = new Warnings(reply, screening, {}, [message], config.helpLines);
  warnings.begin();
  warnings.speak("Take ibuprofen [1].");
  return {
    ...loaded(message),
    reply,
    warnings,
    screening,
    facts: broken() as unknown as Answered["facts"],
    answer: { kind: "answered", model: "m", signal: undefined },
    passages: broken(),
    written: reply.parts.map((part) => (part.kind === "words" ? { ...part, cites: [1] } : part)),
    inDanger: reply.alert !== undefined,
  };
}

const loaded = (message: string) => ({
  kind: "loaded" as const,
  clinic: clinicOfStage(),
  request: { message },
  history: [],
  questions: [],
  nothingFound: new Set<string>(),
  alerted: false,
  patient: undefined,
  failure: undefined,
  conversation: { thread: Object.defineProperty(newThread(), "answerBy", { get: fail }), turns: [] },
});

/** Finishes a chat while nothing else works, and returns the kinds of its parts and what was logged. */
async function finished(message: string, language?: Language) {
  const log = jest.spyOn(console, "error").mockImplementation(() => {});
  const { turn } = await finish(newContext(), answeredTo(message, language));
  const held = finishOnceHeld(answeredTo(message, language), "Dr. Example").turn;
  const logged = JSON.stringify(log.mock.calls);
  log.mockRestore();
  return { parts: turn.parts, held, logged, turn };
}

describe("a chat in which everything but the alert fails", () => {
  test("tells and keeps the alert, and logs what has failed without what it said", async () => {
    const { parts, turn, held, logged } = await finished(CARDIAC);
    expect(parts.map(({ kind }) => kind)).toEqual(["alert", "words"]);
    expect(turn).toMatchObject({ alert: "cardiac", handoff: "emergency" });
    expect(held.parts.map(({ kind }) => kind)).toEqual(["alert", "held"]);
    for (const step of ["cautions", "citations", "handoff"]) {
      expect(logged).toContain(`"step":"${step}"`);
    }
    expect(logged).not.toContain(SAID);
  });

  test("says to somebody who is not in danger that cautions are missing", async () => {
    const { parts, held } = await finished("Can I take ibuprofen?");
    expect(parts.map(({ kind }) => kind)).toEqual(["words", "unchecked"]);
    expect(parts[1]?.text).toMatch(/^I could not check whether the medicines/);
    expect(held.parts.map(({ kind }) => kind)).toEqual(["held", "unchecked"]);
  });

  test("says it in the language of the answer", async () => {
    const texts = await Promise.all(LANGUAGES.map(async (language) => (await finished("?", language)).parts[1]?.text));
    expect(new Set(texts).size).toBe(LANGUAGES.length);
    expect(texts.join()).not.toContain("undefined");
  });
});

test("what is said only without an answer is not looked for when there is one", async () => {
  const answered = answeredTo("Can I take ibuprofen?");
  const neutral = jest.spyOn(answered.warnings, "neutral");
  jest.spyOn(console, "error").mockImplementation(() => {});
  await finish(newContext(), answered);
  expect(neutral).not.toHaveBeenCalled();
  finishOnceHeld(answered, "Dr. Example");
  expect(neutral).not.toHaveBeenCalled();
  finishOnceHeld(answered, undefined);
  expect(neutral).toHaveBeenCalledTimes(1);
  jest.restoreAllMocks();
});
