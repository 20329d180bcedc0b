import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { Webhook } from "standardwebhooks";
import { config } from "../../../shared/config.ts";
import { dynamo } from "../../../shared/dynamo/client.ts";
import { webhookKey } from "../../../shared/dynamo/keys.ts";
import { retries } from "../../../shared/dynamo/retries.ts";
import { putNew, transact } from "../../../shared/dynamo/transact.ts";
import { createWebhook, deleteWebhook, listWebhooks, rotateWebhook } from "../../../shared/events/manage-webhooks.ts";
import { recordEvent } from "../../../shared/events/outbox.ts";
import { newContext, TENANT } from "../caller.ts";
import { answerWith, type Received, type Receiver, startReceiver } from "../service/receiver.ts";
import type { Storage } from "./storage.ts";

const DELIVERER = join(import.meta.dirname, "deliverer.ts");

/** How many messages a process may send at most until it is killed. */
const MOST_MESSAGES = 40;

/** For how long a process may send nothing until it is killed: before its first message, and after it. */
const [BEFORE_FIRST_MILLISECONDS, BETWEEN_MILLISECONDS] = [10_000, 1_000];

/** How many items are changed at once. */
const AT_ONCE = 20;

/** After so many processes, the test fails instead of running forever. */
const MOST_PROCESSES = 400;

/** The result of a run. */
export interface Chaos {
  /** The ids of the events whose cause was committed. */
  committed: string[];
  /** The ids of the messages that the faulty receiver accepted, and of all that it got. */
  accepted: Set<string>;
  got: Received[];
  /** The messages whose signature is not valid with any secret of the webhook. */
  unsigned: Received[];
  /** What the other receivers got after their webhook was deleted, and after it was disabled. */
  afterDeletion: number;
  afterGone: number;
  /** How often the delivering process was killed. */
  kills: number;
  /** The items of deliveries, and of events without deliveries, that are left. */
  left: Record<string, unknown>[];
}

/** Answers at random: accepts, fails, redirects, closes the connection, or never answers. */
function faultily(accepted: Set<string>): Receiver["answer"] {
  return (response, { headers }) => {
    const choice = Math.random();
    if (choice < 0.6) {
      accepted.add(String(headers["webhook-id"]));
      response.writeHead(204).end();
    } else if (choice < 0.75) {
      response.writeHead(500).end("no");
    } else if (choice < 0.85) {
      response.writeHead(307, { location: "/elsewhere" }).end();
    } else if (choice < 0.98) {
      response.destroy();
    } // otherwise, the sender waits until it is killed
  };
}

/**
 * Records events, half of them in transactions that are canceled, while a process delivers them to receivers that fail,
 * and is killed again and again. Time is passed by making everything due at once.
 *
 * @param count the number of events that happened
 */
export async function deliverInChaos(storage: Storage, count: number): Promise<Chaos> {
  process.env.WEBHOOKS_TO_LOOPBACK = "true";
  const accepted = new Set<string>();
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  const [faulty, deleted, gone] = receivers;
  faulty.answer = faultily(accepted);
  gone.answer = answerWith(410);
  const create = ({ url }: Receiver) => createWebhook(newContext(), { url, events: ["thread.expired"] });
  const [main, toDelete, toDisable] = [await create(faulty), await create(deleted), await create(gone)];
  const secrets = [main.secret];

  let [afterDeletion, afterGone, kills] = [0, 0, 0];
  const committed: string[] = [];
  let recorded = false;
  const recording = recordEvents(count, committed).finally(() => {
    recorded = true;
  });
  let deliverer = await start();
  try {
    for (let process = 1; process < MOST_PROCESSES; process++) {
      await untilKilled(faulty);
      await kill(deliverer);
      kills++;
      if (process === 2) {
        await deleteWebhook(newContext(), toDelete.webhook.id);
        afterDeletion = deleted.received.length;
        secrets.push((await rotateWebhook(newContext(), main.webhook.id)).secret);
      }
      const { webhooks } = await listWebhooks(newContext());
      const isDisabled = webhooks.some(({ id, state }) => id === toDisable.webhook.id && state === "disabled");
      if (isDisabled && afterGone === 0) {
        afterGone = gone.received.length;
      }
      if (
        recorded &&
        process > 3 &&
        committed.every((id) => accepted.has(id)) &&
        (await pending(storage)).length === 0
      ) {
        break;
      }
      await letTimePass(
        storage,
        [main, toDisable].map(({ webhook }) => webhook.id),
      );
      deliverer = await start();
    }
    await recording;
  } finally {
    deliverer.kill("SIGKILL"); // also after a failure: it would run forever, and keep the tests' process alive
    for (const { stop } of receivers) {
      stop();
    }
  }
  return {
    committed,
    accepted,
    kills,
    got: faulty.received,
    unsigned: faulty.received.filter((message) => !secrets.some((secret) => isSigned(secret, message))),
    afterDeletion: deleted.received.length - afterDeletion,
    afterGone: gone.received.length - afterGone,
    left: await pending(storage),
  };
}

