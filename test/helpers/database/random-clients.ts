import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { stoppedText } from "../../../packages/safety/fixed-texts.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { echo, type ScriptedModel } from "../model/scripted-model.ts";
import { type Interval, type Place, problemsOf, type Said } from "./acknowledged.ts";
import type { ClientCalls } from "./client-calls.ts";
import { refillRetryQuota } from "./storage.ts";

const CLIENTS = 8;
const THREADS = 8;
const PATIENTS = 2;
/** How often a client repeats a request with an idempotency key that gets no answer. */
const REPEATS = 8;
/** How often a thread is asked at the end, when only a busy machine makes a chat fail: a stranded one never answers. */
const LAST_ATTEMPTS = 10;

type Reply = Awaited<ReturnType<ClientCalls["chat"]>>;

/**
 * Clients that chat, stop answers, take threads over, write as a person, give back, delete, create patients and threads,
 * and let threads expire, at random and at once.
 */
export class RandomClients {
  /** What was done, how often, with the errors. */
  readonly done: Record<string, number> = {};
  /** What cannot have happened, in sentences. */
  readonly wrong: string[] = [];
  private readonly calls: ClientCalls;
  private readonly model: ScriptedModel;
  private readonly random: () => number;
  private readonly askedAt = new Map<string, number>();
  private readonly patientIds: string[] = [];
  /** How many there have been, of which each has a message of its own. */
  private steps = 0;
  /** Threads whose deletion got no response. */
  private readonly unsure: Place[] = [];

  /** @param random decides what they do; from 0 to below 1 */
  constructor(calls: ClientCalls, model: ScriptedModel, random: () => number) {
    this.calls = calls;
    this.model = model;
    this.random = random;
  }

  /**
   * Carries out a number of steps, and compares every thread with what its clients were told.
   *
   * @param endFaults called before the threads that are left are read
   */
  async run(steps: number, endFaults: () => void): Promise<void> {
    this.model.script = async (request) => {
      this.askedAt.set(String(request.messages.at(-1)?.content), performance.now());
      await setTimeout(this.random() < 0.05 ? 1_500 : this.random() * 30); // some so long that a stop comes before the words
      return echo(request);
    };
    while (this.patientIds.length < PATIENTS) {
      this.patientIds.push(...(await this.created("patient", () => this.calls.createPatient())));
    }
    const places = await Promise.all(Array.from({ length: THREADS }, () => this.open()));
    const client = async () => {
      while (this.steps < steps) {
        await refillRetryQuota();
        await this.step(places, this.steps++);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    endFaults();
    for (const place of places) {
      await this.expectAnswer(place);
      this.wrong.push(...problemsOf(place, await this.calls.items(place.threadId)));
    }
    for (const place of this.unsure) {
      const items = await this.calls.items(place.threadId);
      if (items.at(-1)?.deleting) {
        await this.calls.swept(place.threadId);
        await this.expectNothing(place);
      } else if (items.length > 0) {
        this.wrong.push(...problemsOf(place, items));
      }
    }
  }

  private async step(places: Place[], number: number): Promise<void> {
    const slot = Math.floor(this.random() * places.length);
    const place = places[slot] as Place;
    const text = calm(`visit ${number}`);
    const dice = this.random();
    if (dice < 0.5) {
      await this.say(place, text, dice < 0.4 ? `key-${number}` : undefined, dice < 0.15);
    } else if (dice < 0.62) {
      await this.write(place, text, dice < 0.56 ? `key-${number}` : undefined);
    } else if (dice < 0.77) {
      await this.timed(place, "hold", place.holds, () => this.calls.hold(place.threadId));
    } else if (dice < 0.92) {
      await this.timed(place, "return", place.returns, () => this.calls.giveBack(place.threadId));
    } else if (dice < 0.96) {
      await this.created("patient", () => this.calls.createPatient(`1555${3_000_000 + number}`));
    } else if (!place.ends) {
      place.ends = true;
      places[slot] = await this.open();
      await (dice < 0.98 ? this.remove(place) : this.expire(place));
    }
  }

  private async open(): Promise<Place> {
    for (;;) {
      const [threadId] = await this.created("thread", () => this.calls.createThread());
      if (threadId !== undefined) {
        return { threadId, holds: [], returns: [], said: [], running: new Set(), ends: false };
      }
    }
  }

  /** Creates something. After a failure, nobody knows whether it is there. */
  private async created(name: string, create: () => Promise<string>): Promise<string[]> {
    try {
      const id = await create();
      this.count(name);
      return [id];
    } catch (error) {
      if (error instanceof ServiceError) {
        this.wrong.push(`creating a ${name} ended with ${error}`);
      }
      this.count(`${name}: failure`);
      return [];
    }
  }

  /** Chats; with a key, until there is an answer, and sometimes once more. */
  private async say(place: Place, text: string, key: string | undefined, isStopped: boolean): Promise<void> {
    const { threadId } = place;
    const patientId = this.random() < 0.2 ? this.patientIds[Math.floor(this.random() * PATIENTS)] : undefined;
    const said: Said = { text, patientId, stopped: false, askedAt: performance.now() };
    place.said.push(said);
    const send = () => this.calls.chat({ message: text, threadId, patientId }, key);
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

  /** No thread is stranded: whatever happened on it, it still answers. */
  private async expectAnswer(place: Place): Promise<void> {
    for (let attempt = 1; attempt <= LAST_ATTEMPTS; attempt++) {
      await this.timed(place, "return", place.returns, () => this.calls.giveBack(place.threadId));
      const key = randomUUID();
      await this.say(place, calm(`visit ${this.steps++}`), key, false);
      if (place.said.at(-1)?.by === "model") {
        return;
      }
    }
    this.wrong.push("a thread does not answer any more");
  }

  /** Stops a chat at some time before, during or after it. */
  private async stopSoon(place: Place, key: string): Promise<boolean | undefined> {
    await setTimeout(this.random() * 60);
    return this.attempt(place, "stop", () => this.calls.stop(place.threadId, key));
  }

  /** A chat that is repeated gets the same answer, stopped or not, unless its thread has ended. */
  private async again(send: () => Promise<Reply>, text: string, first: Reply): Promise<void> {
    const second = await send().catch(() => first);
    if (second.response !== first.response || second.messageCount !== first.messageCount) {
      this.wrong.push(`${text} was answered twice`);
    }
  }

  private async write(place: Place, text: string, key: string | undefined): Promise<void> {
    const said: Said = { text, stopped: false, askedAt: 0 };
    place.said.push(said);
    const send = () => this.calls.write(place.threadId, text, key);
    const count = await this.attempt(place, "write", send, key ? REPEATS : 0);
    if (count !== undefined) {
      Object.assign(said, { by: "person", count });
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
    const call = () => this.calls.remove(place.threadId).then(() => true);
    if (await this.attempt(place, "remove", call)) {
      await this.expectNothing(place);
    } else {
      this.unsure.push(place);
    }
  }

  /** Lets a thread's time end once nobody writes to it, and sweeps it. */
  private async expire(place: Place): Promise<void> {
    await Promise.allSettled(place.running);
    await setTimeout(1); // until what they returned is noted
    this.wrong.push(...problemsOf(place, await this.calls.items(place.threadId)));
    await this.calls.expire(place.threadId);
    await this.calls.swept(place.threadId);
    await this.expectNothing(place);
  }

  private async expectNothing({ threadId }: Place): Promise<void> {
    const left = await this.calls.items(threadId);
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

/** A message that is calm, so that without an answer it fails. */
const calm = (about: string) => `${about}: when do you open?`;
