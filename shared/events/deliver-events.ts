import { setTimeout } from "node:timers/promises";
import { type DueDelivery, type DueEvent, ofDueKey } from "../dynamo/keys.ts";
import { logInfo } from "../observability/logger.ts";
import { count } from "../observability/metrics.ts";
import { attempt, type Outcome } from "./attempt.ts";
import { dueItems, fanOut } from "./delivery-repository.ts";
import { RECEIVER_MILLISECONDS, type Webhook } from "./webhook.ts";
import { readWebhooks } from "./webhook-repository.ts";

/** The number of events that are turned into deliveries at the same time: a sweep may have thousands at once. */
const PARALLEL_EVENTS = 20;

/** The number of messages that a webhook gets at the same time. */
const PARALLEL_MESSAGES = 4;

/** The time reserved for a delivery: the receiver's, and as much for the database. */
const RESERVE_MILLISECONDS = 2 * RECEIVER_MILLISECONDS;

/** A run waits for its own retries that are due within this time: the schedule would be too late for the first one. */
const WAIT_MILLISECONDS = 10_000;

/** The number of deliveries by what came of them. */
export type DeliveryResult = Record<Outcome["kind"], number>;

/**
 * Sends events to webhooks: the new ones, of which the table's stream tells, or all that are due, for the schedule,
 * which makes up for runs that failed. Several runs may overlap. Each event is sent at least once: a run that dies
 * after the receiver has got the message leaves the delivery to the next run.
 *
 * @param remainingMilliseconds the remaining time of the invocation
 * @param created the keys of new events; undefined for a run of the schedule
 * @throws the database's error, after everything else has been tried
 */
export async function deliverEvents(
  remainingMilliseconds: () => number,
  created?: { pk: string; sk: string }[],
): Promise<DeliveryResult> {
  const run = new Run(remainingMilliseconds);
  try {
    if (created) {
      await run.process(created.map(ofDueKey));
    } else {
      for await (const items of dueItems(Date.now())) {
        await run.process(items);
        if (!run.hasTime()) {
          break; // the next run continues
        }
      }
    }
    await run.repeat();
  } finally {
    run.record();
  }
  return run.result;
}

/** One run, with what it has learned about receivers. */
class Run {
  readonly result: DeliveryResult = { delivered: 0, failed: 0, "given-up": 0, dropped: 0 };
  private readonly remainingMilliseconds: () => number;
  /**
   * Webhooks that did not answer in time: their other deliveries wait for the next run instead of holding up this one.
   */
  private readonly silent = new Set<string>();
  private readonly soon: { delivery: DueDelivery; time: number }[] = [];

  constructor(remainingMilliseconds: () => number) {
    this.remainingMilliseconds = remainingMilliseconds;
  }

  hasTime(): boolean {
    return this.remainingMilliseconds() > RESERVE_MILLISECONDS;
  }

  async process(items: (DueEvent | DueDelivery)[]): Promise<void> {
    const events = items.filter((item) => "shard" in item);
    const waiting = items.filter((item) => "webhookId" in item);
    // Read after the events, so that it includes every webhook that was created before them.
    const webhooks = new Map<string, Promise<Webhook[]>>();
    const created: DueDelivery[] = [];
    try {
      await inParallel(events, PARALLEL_EVENTS, async (event) => {
        const ofTenant = webhooks.get(event.tenant) ?? readWebhooks(event.tenant);
        webhooks.set(event.tenant, ofTenant);
        created.push(...(await fanOut(event, await ofTenant)));
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
  private async deliver(deliveries: DueDelivery[]): Promise<void> {
    const byWebhook = Map.groupBy(deliveries, ({ tenant, webhookId }) => `${tenant} ${webhookId}`);
    await inParallel([...byWebhook], Number.POSITIVE_INFINITY, ([webhook, its]) =>
      inParallel(its, PARALLEL_MESSAGES, (delivery) => this.send(webhook, delivery)),
    );
  }

  private async send(webhook: string, delivery: DueDelivery): Promise<void> {
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
      if (outcome.retryAt - Date.now() < WAIT_MILLISECONDS) {
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
