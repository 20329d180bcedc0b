import { setTimeout } from "node:timers/promises";
import { stoppedText } from "../../../packages/safety/fixed-texts.ts";
import type { ChatResponse } from "../../../shared/chat/chat-response.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { addMessage } from "../../../shared/handoff/add-message.ts";
import { giveBack, hold } from "../../../shared/handoff/hold.ts";
import { stop } from "../../../shared/threads/idempotency-record-repository.ts";
import { CALLER, newContext, TENANT } from "../caller.ts";
import { echo } from "../model/scripted-model.ts";
import { type Interval, type Place, problemsOf, type Said } from "./acknowledged.ts";
import type { Chats } from "./chats.ts";
import { newThread } from "./database.ts";
import { refillRetryQuota, type Storage } from "./storage.ts";
import { newPatient } from "./write-paths.ts";

const CLIENTS = 8;
const THREADS = 8;
/** How often a client repeats a request with an idempotency key that gets no answer. */
const REPEATS = 8;

/**
 * Clients that chat, stop answers, take threads over, write as a person, give back, delete, create patients and threads,
 * and let threads expire, at random and at once.
 */
export class RandomClients {
  /** What was done, how often, with the errors. */
  readonly done: Record<string, number> = {};
  /** What cannot have happened, in sentences. */
  readonly wrong: string[] = [];
  private readonly storage: Storage;
  private readonly chats: Chats;
  private readonly random: () => number;
  private readonly milliseconds: number | undefined;
  private readonly askedAt = new Map<string, number>();
  private readonly patients = [newPatient(undefined), newPatient(undefined)];
  /** Threads whose deletion got no response. */
  private readonly unsure: Place[] = [];

  /**
   * @param random decides what they do; from 0 to below 1
   * @param milliseconds the time limit of a chat's invocation
   */
  constructor(storage: Storage, chats: Chats, random: () => number, milliseconds?: number) {
    this.storage = storage;
    this.chats = chats;
    this.random = random;
    this.milliseconds = milliseconds;
  }

