import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import { type DueEvent, deliveryKey, ofDueKey } from "../../shared/dynamo/keys.ts";
import type { Start } from "../../shared/events/deliver-events.ts";
import type { Claimed } from "../../shared/events/delivery-repository.ts";
import { newContext, TENANT } from "../helpers/caller.ts";
import { stopClockAt } from "../helpers/database/database.ts";
import type { Call } from "../helpers/database/fault-proxy.ts";
import { after, rejected, requestLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { eventually } from "../helpers/eventually.ts";
import { captureMetrics } from "../helpers/service/metrics.ts";
import { answerWith, type Receiver, startReceiver } from "../helpers/service/receiver.ts";

const storage = setUpStorage();
let receiver: Receiver;
beforeEach(async () => {
  process.env.WEBHOOKS_TO_LOOPBACK = "true";
  for (const method of ["info", "warn"] as const) {
    jest.spyOn(console, method).mockReturnValue();
  }
  await storage.clear();
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const NOTHING = { delivered: 0, failed: 0, "given-up": 0, dropped: 0 };

const manage = () => import("../../shared/events/manage-webhooks.ts");
const subscribe = async () =>
  (await manage()).createWebhook(newContext(), { url: receiver.url, events: ["thread.expired"] });

/** Records an event. @returns its key */
async function record(): Promise<{ pk: string; sk: string }> {
  const { recordEvent } = await import("../../shared/events/outbox.ts");
  const { transact } = await import("../../shared/dynamo/transact.ts");
  const event = recordEvent(TENANT, { type: "thread.expired", threadId: "48213" }, Date.now());
  await transact(
    () => ({ event }),
    async (error) => Promise.reject(error),
  );
  const { pk, sk } = event.Put?.Item ?? {};
  return { pk, sk };
}

/** The items that DynamoDB may delete. */
const expired = async () => (await storage.eventItems()).filter(({ ttl }) => Number(ttl) * 1000 <= Date.now());

/** One run, without the wait for retries that are due soon. */
async function run(start: Start = "schedule") {
  const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
  let checks = 0;
  return deliverEvents(() => (checks++ < 1_000 ? 34_000 : 0), start);
}

test("the deployment's hook has a new version read its table, and deliver nothing", async () => {
  const { handler } = await import("../../functions/deliver-events.ts");
  await subscribe();
  await record();
  const context = { getRemainingTimeInMillis: () => 34_000 } as Context;
  const check = () => handler({ source: "deployment-hook" }, context);
  expect(await check()).toEqual({ checked: true });
  expect(receiver.received).toEqual([]);
  const { EVENTS_TABLE = "" } = process.env;
  process.env.EVENTS_TABLE = "no-such-table";
  await expect(check()).rejects.toThrow();
  process.env.EVENTS_TABLE = EVENTS_TABLE;
});

describe("an event", () => {
  test("is tried ten times over three days, and then given up", async () => {
    stopClockAt("2030-01-01T00:00:00.000Z");
    receiver.answer = answerWith(500);
    await subscribe();
    const first = [await record()];
    const pauses = [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
    for (const [index, pause] of pauses.entries()) {
      jest.setSystemTime(Date.now() + pause - 1);
      if (index > 0) {
        expect(await run()).toMatchObject({ failed: 0, "given-up": 0 }); // not before its time
        expect(await expired()).toEqual([]);
      }
      jest.setSystemTime(Date.now() + 1 + 0.1 * pause); // the pause is up to a tenth longer
      const isLast = index === pauses.length - 1;
      expect(await run(index === 0 ? first : undefined)).toMatchObject(isLast ? { "given-up": 1 } : { failed: 1 });
    }
    expect(receiver.received).toHaveLength(10);
    expect(await run()).toEqual(NOTHING);
  });

  test("is read once to be sent, and again if an erasure may have changed it since", async () => {
    await subscribe();
    const reads =
      (sk: string) =>
      ({ operation, body }: Call) =>
        operation === "GetItem" && body.Key.sk?.S === sk;
    const first = await record();
    await run([first]);
    expect(storage.faults.calls(reads(first.sk))).toBe(1);
    const second = await record();
    storage.faults.fail(
      "TransactWriteItems",
      after(() => stopClockAt(Date.now() + SECOND)),
    );
    await run([second]);
    expect(storage.faults.calls(reads(second.sk))).toBe(2);
    expect(receiver.received).toHaveLength(2);
  });

  test("is sent once by runs that overlap", async () => {
    await subscribe();
    const key = await record();
    const results = await Promise.all([run(), run([key]), run(), run([key])]);
    expect(results.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(1);
    expect(receiver.received).toHaveLength(1);
  });

  test("is sent again when the run that has claimed it dies, but only after its lease", async () => {
    stopClockAt("2030-01-02T00:00:00.000Z");
    const { webhook } = await subscribe();
    const { sk } = await record();
    const { claim } = await import("../../shared/events/delivery-repository.ts");
    receiver.answer = answerWith(500);
    await run();
    jest.setSystemTime(Date.now() + 10 * SECOND);
    expect(await claim({ tenant: TENANT, webhookId: webhook.id, eventId: sk })).toMatchObject({ attempts: 2 });
    receiver.answer = answerWith(200);
    jest.setSystemTime(Date.now() + 30 * SECOND - 1);
    expect(await run()).toMatchObject({ delivered: 0 });
    jest.setSystemTime(Date.now() + 1);
    expect(await run()).toMatchObject({ delivered: 1 });
  });

  test("that nobody wants, or only a disabled webhook, is done with at once", async () => {
    await record();
    expect(await run()).toEqual(NOTHING);
    receiver.answer = answerWith(410);
    await subscribe();
    await record();
    expect(await run()).toEqual({ ...NOTHING, "given-up": 1 });
    await record();
    expect(await run()).toEqual(NOTHING);
    expect((await storage.eventItems()).filter(({ dueAt }) => dueAt)).toEqual([]);
  });

  test("that was delivered is not turned into deliveries again", async () => {
    const { webhook } = await subscribe();
    const key = await record();
    expect(await run([key])).toMatchObject({ delivered: 1 });
    const { fanOut } = await import("../../shared/events/delivery-repository.ts");
    const { readWebhooks } = await import("../../shared/events/webhook-repository.ts");
    await fanOut(ofDueKey(key) as DueEvent, await readWebhooks(TENANT));
    const { pk } = deliveryKey(TENANT, webhook.id, key.sk);
    expect((await storage.eventItems()).filter((item) => item.pk === pk)).toEqual([]);
  });

  test("is not postponed by a run whose lease has ended, and that another one has tried since", async () => {
    stopClockAt("2030-01-03T00:00:00.000Z");
    const { webhook } = await subscribe();
    const { sk: eventId } = await record();
    const { claim, postpone } = await import("../../shared/events/delivery-repository.ts");
    const delivery = { tenant: TENANT, webhookId: webhook.id, eventId };
    storage.faults.fail("UpdateItem", requestLost, Number.POSITIVE_INFINITY);
    await expect(run()).rejects.toThrow(); // it has created the delivery, and died
    storage.faults.reset();
    const first = await claim(delivery);
    jest.setSystemTime(Date.now() + 31 * SECOND);
    expect(await claim(delivery)).toMatchObject({ attempts: 2 });
    await postpone(delivery, first as Claimed, Date.now() - SECOND);
    expect(await claim(delivery)).toBeUndefined();
  });
});

describe("a run", () => {
  test("that has no time for a receiver left sends nothing, and leaves it to the next one", async () => {
    await subscribe();
    await record();
    const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
    expect(await deliverEvents(() => 30_000, "schedule")).toEqual(NOTHING);
    expect(receiver.received).toEqual([]);
    expect(await deliverEvents(() => 30_001, "schedule")).toEqual({ ...NOTHING, delivered: 1 });
  });

  test("of the schedule sends everything that is due, from as many pages of the index as it takes", async () => {
    await subscribe();
    for (let count = 0; count < 30; count++) {
      await record();
    }
    const lists = ({ body }: Call) => body.IndexName;
    storage.faults.fail(lists, ({ body, forward }) => forward({ ...body, Limit: 1 }), Number.POSITIVE_INFINITY);
    const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
    expect(await deliverEvents(() => 0, "schedule")).toEqual(NOTHING);
    expect(storage.faults.calls(lists)).toBeGreaterThanOrEqual(30); // as many pages
    expect(await run()).toEqual({ ...NOTHING, delivered: 30 });
  });

  test("does not wait for a retry that it has no time for", async () => {
    await subscribe();
    await record();
    receiver.answer = answerWith(500);
    expect(await run()).toEqual({ ...NOTHING, failed: 1 });
  });

  test("waits for all its retries that are due soon", async () => {
    await subscribe();
    const keys = [await record(), await record()];
    let number = 0;
    jest.spyOn(Math, "random").mockImplementation(() => number++ % 2); // the shortest pause, and the longest
    receiver.answer = (...message) => answerWith(receiver.received.length > 2 ? 200 : 500)(...message);
    const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
    expect(await deliverEvents(() => 40_000, keys)).toEqual({ ...NOTHING, failed: 2, delivered: 2 });
  });

  test("does not wait for retries of a webhook that was failing before", async () => {
    await subscribe();
    receiver.answer = answerWith(500);
    const [first, second] = [await record(), await record()];
    await run([first]);
    const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
    expect(await deliverEvents(() => 40_000, [second])).toEqual({ ...NOTHING, failed: 1 });
  });

  test("counts its deliveries by their outcome, and nothing that did not happen", async () => {
    await subscribe();
    const created = await record();
    const written = captureMetrics();
    await run([created]);
    await run();
    expect(written().map(({ name, dimensions, value }) => [name, dimensions, value])).toEqual([
      ["EventDeliveries", { outcome: "delivered" }, 1],
    ]);
  });

  test("that cannot turn an event into deliveries sends all others", async () => {
    await subscribe();
    const keys = [await record(), await record(), await record()];
    const ofFirst = ({ operation, body }: Call) => operation === "GetItem" && body.Key.sk?.S === keys[0]?.sk;
    storage.faults.fail(ofFirst, rejected("ValidationException"));
    await expect(run(keys)).rejects.toThrow("ValidationException");
    expect(receiver.received.map(({ headers }) => headers["webhook-id"]).sort()).toEqual(
      keys
        .slice(1)
        .map(({ sk }) => sk)
        .sort(),
    );
  });

  test("that fails because of the database tries all other deliveries first", async () => {
    const { webhook } = await subscribe();
    const keys = [];
    for (let count = 0; count < 9; count++) {
      keys.push(await record());
    }
    const { pk, sk } = deliveryKey(TENANT, webhook.id, String(keys[0]?.sk));
    const ofFirst = ({ operation, body }: Call) =>
      operation === "UpdateItem" && body.Key.pk.S === pk && body.Key.sk.S === sk;
    storage.faults.fail(ofFirst, rejected("ValidationException"));
    await expect(run(keys)).rejects.toThrow("ValidationException");
    expect(receiver.received).toHaveLength(8);
  });
});

describe("a webhook whose receiver takes its time", () => {
  test("holds up no run but one, which also sends what other runs have left to it", async () => {
    await subscribe();
    const answers: (() => void)[] = [];
    receiver.answer = (...message) => answers.push(() => answerWith(204)(...message));
    const holding = run([await record()]);
    await eventually(() => answers.length, Boolean);
    expect(await run([await record()])).toEqual(NOTHING);
    expect(await run()).toEqual(NOTHING);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = answerWith(204);
    answers[0]?.();
    expect(await holding).toEqual({ ...NOTHING, delivered: 2 });
  });

  test("belongs to no run any more when its run has died and its time is over", async () => {
    stopClockAt("2030-06-01T00:00:00.000Z");
    const { webhook } = await subscribe();
    const { take } = await import("../../shared/events/webhook-repository.ts");
    expect(await take(TENANT, webhook.id, new Date(Date.now() + 29 * SECOND).toISOString())).toBe(true);
    await record();
    expect(await run()).toEqual(NOTHING);
    jest.setSystemTime(Date.now() + 29 * SECOND);
    expect(await run()).toEqual({ ...NOTHING, delivered: 1 });
  });

  test("is left to the runs of the schedule after it did not answer in time", async () => {
    const { webhook } = await subscribe();
    const { noteFailure } = await import("../../shared/events/webhook-repository.ts");
    await noteFailure(TENANT, webhook.id, "timeout", new Date().toISOString());
    expect(await run([await record()])).toEqual(NOTHING);
    await record();
    expect(await run("new-events")).toEqual(NOTHING);
    expect(await run()).toEqual({ ...NOTHING, delivered: 2 });
    expect(await run([await record()])).toEqual({ ...NOTHING, delivered: 1 });
  });
});

describe("a webhook that accepts a message after failures", () => {
  /** Two events, of which the first waits for its third attempt. */
  async function afterFailing(milliseconds: number) {
    receiver.answer = answerWith(500);
    const { webhook } = await subscribe();
    await record();
    await run();
    jest.setSystemTime(Date.now() + 6 * SECOND);
    expect(await run()).toEqual({ ...NOTHING, failed: 1 });
    jest.setSystemTime(Date.now() + milliseconds - 6 * SECOND);
    receiver.answer = answerWith(204);
    return webhook.id;
  }

  test("gets all others at once, in the same run", async () => {
    stopClockAt("2030-07-01T00:00:00.000Z");
    await afterFailing(MINUTE);
    expect(await run([await record()])).toEqual({ ...NOTHING, delivered: 2 });
  });

  test("gets no message a second time that a run has claimed meanwhile", async () => {
    stopClockAt("2030-07-04T00:00:00.000Z");
    const id = await afterFailing(MINUTE);
    const { claim, hasten, oldestUndelivered } = await import("../../shared/events/delivery-repository.ts");
    jest.setSystemTime(Date.now() + HOUR);
    const eventId = String(await oldestUndelivered(TENANT, id));
    expect(await claim({ tenant: TENANT, webhookId: id, eventId })).toMatchObject({ attempts: 3 });
    await hasten(TENANT, id);
    expect(await run()).toEqual(NOTHING);
  });

  test("keeps their pauses if it has failed for less than a minute", async () => {
    stopClockAt("2030-07-02T00:00:00.000Z");
    await afterFailing(MINUTE - 1);
    expect(await run([await record()])).toEqual({ ...NOTHING, delivered: 1 });
  });

  test("gets all others in the next run if it was a test message", async () => {
    stopClockAt("2030-07-03T00:00:00.000Z");
    const id = await afterFailing(MINUTE);
    await (await manage()).testWebhook(newContext(), id);
    expect(await run()).toEqual({ ...NOTHING, delivered: 1 });
  });
});

describe("the oldest event that was not accepted", () => {
  const undelivered = async () =>
    (await (await manage()).listWebhooks(newContext())).webhooks.map(({ undeliveredSince }) => undeliveredSince);

  /** What the runs of the schedule have measured, in seconds. */
  const measuring = () => {
    const written = captureMetrics();
    return () => written().flatMap(({ name, value }) => (name === "UndeliveredAge" ? [value] : []));
  };

  test("is shown with its webhook, and its age is measured every minute", async () => {
    stopClockAt("2030-08-01T00:00:00.000Z");
    receiver.answer = answerWith(500);
    await subscribe();
    const ages = measuring();
    expect(await undelivered()).toEqual([undefined]);
    await run();
    expect(ages()).toEqual([]);
    await run([await record()]);
    jest.setSystemTime(Date.now() + 10 * MINUTE);
    await run([await record()]);
    jest.setSystemTime(Date.now() + 5 * MINUTE);
    expect(await undelivered()).toEqual(["2030-08-01T00:00:00.000Z"]);
    await run();
    expect(ages()).toEqual([900]); // although it waits for its next attempt
    receiver.answer = answerWith(204);
    jest.setSystemTime(Date.now() + HOUR);
    await run();
    expect(await undelivered()).toEqual([undefined]);
    await run();
    expect(ages()).toEqual([900, 4_500]);
  });

  test("is not measured for a webhook that is disabled or deleted, which nobody waits for", async () => {
    stopClockAt("2030-08-02T00:00:00.000Z");
    receiver.answer = answerWith(500);
    const { webhook } = await subscribe();
    await run([await record()]);
    receiver.answer = answerWith(410);
    await run([await record()]);
    jest.setSystemTime(Date.now() + SECOND);
    const ages = measuring();
    await run();
    expect(await undelivered()).toEqual(["2030-08-02T00:00:00.000Z"]);
    await (await manage()).deleteWebhook(newContext(), webhook.id);
    await run();
    expect(ages()).toEqual([]);
  });
});

describe("a webhook", () => {
  test("that accepts nothing for more than five days is disabled", async () => {
    stopClockAt("2030-02-01T00:00:00.000Z");
    receiver.answer = answerWith(500);
    await subscribe();
    await record();
    await run();
    jest.setSystemTime(Date.parse("2030-02-05T23:59:00.000Z"));
    await record();
    await run();
    const { listWebhooks } = await manage();
    expect((await listWebhooks(newContext())).webhooks).toMatchObject([{ state: "failing" }]);
    jest.setSystemTime(Date.parse("2030-02-06T00:00:01.000Z"));
    await record();
    await run();
    expect((await listWebhooks(newContext())).webhooks).toMatchObject([
      { state: "disabled", disabledBecause: "failing", failingSince: "2030-02-01T00:00:00.000Z" },
    ]);
    const sent = receiver.received.length;
    await record();
    jest.setSystemTime(Date.parse("2030-02-07T00:00:00.000Z"));
    await run();
    expect(receiver.received).toHaveLength(sent);
  });

  test("that is deleted between the claim and the sending gets nothing, and leaves nothing behind", async () => {
    const { webhook } = await subscribe();
    const { sk } = await record();
    const { deleteWebhook } = await manage();
    storage.faults.fail("UpdateItem", async ({ forward }) => {
      const answer = await forward();
      await deleteWebhook(newContext(), webhook.id);
      return answer;
    });
    expect(await run()).toMatchObject({ delivered: 0, dropped: 1 });
    expect(receiver.received).toEqual([]);
    const { pk } = deliveryKey(TENANT, webhook.id, sk);
    expect((await storage.eventItems()).filter((item) => item.pk === pk)).toEqual([]);
  });

  test("signs with its previous secret for a day after it was replaced", async () => {
    stopClockAt("2030-05-01T00:00:00.000Z");
    const { webhook } = await subscribe();
    await (await manage()).rotateWebhook(newContext(), webhook.id);
    for (const [time, signatures] of [
      ["2030-05-01T23:59:59.999Z", 2],
      ["2030-05-02T00:00:00.000Z", 1],
    ] as const) {
      jest.setSystemTime(Date.parse(time));
      await record();
      await run();
      expect(String(receiver.received.at(-1)?.headers["webhook-signature"]).split(" ")).toHaveLength(signatures);
    }
  });

  test("that refuses a test stays disabled", async () => {
    const { testWebhook, listWebhooks } = await manage();
    receiver.answer = answerWith(410);
    const { webhook } = await subscribe();
    await record();
    await run();
    receiver.answer = answerWith(500);
    expect(await testWebhook(newContext(), webhook.id)).toMatchObject({ accepted: false, status: 500 });
    expect((await listWebhooks(newContext())).webhooks).toMatchObject([{ state: "disabled" }]);
  });

  test("fails since the first of several failures of messages that were sent at once", async () => {
    const { webhook } = await subscribe();
    const { noteFailure } = await import("../../shared/events/webhook-repository.ts");
    for (const now of ["2030-05-01T00:00:00.000Z", "2030-05-01T00:00:15.000Z"]) {
      await noteFailure(TENANT, webhook.id, "timeout", now);
    }
    expect((await (await manage()).listWebhooks(newContext())).webhooks).toMatchObject([
      { failingSince: "2030-05-01T00:00:00.000Z" },
    ]);
  });

  test("that does not answer gets a few messages in a run, and holds up no other webhook", async () => {
    const other = await startReceiver();
    const { createWebhook } = await manage();
    await createWebhook(newContext(), { url: other.url, events: ["thread.expired"] });
    const { webhook } = await subscribe();
    receiver.answer = () => {};
    for (let count = 0; count < 12; count++) {
      await record();
    }
    const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
    expect(await deliverEvents(() => 40_000, "schedule")).toMatchObject({ delivered: 12, failed: 4 });
    expect(other.received).toHaveLength(12);
    expect(receiver.received).toHaveLength(4);
    const { listWebhooks } = await manage();
    const { webhooks } = await listWebhooks(newContext());
    expect(webhooks.find(({ id }) => id === webhook.id)).toMatchObject({ state: "failing", lastFailure: "timeout" });
    other.stop();
  });
});

describe("GET /events", () => {
  const list = async (page: { limit?: number; after?: string | undefined } = {}) => {
    const { listEvents } = await import("../../shared/events/list-events.ts");
    return listEvents(newContext(), { limit: 100, after: undefined, ...page });
  };

  test("lists events of seven days in order, page by page, once they have settled", async () => {
    stopClockAt("2030-03-01T00:00:00.000Z");
    const ids: string[] = [];
    for (let count = 0; count < 25; count++) {
      jest.setSystemTime(Date.now() + 10);
      ids.push((await record()).sk);
    }
    expect((await list()).events).toEqual([]);
    jest.setSystemTime(Date.now() + 16 * SECOND);
    const seen: string[] = [];
    let after: string | undefined;
    for (let hasMore = true; hasMore; ) {
      const page = await list({ limit: 10, after });
      seen.push(...page.events.map(({ id }) => id));
      ({ hasMore, next: after } = page);
    }
    expect(seen).toEqual(ids);
    expect((await list({ limit: 25 })).hasMore).toBe(false);
    expect(await list({ after })).toEqual({ success: true, events: [], hasMore: false, next: after });
    jest.setSystemTime(Date.parse("2030-03-08T00:00:00.130Z"));
    for (const older of [undefined, ids[0]]) {
      expect((await list({ after: older })).events.map(({ id }) => id)).toEqual(ids.slice(12));
    }
    expect(await expired()).toEqual([]);
  });

  test("lists nothing after an event that has just been sent and has not settled yet", async () => {
    const { sk: after } = await record();
    expect(await list({ after })).toEqual({ success: true, events: [], hasMore: false, next: after });
  });

  test("never inserts an event before a cursor, even if its transaction took as long as it can", async () => {
    stopClockAt("2030-04-01T00:00:00.000Z");
    const { recordEvent } = await import("../../shared/events/outbox.ts");
    const { transact } = await import("../../shared/dynamo/transact.ts");
    const slow = recordEvent(TENANT, { type: "thread.expired" }, Date.now());
    jest.setSystemTime(Date.now() + 1);
    const fast = await record();
    jest.setSystemTime(Date.now() + 12 * SECOND); // three attempts of 3 s, and what is between them
    expect((await list()).events).toEqual([]);
    await transact(
      () => ({ slow }),
      async (error) => Promise.reject(error),
    );
    jest.setSystemTime(Date.now() + 4 * SECOND);
    expect((await list()).events.map(({ id }) => id)).toEqual([slow.Put?.Item?.sk, fast.sk]);
  });

  test.each(["x", "evt_", `evt_${"0".repeat(33)}`, "wh_000000000000000000000000"])(
    "rejects the cursor %s",
    async (after) => {
      await expect(list({ after })).rejects.toMatchObject({ kind: "invalid" });
    },
  );
});
