import type { ServerResponse } from "node:http";
import { eventually } from "../eventually.ts";
import { addClients } from "./clients.ts";
import { answerWith, type Receiver, startReceiver } from "./receiver.ts";
import type { TestService } from "./service.ts";

/**
 * A tenant whose ten webhooks have receivers that hang, are slow or fail, beside one of another tenant that does not.
 */
export interface BadReceivers {
  good: Receiver;
  bad: Receiver[];
  /** Erases a patient of either tenant, which is an event for its webhooks. */
  cause(whose: "good" | "bad"): Promise<void>;
  /** The requests that receivers have neither answered nor lost. */
  open(): ServerResponse[];
  stop(): Promise<void>;
}

const KEYS = { good: "key-of-good", bad: "key-of-bad" };

/** How the receivers answer: four never, three after 10 seconds, and three with a 500. */
const [HANGING, SLOW, FAILING] = [4, 3, 3];
const SLOW_MILLISECONDS = 10_000;

/** @param service started with `SECRETS_CACHE_SECONDS: "1"` */
export async function startBadReceivers(service: TestService): Promise<BadReceivers> {
  await addClients(service, {
    good: { keys: [KEYS.good], tenant: "good" },
    bad: { keys: [KEYS.bad], tenant: "bad" },
  });
  const pending: ServerResponse[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const answers: Receiver["answer"][] = [
    ...Array<Receiver["answer"]>(HANGING).fill((response) => pending.push(response)),
    ...Array<Receiver["answer"]>(SLOW).fill((response, message) => {
      pending.push(response);
      timers.add(setTimeout(() => answerWith(204)(response, message), SLOW_MILLISECONDS));
    }),
    ...Array<Receiver["answer"]>(FAILING).fill(answerWith(500)),
  ];
  const bad = await Promise.all(answers.map(async (answer) => Object.assign(await startReceiver(), { answer })));
  const good = await startReceiver();
  const created: { id: string; key: string }[] = [];
  for (const receiver of [good, ...bad]) {
    const key = receiver === good ? KEYS.good : KEYS.bad;
    const body = { url: receiver.url, events: ["patient.erased"] };
    const { webhook } = (await service.call("POST", "/webhooks", { key, body })).body;
    created.push({ id: webhook.id, key });
  }
  return {
    good,
    bad,
    async cause(whose) {
      const key = KEYS[whose];
      const { patient } = (await service.call("POST", "/patients", { key, body: { name: "Pat Example" } })).body;
      await service.call("DELETE", `/patients/${patient.id}`, { key });
    },
    open: () => pending.filter(({ closed, writableEnded }) => !closed && !writableEnded),
    async stop() {
      for (const timer of timers) {
        clearTimeout(timer);
      }
      for (const { id, key } of created) {
        await service.call("DELETE", `/webhooks/${id}`, { key });
      }
      for (const receiver of [good, ...bad]) {
        receiver.stop();
      }
    },
  };
}

/** Waits until a receiver has got a number of messages. */
export const received = (receiver: Receiver, count: number) =>
  eventually(
    () => receiver.received.length,
    (length) => length >= count,
  );
