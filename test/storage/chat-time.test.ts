import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { chat } from "../../shared/chat/chat.ts";
import { textListener } from "../../shared/chat/reply.ts";
import { DATABASE_TRY_MILLISECONDS } from "../../shared/time-limits.ts";
import { CALLER, newContext } from "../helpers/caller.ts";
import { setUpChats } from "../helpers/database/chats.ts";
import { retryWithoutWaiting, stopClockAt } from "../helpers/database/database.ts";
import type { Fault } from "../helpers/database/fault-proxy.ts";
import { conflict } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { SUSPECTED } from "../helpers/safety-messages.ts";

const EMERGENCY = "crushing chest pain and my left arm is numb, sweating";

const storage = setUpStorage();
const chats = setUpChats();
beforeEach(retryWithoutWaiting);

async function storeThread(): Promise<string> {
  const { threadId } = await storage.storeThread();
  storage.faults.reset();
  return threadId;
}

describe("the model is given", () => {
  test.each<[what: string, message: string, streamed: boolean, seconds: number]>([
    ["all the time for a plain answer", "When do you open?", false, 21],
    ["10 s for a plain answer to an emergency, whose fixed text is waiting", EMERGENCY, false, 10],
    ["all the time for a streamed one, whose fixed text was sent", EMERGENCY, true, 21],
  ])("%s", async (_, message, streamed, seconds) => {
    stopClockAt(Date.now());
    const timers = jest.spyOn(globalThis, "setTimeout");
    const listener = streamed ? textListener(() => {}) : undefined;
    await chat(newContext(CALLER, 28_000), { message }, { listener });
    const limits = timers.mock.calls.map(([, milliseconds]) => milliseconds);
    expect(limits).toContain(seconds * 1_000);
  });
});

test("a verdict has no more time than is left to the chat", async () => {
  const [message] = SUSPECTED.emergency;
  const timers = jest.spyOn(globalThis, "setTimeout");
  await chat(newContext(CALLER, 8_500), { message });
  const limits = timers.mock.calls.map(([, milliseconds]) => Number(milliseconds));
  expect(limits.filter((limit) => limit > 1_000 && limit <= 1_500)).toHaveLength(2); // for the answer and the verdict
  // Those of 2 s are the database's, if it is asked for the version of the sources.
  const others = limits.filter((limit) => limit > 1_500 && limit < 2_500);
  expect(others.filter((limit) => limit !== DATABASE_TRY_MILLISECONDS)).toEqual([]);
});

test("a turn whose thread stays busy is given up 3.5 s before the invocation ends", async () => {
  const threadId = await storeThread();
  const busy: Fault = (call) => {
    stopClockAt(Date.now() + 4_250); // the third attempt is at the last moment
    return conflict(call);
  };
  storage.faults.fail("TransactWriteItems", busy, Number.POSITIVE_INFINITY);
  stopClockAt(Date.now());
  await expect(chats.chat({ message: "hello", threadId }, undefined, 12_000)).rejects.toThrow("TransactionConflict");
  expect(storage.faults.calls("TransactWriteItems")).toBe(3);
});
