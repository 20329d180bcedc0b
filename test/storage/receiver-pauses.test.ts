import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { recordEvent } from "../../shared/events/outbox.ts";
import { newContext, TENANT } from "../helpers/caller.ts";
import { stopClockAt } from "../helpers/database/database.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
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
  stopClockAt("2030-01-01T00:00:00.000Z");
});
afterEach(() => receiver.stop());

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const manage = () => import("../../shared/events/manage-webhooks.ts");
const subscribe = async () =>
  (await manage()).createWebhook(newContext(), { url: receiver.url, events: ["thread.expired"] });
const shown = async () => (await (await manage()).listWebhooks(newContext())).webhooks[0];

async function record(): Promise<void> {
  const { transact } = await import("../../shared/dynamo/transact.ts");
  const event = recordEvent(TENANT, { type: "thread.expired", threadId: "48213" }, Date.now());
  await transact(() => ({ event }));
}

/** One run of the schedule, without the wait for retries that are due soon. @returns how many messages arrived */
async function run(): Promise<number> {
  const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
  const before = receiver.received.length;
  let checks = 0;
  await deliverEvents(() => (checks++ < 1_000 ? 34_000 : 0), "schedule");
  return receiver.received.length - before;
}

const wait = (milliseconds: number) => jest.setSystemTime(Date.now() + milliseconds);

describe("a receiver that asks for a pause", () => {
  test.each<[status: number, retryAfter: string, pause: number]>([
    [429, "60", MINUTE],
    [503, "60", MINUTE],
    [429, "Tue, 01 Jan 2030 02:00:00 GMT", 2 * HOUR],
    [503, "Tuesday, 01-Jan-30 02:00:00 GMT", 2 * HOUR],
    [503, "86400", 24 * HOUR],
    [429, "86401", 24 * HOUR],
    [503, "Fri, 31 Dec 9999 23:59:59 GMT", 24 * HOUR],
    [429, "9".repeat(400), 24 * HOUR],
  ])("with %i and %s gets nothing until it is over", async (status, retryAfter, pause) => {
    receiver.answer = answerWith(status, { "retry-after": retryAfter });
    await subscribe();
    await record();
    expect(await run()).toBe(1);
    const pausedUntil = new Date(Date.now() + pause).toISOString();
    expect(await shown()).toMatchObject({ state: "failing", lastFailure: "status", pausedUntil });
    wait(pause - 1);
    await record(); // what happens during the pause waits, too
    expect(await run()).toBe(0);
    receiver.answer = answerWith(204);
    wait(1);
    expect(await run()).toBe(2);
    expect(await shown()).toMatchObject({ state: "active" });
    expect(await shown()).not.toHaveProperty("pausedUntil");
  });

  test.each<[status: number, headers: Record<string, string>]>([
    [500, { "retry-after": "3600" }],
    [301, { "retry-after": "3600" }],
    [429, {}],
    [503, { "retry-after": "soon" }],
    [503, { "retry-after": "-60" }],
    [429, { "retry-after": "0" }],
    [429, { "retry-after": "Mon, 31 Dec 2029 00:00:00 GMT" }],
  ])("is asked again after 5 seconds if that is not what %i %j means", async (status, headers) => {
    receiver.answer = answerWith(status, headers);
    await subscribe();
    await record();
    expect(await run()).toBe(1);
    expect(await shown()).not.toHaveProperty("pausedUntil");
    wait(5 * SECOND * 1.1);
    expect(await run()).toBe(1);
  });

  test("is not asked earlier than without a pause, so that it does not use up its ten attempts", async () => {
    receiver.answer = answerWith(429, { "retry-after": "1" });
    await subscribe();
    await record();
    await run();
    wait(5 * SECOND * 1.1);
    expect(await run()).toBe(1);
    wait(5 * MINUTE - 1);
    expect(await run()).toBe(0);
    wait(0.1 * 5 * MINUTE + 1);
    expect(await run()).toBe(1);
  });

  test("does not use up the attempts of what waits for the end of its pauses", async () => {
    receiver.answer = answerWith(503, { "retry-after": "600" });
    await subscribe();
    await record();
    await run();
    wait(MINUTE);
    await record();
    expect(await run()).toBe(0);
    const attempts = (await storage.eventItems()).flatMap((item) => item.attempts ?? []);
    expect(attempts.sort()).toEqual([0, 1]);
  });

  test("keeps it although a message that was sent at the same time is accepted", async () => {
    receiver.answer = (response, message) =>
      receiver.received[0] === message
        ? response.writeHead(429, { "retry-after": "3600" }).end()
        : response.writeHead(204).end();
    await subscribe();
    await Promise.all([record(), record(), record()]);
    await run();
    const sent = receiver.received.length;
    wait(HOUR - 1);
    await record();
    expect(await run()).toBe(0);
    expect(await shown()).toMatchObject({ pausedUntil: "2030-01-01T01:00:00.000Z" });
    receiver.answer = answerWith(204);
    wait(1);
    expect(await run()).toBe(4 - (sent - 1));
  });

  test("ends it by accepting a test message", async () => {
    receiver.answer = answerWith(429, { "retry-after": "3600" });
    const { webhook } = await subscribe();
    await record();
    await run();
    receiver.answer = answerWith(204);
    await (await manage()).testWebhook(newContext(), webhook.id);
    expect(await shown()).not.toHaveProperty("pausedUntil");
    wait(1);
    expect(await run()).toBe(1);
  });
});
