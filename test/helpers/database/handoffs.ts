import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { stoppedText } from "../../../packages/safety/fixed-texts.ts";
import type { ChatResponse } from "../../../shared/chat/chat-response.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { addMessage } from "../../../shared/handoff/add-message.ts";
import { giveBack, hold } from "../../../shared/handoff/hold.ts";
import { type Stopping, stop } from "../../../shared/threads/idempotency-record-repository.ts";
import type { Thread } from "../../../shared/threads/thread.ts";
import { newContext, TENANT } from "../caller.ts";
import { echo } from "../model/scripted-model.ts";
import { setUpChats } from "./chats.ts";
import { newThread } from "./database.ts";
import { seededRandom } from "./random-faults.ts";
import { refillRetryQuota, setUpStorage } from "./storage.ts";

const CLIENTS = 8;
const THREADS = 5;

/** From before the call until after its response. */
interface Interval {
  start: number;
  end: number;
}

/** A message that was acknowledged, with the count in the response. */
interface Said {
  text: string;
  count: number;
  by: "model" | "service" | "person";
  /** Whether its user has stopped it. */
  stopped: boolean;
  /** When the model was asked. */
  askedAt: number;
}

interface Place {
  thread: Thread;
  holds: Interval[];
  returns: Interval[];
  said: Said[];
  /** The calls in progress. */
  running: Set<Promise<unknown>>;
  /** Whether a deletion or an expiry has begun. */
  ends: boolean;
}

/**
 * Declares a test in which clients chat, stop answers, take threads over, write as a person, give back, delete and let threads expire
 * at random, and which compares what was stored with what was acknowledged.
 *
 * @param steps the number of calls
 * @param seed decides which they are
 */
