import "../../helpers/service/help-lines.ts";
import { beforeAll, expect, jest, test } from "@jest/globals";
import { planHandoff } from "../../../shared/chat/handoff.ts";
import { clinicOfStage } from "../../../shared/clinic.ts";
import { textOf } from "../../../shared/threads/answer-parts.ts";
import { newContext } from "../../helpers/caller.ts";
import { newThread, stopClockAt } from "../../helpers/database/database.ts";

beforeAll(() => {
  Object.assign(process.env, { HANDOFF_MINUTES: "10", THREAD_IDLE_SECONDS: "1800", SWEEP_INTERVAL_SECONDS: "600" });
});

const OVERDUE = new Date(0).toISOString();
const NOTHING = { alert: undefined, signal: undefined };
const plan = (thread: object, need: object = {}) =>
  planHandoff(newContext(), clinicOfStage(), { ...newThread(), ...thread }, { ...NOTHING, ...need }, "en");

test("a user who was told that somebody is being told learns that nobody has come, and whom to turn to", async () => {
  const { parts, change, reason } = await plan({ answerBy: OVERDUE, promised: true });
  expect(textOf(parts)).toMatch(
    /^Nobody has been able to take over .* contact your clinic or doctor directly .* call 911\.$/,
  );
  expect({ change, reason }).toEqual({ change: { closes: true, opens: undefined }, reason: undefined });
});

test.each([
  ["who was told nothing", { answerBy: OVERDUE, promised: undefined }],
  ["whose request is still open", { answerBy: new Date(Date.now() + 60_000).toISOString(), promised: true }],
  ["who has asked for nobody", {}],
])("a user %s is told nothing about it", async (_, thread) => {
  expect((await plan(thread)).parts).toEqual([]);
});

test.each([undefined, "asked"])(
  "an alert requests a person once, and says nothing that could make anybody wait (signal: %s)",
  async (signal) => {
    const alert = { level: "emergency", category: "cardiac" };
    const first = await plan({}, { alert, signal });
    expect(first).toMatchObject({
      reason: "emergency",
      parts: [],
      change: { opens: { reason: "emergency", promised: false } },
    });
    const answerBy = new Date(first.change.opens?.answerBy ?? 0).toISOString();
    expect((await plan({ answerBy }, { alert })).change.opens).toBeUndefined();
  },
);

test("a user whose request nobody has answered can make another one", async () => {
  stopClockAt("2030-01-01T00:00:00.000Z");
  const { change } = await plan({ answerBy: OVERDUE }, { signal: "asked" });
  expect(change).toMatchObject({ closes: true, opens: { promised: false } });
  expect(new Date(change.opens?.answerBy ?? 0).toISOString()).toBe("2030-01-01T00:10:00.000Z");
  jest.useRealTimers();
});

test("a user is promised nothing if the webhooks cannot be read", async () => {
  const { parts, change } = await plan({}, { signal: "asked" });
  expect(change).toMatchObject({ closes: false, opens: { promised: false } });
  expect(textOf(parts)).not.toMatch(/is being told/);
});
