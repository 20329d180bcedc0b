import { beforeEach, describe, expect, test } from "@jest/globals";
import { countFeedback } from "../../shared/feedback/count-feedback.ts";
import { counterOf } from "../../shared/feedback/counter.ts";
import type { FeedbackRequest } from "../../shared/feedback/feedback.ts";
import { giveFeedback } from "../../shared/feedback/give-feedback.ts";
import { withdrawFeedback } from "../../shared/feedback/withdraw-feedback.ts";
import { messageId } from "../../shared/threads/message-id.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { newContext } from "../helpers/caller.ts";
import { stopClockAt } from "../helpers/database/database.ts";
import { exchange } from "../helpers/database/exchange.ts";
import type { Call, Fault } from "../helpers/database/fault-proxy.ts";
import { after } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();
let thread: Thread;
beforeEach(async () => {
  await storage.clear();
  thread = await storage.storeThread(2);
});

const answerId = () => messageId(thread, 1);

async function give(request: FeedbackRequest, id = answerId()) {
  return (await giveFeedback(newContext(), thread.threadId, id, request)).feedback;
}

async function withdraw() {
  return withdrawFeedback(newContext(), thread.threadId, answerId());
}

/** What is counted, without zeros, as `<rating> <count> <reasons>`. */
async function counts(): Promise<string[]> {
  const items = await storage.feedbackItems();
  return items
    .filter(({ count }) => count !== 0)
    .map(({ pk: _pk, sk: _sk, ttl: _ttl, counted, count, ...reasons }) => {
      const given = Object.entries(reasons).flatMap(([reason, times]) => (times === 0 ? [] : [`${reason}:${times}`]));
      return [(counted as { rating: string }).rating, count, ...given.toSorted()].join(" ");
    })
    .toSorted();
}

const entries = async () =>
  (await storage.threadItems(thread.threadId)).filter(({ sk }) => String(sk).startsWith("feedback#"));

const events = async () => (await storage.eventItems()).map(({ type }) => type);

describe("feedback on an answer", () => {
  test("is stored with its thread, counted once, and an event", async () => {
    await give({ rating: "bad", reasons: ["other", "unsafe", "unsafe"], comment: " Zebra " });
    expect(await entries()).toMatchObject([{ rating: "bad", reasons: ["unsafe", "other"], comment: "Zebra" }]);
    expect(await counts()).toEqual(["bad 1 other:1 unsafe:1"]);
    expect(await events()).toEqual(["feedback.created"]);
  });

  test("has no comment if that is blank", async () => {
    expect(await give({ rating: "good", comment: " " })).toMatchObject({ comment: null });
  });

  test.each<[FeedbackRequest, string]>([
    [{ rating: "good" }, "good 1"],
    [{ rating: "bad" }, "bad 1"],
    [{ rating: "bad", reasons: ["unsafe", "unclear"] }, "bad 1 unclear:1 unsafe:1"],
    [{ rating: "bad", reasons: ["too-long"] }, "bad 1 too-long:1"],
    [{ rating: "bad", reasons: ["unsafe", "incorrect"], comment: "another" }, "bad 1 incorrect:1 unsafe:1"],
  ])("that is changed to %j is counted as that alone, without another event", async (changed, counted) => {
    await give({ rating: "bad", reasons: ["unsafe", "incorrect"] });
    await give(changed);
    expect(await counts()).toEqual([counted]);
    expect((await entries()).map(({ comment }) => comment)).toEqual([changed.comment ?? null]);
    expect(await events()).toHaveLength(1);
  });

  test("that is changed on another day stays counted on the first, until the day after its 400 days", async () => {
    const countedOn = async (today: string) => {
      stopClockAt(today);
      const selection = { from: "2030-01-01", to: "2032-01-01", by: [] };
      return (await countFeedback(newContext(), selection)).groups.map(({ count }) => count);
    };
    stopClockAt("2030-01-01T23:50:00.000Z");
    const threads = await Promise.all(Array.from({ length: 5 }, () => storage.storeThread(2)));
    for (const [day, rating] of [
      ["2030-01-01T23:59:00.000Z", "good"],
      ["2030-01-02T00:01:00.000Z", "bad"],
    ] as const) {
      stopClockAt(day);
      for (thread of threads) {
        await give({ rating });
      }
    }
    expect(await counts()).toEqual(["bad 5"]);
    const [counted] = (await storage.feedbackItems()).filter(({ count }) => count === 5);
    expect(counted).toMatchObject({ counted: { day: "2030-01-01" } });
    expect(await countedOn("2031-02-05T23:59:59.999Z")).toEqual([5]);
    expect(await countedOn("2031-02-06T00:00:00.000Z")).toEqual([]);
    expect(new Date(Number(counted?.ttl) * 1000).toISOString()).toBe("2031-02-06T00:00:00.000Z");
  });

  test("may be given by many at once: one entry remains, counted once", async () => {
    const reasons = ["unsafe", "unclear", "other"] as const;
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 4 === 3
          ? withdraw()
          : give({ rating: index % 2 ? "good" : "bad", reasons: reasons.slice(index % 3), comment: String(index) }),
      ),
    );
    const [entry] = (await entries()) as unknown as FeedbackRequest[];
    const given = entry?.reasons?.map((reason) => `${reason}:1`).toSorted() ?? [];
    expect(await counts()).toEqual(entry ? [[entry.rating, 1, ...given].join(" ")] : []);
  });
});

test.each([
  [399, "short"],
  [400, "medium"],
  [1_199, "medium"],
  [1_200, "long"],
])("an answer of %d characters is counted as %s", async (characters, length) => {
  expect(counterOf(exchange("?", "x".repeat(characters)), "good", Date.now())).toMatchObject({ length });
});

describe("a thread that ends", () => {
  test.each(["deleted", "swept"])(
    "takes feedback on its answers with it when it is %s; the count remains",
    async (how) => {
      await give({ rating: "bad", comment: "Zebra" });
      if (how === "deleted") {
        await storage.remove(thread);
      } else {
        await storage.seed({ ...(await storage.threadItem(thread)), expiresAt: new Date(0).toISOString() });
        await storage.sweepOne(thread);
      }
      expect(await storage.threadItems(thread.threadId)).toEqual([]);
      expect(await counts()).toEqual(["bad 1"]);
      expect(JSON.stringify(await storage.feedbackItems())).not.toMatch(new RegExp(`Zebra|${thread.generation}`));
    },
  );

  test("while feedback is given takes it along, or has it rejected and uncounted", async () => {
    const [given] = await Promise.allSettled([give({ rating: "good" }), storage.remove(thread)]);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
    expect(await counts()).toEqual(given?.status === "fulfilled" ? ["good 1"] : []);
  });

  test("while feedback is withdrawn: an acknowledged withdrawal no longer counts", async () => {
    await give({ rating: "good" });
    const isEntry = ({ body }: Call) => String(body.Key?.sk?.S).startsWith("feedback#");
    const deletesThread: Fault = async (call) => {
      await storage.remove(thread);
      return call.forward();
    };
    storage.faults.fail(isEntry, deletesThread, 1);
    await expect(withdraw()).rejects.toMatchObject({ kind: "not-found" });
    expect(await counts()).toEqual(["good 1"]);
  });

  test("after the answer was read gets no feedback", async () => {
    storage.faults.fail(
      "TransactWriteItems",
      after(() => storage.markDeleting(thread)),
      1,
    );
    await expect(give({ rating: "good" })).rejects.toMatchObject({ kind: "not-found" });
    expect([await counts(), await entries(), await events()]).toEqual([[], [], []]);
  });
});