  /**
   * Carries out a number of steps, and compares every thread with what its clients were told.
   *
   * @param endFaults called before the threads that are left are read
   */
  async run(steps: number, endFaults: () => void): Promise<void> {
    this.chats.model.script = async (request) => {
      this.askedAt.set(String(request.messages.at(-1)?.content), performance.now());
      await setTimeout(this.random() < 0.05 ? 1_500 : this.random() * 30); // some so long that a stop comes before the words
      return echo(request);
    };
    for (const patient of this.patients) {
      await untilDone(() => this.storage.patients.insertPatient(CALLER, patient));
    }
    const places = await Promise.all(Array.from({ length: THREADS }, () => this.open()));
    let next = 0;
    const client = async () => {
      for (let number = next++; number < steps; number = next++) {
        await refillRetryQuota();
        await this.step(places, number);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    endFaults();
    for (const place of places) {
      this.wrong.push(...problemsOf(place, await this.storage.threadItems(place.thread.threadId)));
    }
    for (const place of this.unsure) {
      const items = await this.storage.threadItems(place.thread.threadId);
      const isThere = items.length > 0 && !items.at(-1)?.deleting; // the sweep ends a deletion that has begun
      this.wrong.push(...(isThere ? problemsOf(place, items) : []));
    }
  }

  private async step(places: Place[], number: number): Promise<void> {
    const slot = Math.floor(this.random() * places.length);
    const place = places[slot] as Place;
    const text = `visit ${number}: when do you open?`; // calm, so that without an answer it fails
    const dice = this.random();
    if (dice < 0.5) {
      await this.say(place, text, dice < 0.4 ? text : undefined, dice < 0.15);
    } else if (dice < 0.62) {
      await this.write(place, text, dice < 0.56 ? text : undefined);
    } else if (dice < 0.77) {
      const by = { by: "Ana" };
      await this.timed(place, "hold", place.holds, () => hold(newContext(), place.thread.threadId, by));
    } else if (dice < 0.92) {
      await this.timed(place, "return", place.returns, () => giveBack(newContext(), place.thread.threadId));
    } else if (dice < 0.96) {
      const patient = newPatient(`1555${3_000_000 + number}`);
      await this.isInserted("patient", () => this.storage.patients.insertPatient(CALLER, patient));
    } else if (!place.ends) {
      place.ends = true;
      places[slot] = await this.open();
      await (dice < 0.98 ? this.remove(place) : this.expire(place));
    }
  }

  private async open(): Promise<Place> {
    for (;;) {
      const thread = newThread();
      if (await this.isInserted("thread", () => this.storage.threads.insertThread(TENANT, thread))) {
        return { thread, holds: [], returns: [], said: [], running: new Set(), ends: false };
      }
    }
  }

  /** Creates something. After a failure of the database, it may be there or not. */
  private async isInserted(name: string, insert: () => Promise<{ kind: string }>): Promise<boolean> {
    try {
      if ((await insert()).kind !== "inserted") {
        this.wrong.push(`a new ${name} was refused because of its own earlier attempt`);
      }
      this.count(name);
      return true;
    } catch {
      this.count(`${name}: failure`);
      return false;
    }
  }

  /** Chats; with a key, until there is an answer, and sometimes once more. */
  private async say(place: Place, text: string, key: string | undefined, isStopped: boolean): Promise<void> {
    const { threadId } = place.thread;
    const patient = this.random() < 0.2 ? this.patients[Math.floor(this.random() * this.patients.length)] : undefined;
    const said: Said = { text, patientId: patient?.id, stopped: false, askedAt: performance.now() };
    place.said.push(said);
    const request = { message: text, threadId, patientId: patient?.id };
    const send = () => this.chats.chat(request, key, this.milliseconds);
    const stopping = isStopped && key ? this.stopSoon(place, key) : false;
    const reply = await this.attempt(place, "chat", send, key ? REPEATS : 0, said);
    said.stopped = await stopping;
    if (reply) {
      const { response } = reply; // only the text for a stop, if it was stopped before the first words
      const isModels = response.startsWith(`answer to: ${text}`) || response === stoppedText("en");
      said.by = isModels ? "model" : "service";
      said.count = reply.messageCount ?? 0;
      said.askedAt = this.askedAt.get(text) ?? said.askedAt;
      if (key) {
        await this.again(send, text, reply);
      }
    }
  }

  /** Stops a chat at some time before, during or after it. */
  private async stopSoon(place: Place, key: string): Promise<boolean | undefined> {
    await setTimeout(this.random() * 60);
    const stopping = await this.attempt(place, "stop", () => stop(TENANT, place.thread, key));
    return stopping && (stopping === "stopping" || stopping === "stopped");
  }

  /** A chat that is repeated gets the same answer, stopped or not, unless its thread has ended. */
  private async again(send: () => Promise<ChatResponse>, text: string, first: ChatResponse): Promise<void> {
    const second = await send().catch(() => first);
    if (second.response !== first.response || second.messageCount !== first.messageCount) {
      this.wrong.push(`${text} was answered twice`);
    }
  }

  private async write(place: Place, text: string, key: string | undefined): Promise<void> {
    const said: Said = { text, stopped: false, askedAt: 0 };
    place.said.push(said);
    const send = () => addMessage(newContext(), place.thread.threadId, { content: text, author: "Ana" }, key);
    const reply = await this.attempt(place, "write", send, key ? REPEATS : 0);
    if (reply) {
      Object.assign(said, { by: "person", count: reply.body.messageCount });
    }
  }

  private async timed(place: Place, name: string, intervals: Interval[], call: () => Promise<unknown>): Promise<void> {
    const interval = { start: performance.now(), end: Number.POSITIVE_INFINITY };
    intervals.push(interval);
    if (await this.attempt(place, name, call)) {
      interval.end = performance.now();
    }
  }

  private async remove(place: Place): Promise<void> {
    const found = await this.attempt(place, "remove", () => this.storage.remove(place.thread));
    if (found === false) {
      this.wrong.push("a thread was not found because of its own earlier deletion");
    } else if (found) {
      await this.expectNothing(place);
    } else {
      this.unsure.push(place);
    }
  }

  /** Lets a thread's time end once nobody writes to it, and sweeps it. */
  private async expire(place: Place): Promise<void> {
    await Promise.allSettled(place.running);
    await setTimeout(1); // until what they returned is noted
    const items = await this.storage.threadItems(place.thread.threadId);
    this.wrong.push(...problemsOf(place, items));
    await this.storage.seed({ ...items.at(-1), expiresAt: new Date().toISOString() });
    await untilDone(() => this.storage.sweepOne(place.thread));
    await this.expectNothing(place);
  }

  private async expectNothing({ thread }: Place): Promise<void> {
    const left = await this.storage.threadItems(thread.threadId);
    if (left.length > 0) {
      this.wrong.push(`${left.length} items are left of a thread that has ended`);
    }
  }

  /**
   * Makes a call that may fail as documented, and repeats it after a failure of the database.
   *
   * @param said the chat, for its rejection on a thread that is about another patient
   */
  private async attempt<Result>(
    place: Place,
    name: string,
    call: () => Promise<Result>,
    repeats = 0,
    said?: Said,
  ): Promise<Result | undefined> {
    for (let repeat = 0; repeat <= repeats; repeat++) {
      try {
        const running = call();
        place.running.add(running);
        const result = await running.finally(() => place.running.delete(running));
        this.count(name);
        return result;
      } catch (error) {
        const kind = error instanceof ServiceError ? error.kind : "failure";
        this.count(`${name}: ${kind}`);
        if (kind === "failure" || (name === "chat" && kind === "conflict" && repeats > 0)) {
          continue; // a 500, or the key is in use by an attempt whose end could not be stored
        }
        if (kind === "invalid" && said?.patientId) {
          said.otherPatient = true;
        } else if (!(kind === "not-found" && place.ends) && !(kind === "conflict" && name === "write")) {
          this.wrong.push(`${name} ended with ${error}`);
        }
        return undefined;
      }
    }
    return undefined;
  }

  private count(name: string): void {
    this.done[name] = (this.done[name] ?? 0) + 1;
  }
}

/** Repeats a call until it does not throw. */
async function untilDone<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch {
      await refillRetryQuota();
    }
  }
}
