import type { CreateWebhookRequest, HealthAssistantClient } from "../../../packages/client/client.js";
import { type Delivery, typeOf } from "../delivery.ts";
import { formatted } from "../exchange.ts";
import { byId, create } from "./elements.ts";
import { failureText, isGone } from "./service.ts";
import { say } from "./speech.ts";
import { bindTabs } from "./tabs.ts";

/** Of the local service; outside of the stage. */
const INBOX = "/webhook-inbox";

/** An event arrives within about a second. */
const POLL_MILLISECONDS = 1_000;

type EventType = CreateWebhookRequest["events"][number];

const EVENTS = Object.keys({
  "safety.alert": true,
  "handoff.requested": true,
  "handoff.unanswered": true,
  "thread.expired": true,
  "patient.erased": true,
  "feedback.created": true,
  "message.created": true,
  "profile.updated": true,
} satisfies Record<EventType, true>) as EventType[];

/** What the local service has. */
interface Contents {
  /** Undefined if none is registered. */
  webhookId?: string;
  deliveries: Delivery[];
}

/** The tab in which the events arrive that the service sends to a webhook of this machine. For `npm start` only. */
export class WebhookInbox {
  private readonly clientOf: () => HealthAssistantClient | undefined;
  private readonly list = byId("deliveries");
  private readonly notice = byId("inbox-notice");
  private readonly items = new Map<number, HTMLElement>();
  private webhookId: string | undefined;
  /** Changes when the messages are forgotten: what was read before must not be shown. */
  private generation = 0;
  private isBusy = false;

  constructor(clientOf: () => HealthAssistantClient | undefined) {
    this.clientOf = clientOf;
    bindTabs(byId("wire-tabs"));
    byId("create-webhook").addEventListener("click", () => this.run((client) => this.create(client)));
    byId("test-webhook").addEventListener("click", () => this.run((client) => this.test(client)));
    byId("delete-webhook").addEventListener("click", () => this.run((client) => this.delete(client)));
  }

  /** Shows the tab, because this machine's service has an inbox. */
  async start(): Promise<void> {
    byId("wire-tabs").hidden = false;
    await this.read();
    setInterval(() => this.webhookId && !document.hidden && this.read(), POLL_MILLISECONDS);
  }

  /** Forgets the messages. */
  clear(): void {
    if (this.webhookId) {
      this.generation++;
      this.show({ webhookId: this.webhookId, deliveries: [] });
      void fetch(INBOX, { method: "DELETE" }).catch(() => {}); // a service that has ended keeps nothing
    }
  }

  /** The secret is shown only once, so a webhook of before a restart of the service is replaced. */
  private async create(client: HealthAssistantClient): Promise<void> {
    const url = new URL(INBOX, location.href).href;
    const { webhooks } = await client.listWebhooks();
    for (const { id } of webhooks.filter((webhook) => webhook.url === url)) {
      await client.deleteWebhook(id);
    }
    const description = "The playground's inbox";
    const { webhook, secret } = await client.createWebhook({ url, events: EVENTS, description });
    await fetch(INBOX, { method: "PUT", body: JSON.stringify({ webhookId: webhook.id, secret }) });
    await this.read();
    byId("test-webhook").focus(); // the button that had the focus is hidden
    this.tell("The webhook exists. Its secret is in the memory of the local service, for the signatures.");
  }

  private async test(client: HealthAssistantClient): Promise<void> {
    const { accepted, failure } = await client.testWebhook(this.webhookId ?? "");
    await this.read();
    this.tell(accepted ? "The test event has arrived." : `The test event was not accepted: ${failure}.`, !accepted);
  }

  private async delete(client: HealthAssistantClient): Promise<void> {
    await client.deleteWebhook(this.webhookId ?? "");
    await this.forget();
    byId("create-webhook").focus();
    this.tell("The webhook is deleted.");
  }

  private async forget(): Promise<void> {
    this.generation++;
    await fetch(`${INBOX}?webhook`, { method: "DELETE" });
    this.show({ deliveries: [] });
  }

  /** Does something, and shows a failure of the service. Until it ends, a second click does nothing. */
  private async run(action: (client: HealthAssistantClient) => Promise<void>): Promise<void> {
    const client = this.isBusy ? undefined : this.clientOf();
    if (!client) {
      return;
    }
    this.isBusy = true;
    try {
      await action(client);
    } catch (error) {
      this.tell(failureText(error), true);
      if (isGone(error)) {
        await this.forget(); // somebody else has deleted the webhook
      }
    } finally {
      this.isBusy = false;
    }
  }

  private async read(): Promise<void> {
    const { generation } = this;
    const response = await fetch(INBOX, { cache: "no-store" }).catch(() => undefined);
    const contents: Contents | undefined = response?.ok ? await response.json() : undefined;
    if (contents && generation === this.generation) {
      this.show(contents);
    }
  }

  private show({ webhookId, deliveries }: Contents): void {
    this.webhookId = webhookId;
    byId("create-webhook").hidden = Boolean(webhookId);
    byId("test-webhook").hidden = !webhookId;
    byId("delete-webhook").hidden = !webhookId;
    byId("inbox-count").textContent = String(deliveries.length);
    for (const [number, item] of this.items) {
      if (deliveries.every((delivery) => delivery.number !== number)) {
        item.remove();
        this.items.delete(number);
      }
    }
    for (const delivery of deliveries.toReversed()) {
      if (!this.items.has(delivery.number)) {
        const item = entry(delivery);
        this.items.set(delivery.number, item);
        this.list.prepend(item);
      }
    }
  }

  private tell(text: string, failure = false): void {
    this.notice.textContent = text;
    this.notice.hidden = false;
    this.notice.classList.toggle("failure", failure);
    say(text);
  }
}

function entry(delivery: Delivery): HTMLElement {
  const { receivedAt, headers, body, valid } = delivery;
  const signature = valid
    ? create("span", "signed", "signature valid")
    : create("span", "signed failure", "signature not valid");
  const time = create("time", "outcome", new Date(receivedAt).toLocaleTimeString());
  time.dateTime = receivedAt;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return create(
    "li",
    "",
    create(
      "details",
      "",
      create("summary", "", create("code", "", typeOf(delivery)), " ", time, " ", signature),
      create("pre", "", [...lines, "", formatted(body)].join("\n")),
    ),
  );
}