export function testHandoffs(steps: number, seed: number): void {
  const storage = setUpStorage();
  const chats = setUpChats();

  const random = seededRandom(seed);
  const askedAt = new Map<string, number>();
  const done: Record<string, number> = {};
  const wrong: string[] = [];

  async function open(): Promise<Place> {
    const thread = newThread();
    await storage.threads.insertThread(TENANT, thread);
    return { thread, holds: [], returns: [], said: [], running: new Set(), ends: false };
  }

  /** Makes a call; one on a thread that is gone fails as documented. */
  async function attempt<Result>(place: Place, name: string, call: () => Promise<Result>): Promise<Result | undefined> {
    const ended = place.ends;
    try {
      const running = call();
      place.running.add(running);
      const result = await running.finally(() => place.running.delete(running));
      done[name] = (done[name] ?? 0) + 1;
      return result;
    } catch (error) {
      const kind = error instanceof ServiceError ? error.kind : String(error);
      const refused = (kind === "not-found" && place.ends) || (kind === "conflict" && name === "write");
      if (!refused) {
        wrong.push(`${name} ended with ${kind}${ended ? " on a thread that had ended" : ""}`);
      }
      done[`${name}: ${kind}`] = (done[`${name}: ${kind}`] ?? 0) + 1;
      return undefined;
    }
  }

  async function step(places: Place[], number: number): Promise<void> {
    const slot = Math.floor(random() * places.length);
    const place = places[slot] as Place;
    const { threadId } = place.thread;
    const text = `message ${number}`;
    const dice = random();
    const start = performance.now();
    const timed = async (intervals: Interval[], call: () => Promise<unknown>) => {
      const interval = { start, end: Number.POSITIVE_INFINITY };
      intervals.push(interval);
      await call();
      interval.end = performance.now();
    };
    if (dice < 0.5) {
      const stopping = dice < 0.2 ? stopOnce(place, text) : undefined;
      const reply = await attempt(place, "chat", () => chats.chat({ message: text, threadId }, text));
      const stopped = (await stopping) === "stopping";
      if (reply) {
        const { response } = reply; // only the text for a stop, if it was stopped before the first words
        const isModels = response.startsWith(`answer to: ${text}`) || response === stoppedText("en");
        const by = isModels ? "model" : "service";
        place.said.push({ text, count: reply.messageCount ?? 0, by, askedAt: askedAt.get(text) ?? start, stopped });
        await again(text, threadId, reply);
      }
    } else if (dice < 0.65) {
      const body = { content: text, author: "Ana" };
      const reply = await attempt(place, "write", () => addMessage(newContext(), threadId, body));
      if (reply) {
        place.said.push({ text, count: reply.body.messageCount, by: "person", askedAt: start, stopped: false });
      }
    } else if (dice < 0.82) {
      await attempt(place, "hold", () => timed(place.holds, () => hold(newContext(), threadId, { by: "Ana" })));
    } else if (dice < 0.98) {
      await attempt(place, "return", () => timed(place.returns, () => giveBack(newContext(), threadId)));
    } else if (!place.ends) {
      place.ends = true;
      places[slot] = await open();
      if (dice < 0.99) {
        await storage.remove(place.thread);
      } else {
        await expire(place);
      }
      await check(place);
    }
  }

  /** Stops a chat at some time before, during or after it. */
  async function stopOnce(place: Place, key: string): Promise<Stopping | undefined> {
    await setTimeout(random() * 60);
    return attempt(place, "stop", () => stop(TENANT, place.thread, key));
  }

  /** A chat that is repeated gets the same answer, stopped or not, unless its thread has ended. */
  async function again(message: string, threadId: string, first: ChatResponse): Promise<void> {
    const second = await chats.chat({ message, threadId }, message).catch(() => first);
    if (second.response !== first.response || second.messageCount !== first.messageCount) {
      wrong.push(`${message} was answered twice`);
    }
  }

  /** Lets a thread's time end once nobody writes to it, and sweeps it. */
  async function expire(place: Place): Promise<void> {
    await Promise.allSettled(place.running);
    await setTimeout(1); // until what they returned is noted
    const items = await storage.threadItems(place.thread.threadId);
    await check(place, items);
    await storage.seed({ ...items.at(-1), expiresAt: new Date().toISOString() });
    await storage.sweepOne(place.thread);
  }

  async function check(place: Place, items?: Record<string, unknown>[]): Promise<void> {
    const found = items ?? (await storage.threadItems(place.thread.threadId));
    if (place.ends && !items) {
      if (found.length > 0) {
        wrong.push(`${found.length} items are left of a thread that has ended`);
      }
      return;
    }
    const turns = found.filter(({ sk }) => String(sk).startsWith("turn#"));
    let count = 0;
    for (const { author, messageCount } of turns) {
      count += author === undefined ? 2 : 1;
      if (messageCount !== count) {
        wrong.push(`a turn is counted as ${messageCount} instead of ${count}`);
      }
    }
    if (found.at(-1)?.messageCount !== count) {
      wrong.push(`a thread of ${count} messages counts ${found.at(-1)?.messageCount}`);
    }
    for (const said of place.said) {
      const stored = turns.filter(({ question, content }) => (question ?? content) === said.text);
      const [turn = {}] = stored;
      const by = turn.author !== undefined ? "person" : turn.held ? "service" : "model";
      if (stored.length !== 1 || turn.messageCount !== said.count || by !== said.by) {
        wrong.push(
          `${said.text} by the ${said.by}, counted ${said.count}, is stored ${stored.length} times, by the ${by}`,
        );
      }
      const isCut = JSON.stringify(turn).includes('"cut"');
      if (by === "model" && isCut !== said.stopped) {
        wrong.push(
          `${said.text} is stored ${isCut ? "as a cut answer" : "whole"}, although it was ${said.stopped ? "" : "not "}stopped`,
        );
      }
    }
    checkHolds(place, turns);
  }

  /** No answer of the model was stored while a person held the thread, or after one has since the model was asked. */
  function checkHolds({ holds, returns, said }: Place, turns: Record<string, unknown>[]): void {
    const toMonotonic = performance.now() - Date.now();
    for (const { text, askedAt: asked } of said.filter(({ by }) => by === "model")) {
      const turn = turns.find(({ question }) => question === text);
      const committed = Date.parse(String(turn?.at)) + toMonotonic - 2; // no earlier than this; the clocks differ by a millisecond
      for (const { start, end } of holds.filter((one) => one.end < committed)) {
        const given = returns.some((one) => one.start < committed && one.end > start);
        if (start > asked || (!given && end < committed)) {
          wrong.push(`${text} was answered by the model although a person had taken over`);
        }
      }
    }
  }

  test(
    `${steps} steps of ${CLIENTS} clients: no answer of the model after a hold, none whole that was stopped, no lost message, right counts`,
    async () => {
      chats.model.script = async (request) => {
        askedAt.set(String(request.messages.at(-1)?.content), performance.now());
        await setTimeout(random() < 0.05 ? 1_500 : random() * 30); // some so long that a stop is noticed before the words
        return echo(request);
      };
      const places = await Promise.all(Array.from({ length: THREADS }, open));
      let next = 0;
      const client = async () => {
        for (let number = next++; number < steps; number = next++) {
          await refillRetryQuota();
          await step(places, number);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      for (const place of places) {
        await check(place);
      }
      const run = { seed, steps, ...done };
      expect({ ...run, wrong }).toEqual({ ...run, wrong: [] }); // a failure prints the whole run
      for (const name of ["chat", "write", "hold", "return", "stop"]) {
        expect(done[name]).toBeGreaterThan(steps / 40);
      }
    },
    steps * 200,
  );
}
