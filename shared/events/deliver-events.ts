import { setTimeout } from "node:timers/promises";
import { type DueDelivery, type DueEvent, ofDueKey } from "../dynamo/keys.ts";
import { logInfo } from "../observability/logger.ts";
import { count, seconds } from "../observability/metrics.ts";
import { attempt, type Outcome } from "./attempt.ts";
import { type Delivery, dueDeliveries, fanOut, readUndelivered, type Undelivered } from "./delivery-repository.ts";
import { eventTimeOf } from "./event.ts";
import { RECEIVER_MILLISECONDS, type Webhook } from "./webhook.ts";
import { leave, readWebhook, readWebhooks, take } from "./webhook-repository.ts";

/** The number of events that are turned into deliveries at the same time: a sweep may have thousands at once. */
const PARALLEL_EVENTS = 20;

/** The number of messages that a webhook gets at the same time. */
const PARALLEL_MESSAGES = 4;

/** The time reserved for a delivery: the receiver's, and as much for the database. */
const RESERVE_MILLISECONDS = 2 * RECEIVER_MILLISECONDS;

/**
 * A run waits for its own retries that are due within this time, unless the webhook was failing before: the schedule
 * would be too late for the first one, and a receiver that is down would hold up a run with every event.
 */
const WAIT_MILLISECONDS = 10_000;

/** The number of deliveries by their outcome. */
export type DeliveryResult = Record<Outcome["kind"], number>;

/**
 * What starts a run: the table's stream, with the keys of new events; the schedule, which makes up for runs that failed
 * and for receivers that do; or that there may be new events.
 */
export type Start = { pk: string; sk: string }[] | "schedule" | "new-events";

/**
 * Sends events to webhooks. Several runs may overlap: each webhook belongs to one of them at a time, so that a receiver
 * that hangs holds up one run and no other webhook. Each event is sent at least once: a run that dies after the
 * receiver has got the message leaves the delivery to a later run.
 *
 * @param remainingMilliseconds the remaining time of the invocation
 * @throws the database's error, after everything else has been tried
 */
export async function deliverEvents(remainingMilliseconds: () => number, start: Start): Promise<DeliveryResult> {
  const run = new Run(remainingMilliseconds, start === "schedule");
  try {
    await run.process(Array.isArray(start) ? start.map(ofDueKey) : await dueItems(start === "schedule"));
    await run.repeat();
  } finally {
    run.record();
  }
  return run.result;
}

/** Lists what is due, of which only a run of the schedule retries what was sent before, and measures how late it is. */
async function dueItems(scheduled: boolean): Promise<(DueEvent | DueDelivery)[]> {
  const now = new Date().toISOString();
  const undelivered = await readUndelivered(now);
  if (scheduled) {
    await recordAge(undelivered);
  }
  return undelivered.filter((item) => item.dueAt <= now && (scheduled || "shard" in item));
}

/** Records the age of the oldest event; nobody waits for those of webhooks that are gone or disabled. */
async function recordAge(undelivered: Undelivered[]): Promise<void> {
  const byWebhook = Map.groupBy(undelivered, (item) => ("webhookId" in item ? nameOf(item) : undefined));
  const ages = await Promise.all(
    [...byWebhook.values()].map(async (items) => {
      const [first] = items;
      const webhook = first && "webhookId" in first ? await readWebhook(first.tenant, first.webhookId) : undefined;
      const isAwaited = first && ("shard" in first || (webhook && !webhook.disabled));
      return isAwaited ? Math.max(...items.map(({ eventId }) => Date.now() - eventTimeOf(eventId))) : 0;
    }),
  );
  const oldest = Math.max(0, ...ages);
  if (oldest > 0) {
    seconds("UndeliveredAge", oldest / 1_000);
  }
}

const nameOf = ({ tenant, webhookId }: DueDelivery) => `${tenant} ${webhookId}`;

/** One run, with what it has learned about receivers. */
class Run {
  readonly result: DeliveryResult = { delivered: 0, failed: 0, "given-up": 0, dropped: 0 };
  private readonly remainingMilliseconds: () => number;
  private readonly scheduled: boolean;
  private readonly startedAt = new Date().toISOString();
  /** Webhooks that did not answer in time: their other deliveries wait for the next run. */
  private readonly silent = new Set<string>();
  private readonly soon: { delivery: Delivery; time: number }[] = [];

  constructor(remainingMilliseconds: () => number, scheduled: boolean) {
    this.remainingMilliseconds = remainingMilliseconds;
    this.scheduled = scheduled;
  }