/**
 * Waits until a process has sent some messages, or sends no more: its life does not depend on how busy the machine is.
 */
async function untilKilled({ received }: Receiver): Promise<void> {
  const first = received.length;
  const last = first + randomInt(1, MOST_MESSAGES);
  for (let [seen, since] = [first, Date.now()]; received.length < last; ) {
    if (received.length > seen) {
      [seen, since] = [received.length, Date.now()];
    }
    if (Date.now() - since > (seen === first ? BEFORE_FIRST_MILLISECONDS : BETWEEN_MILLISECONDS)) {
      return;
    }
    await setTimeout(5);
  }
}

/** Starts a process, and waits until it delivers. */
async function start(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [DELIVERER], { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env } }); // Jest gives tests a copy of the environment
  child.stdout.resume();
  await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Records events in the transactions of their causes; every other cause does not happen. */
async function recordEvents(count: number, committed: string[]): Promise<void> {
  for (let number = 0; number < count; number++) {
    const cause = putNew(config.threadsTable, { pk: `cause-${number}`, sk: "cause" });
    for (const happens of [true, false]) {
      const event = recordEvent(TENANT, { type: "thread.expired", threadId: `${number}-${happens}` }, Date.now());
      const refusal = await transact(() => ({ cause, event }), retries({ attempts: 20 }));
      if (!refusal || (happens && refusal.uncertain)) {
        committed.push(String(event.Put?.Item?.sk));
      }
    }
  }
}

/** The items of the events table that are due, now or later. */
async function pending(storage: Storage): Promise<Record<string, unknown>[]> {
  return (await storage.eventItems()).filter(({ dueAt }) => dueAt !== undefined);
}

/**
 * Ends all leases and pauses, and the webhook's record of failing, as if hours had passed. Attempts start anew:
 * otherwise one event of many would be given up after the tenth, and never be accepted.
 */
async function letTimePass(storage: Storage, webhookIds: string[]): Promise<void> {
  const change = (Key: { pk: unknown; sk: unknown }, UpdateExpression: string, values?: Record<string, unknown>) =>
    dynamo.send(
      new UpdateCommand({
        TableName: config.eventsTable,
        Key,
        UpdateExpression,
        ConditionExpression: "attribute_exists(pk)",
        ...(values && { ExpressionAttributeValues: values }),
      }),
    );
  const now = new Date().toISOString();
  const items = await pending(storage);
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const some = items.slice(start, start + AT_ONCE);
    await Promise.all(
      some.map(({ pk, sk }) => change({ pk, sk }, "SET dueAt = :now, attempts = :none", { ":now": now, ":none": 0 })),
    );
  }
  for (const id of webhookIds) {
    await change(webhookKey(TENANT, id), "REMOVE failingSince, takenUntil");
  }
}

function isSigned(secret: string, { text, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