  private hasTime(): boolean {
    return this.remainingMilliseconds() > RESERVE_MILLISECONDS;
  }

  async process(items: (DueEvent | DueDelivery)[]): Promise<void> {
    const events = items.filter((item) => "shard" in item);
    const waiting = items.filter((item) => "webhookId" in item);
    // Read after the events, so that it includes every webhook that was created before them.
    const webhooks = new Map<string, Promise<Webhook[]>>();
    const created: Delivery[] = [];
    try {
      await inParallel(events, PARALLEL_EVENTS, async (event) => {
        if (!this.hasTime()) {
          return; // the next run continues
        }
        const ofTenant = webhooks.get(event.tenant) ?? readWebhooks(event.tenant);
        webhooks.set(event.tenant, ofTenant);
        const known = await ofTenant;
        const hanging = new Set(known.flatMap(({ id, lastFailure }) => (lastFailure === "timeout" ? [id] : [])));
        const deliveries = await fanOut(event, known);
        created.push(...deliveries.filter(({ webhookId }) => this.scheduled || !hanging.has(webhookId)));
      });
    } finally {
      await this.deliver([...waiting, ...created]); // an event that failed holds up no other one
    }
  }

  /** Waits for the retries that are due soon. */
  async repeat(): Promise<void> {
    const last = Math.max(...this.soon.map(({ time }) => time));
    const wait = Math.max(0, last - Date.now());
    if (this.soon.length > 0 && this.remainingMilliseconds() - wait > RESERVE_MILLISECONDS) {
      await setTimeout(wait);
      await this.deliver(this.soon.splice(0).map(({ delivery }) => delivery));
    }
  }

  /** Each webhook gets its deliveries independently of the others. */
  private async deliver(deliveries: Delivery[]): Promise<void> {
    const byWebhook = Map.groupBy(deliveries, nameOf);
    await inParallel([...byWebhook], Number.POSITIVE_INFINITY, ([webhook, deliveries]) =>
      this.serve(webhook, deliveries),
    );
  }

  /**
   * Sends to one webhook, some messages at a time, until nothing is due or another run has it. What such a run leaves
   * to this one is due when this one has left the webhook.
   */
  private async serve(webhook: string, deliveries: Delivery[]): Promise<void> {
    const due = [...deliveries];
    const errors: unknown[] = [];
    for (let [first] = due; first && this.hasTime() && !this.silent.has(webhook); [first] = due) {
      const { tenant, webhookId } = first;
      const until = new Date(Date.now() + RESERVE_MILLISECONDS).toISOString();
      if (!(await take(tenant, webhookId, until))) {
        break;
      }
      await inParallel(due.splice(0, PARALLEL_MESSAGES), PARALLEL_MESSAGES, (delivery) => this.send(webhook, delivery))
        .catch((error) => errors.push(error))
        .finally(() => leave(tenant, webhookId, until));
      if (due.length === 0 && errors.length === 0) {
        due.push(...(await dueDeliveries(tenant, webhookId)));
      }
    }
    if (errors.length > 0) {
      throw errors[0];
    }
  }

  private async send(webhook: string, delivery: Delivery): Promise<void> {
    if (!this.hasTime() || this.silent.has(webhook)) {
      return;
    }
    const outcome = await attempt(delivery);
    if (!outcome) {
      return;
    }
    this.result[outcome.kind]++;
    if (outcome.kind === "failed") {
      if (outcome.failure === "timeout") {
        this.silent.add(webhook);
      }
      const failedBefore = outcome.failingSince !== undefined && outcome.failingSince < this.startedAt;
      if (!failedBefore && outcome.retryAt - Date.now() < WAIT_MILLISECONDS) {
        this.soon.push({ delivery, time: outcome.retryAt });
      }
    }
  }

  /** Records the run's metrics and, if it has done anything, a log line. */
  record(): void {
    const { dropped, ...counted } = this.result;
    for (const [outcome, value] of Object.entries(counted)) {
      if (value > 0) {
        count("EventDeliveries", value, { outcome });
      }
    }
    if (Object.values(this.result).some((value) => value > 0)) {
      logInfo("deliveries", { ...this.result });
    }
  }
}

/** Does something for each item, some at a time. @throws the first error, after the other items */
async function inParallel<Item>(
  items: Item[],
  parallel: number,
  task: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  const errors: unknown[] = [];
  const worker = async () => {
    for (const item of queue) {
      await task(item).catch((error) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker));
  if (errors.length > 0) {
    throw errors[0];
  }
}
