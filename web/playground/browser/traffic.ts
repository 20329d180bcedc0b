import { copy } from "../../browser/copy.ts";
import { curlOf, type Exchange, outcome, requestText, responseText } from "../exchange.ts";
import { button, byId, create } from "./elements.ts";
import { say } from "./speech.ts";

/** Older exchanges are forgotten. */
const SHOWN = 50;

/** From this width on, there is room for the panel beside the conversation. */
const WIDE = "(width >= 64rem)";

/** The panel of requests and responses beside the conversation, the newest at the top. It can be closed. */
export class Traffic {
  private readonly list = byId("traffic");
  private readonly panel = byId("wire");
  private readonly toggle = byId<HTMLButtonElement>("wire-toggle");
  private readonly entries = new Map<Exchange, Entry>();
  /** What has changed since the last frame: a streamed response changes more often than it can be shown. */
  private readonly changed = new Set<Entry>();
  private count = 0;

  constructor() {
    this.open(matchMedia(WIDE).matches);
    this.toggle.addEventListener("click", () => {
      this.open(Boolean(this.panel.hidden));
      if (!this.panel.hidden) {
        byId("wire-close").focus();
      }
    });
    byId("wire-close").addEventListener("click", () => this.close());
    this.panel.addEventListener("keydown", ({ key }) => key === "Escape" && this.close());
  }

  private close(): void {
    this.open(false);
    this.toggle.focus();
  }

  private open(open: boolean): void {
    this.panel.hidden = !open;
    this.toggle.setAttribute("aria-expanded", String(open));
  }

  /** Forgets everything that was sent and received. */
  clear(): void {
    this.entries.clear();
    this.changed.clear();
    this.list.replaceChildren();
    this.count = 0;
    byId("wire-count").textContent = "0";
  }

  /** Shows an exchange when it begins, or what is new of it unless it was forgotten. */
  readonly show = (exchange: Exchange): void => {
    let entry = this.entries.get(exchange);
    if (!entry) {
      if (exchange.response || exchange.state !== "open") {
        return;
      }
      entry = new Entry(exchange);
      this.entries.set(exchange, entry);
      this.list.prepend(entry.item);
      byId("wire-count").textContent = String(++this.count);
      this.forgetOldest();
    }
    if (this.changed.size === 0) {
      requestAnimationFrame(() => this.update());
    }
    this.changed.add(entry);
  };

  private update(): void {
    for (const entry of this.changed) {
      entry.update();
    }
    this.changed.clear();
  }

  private forgetOldest(): void {
    for (const [exchange, { item }] of this.entries) {
      if (this.entries.size <= SHOWN) {
        return;
      }
      this.entries.delete(exchange);
      item.remove();
    }
  }
}

class Entry {
  readonly item: HTMLLIElement;
  private readonly exchange: Exchange;
  private readonly outcome = create("span", "outcome");
  private readonly response = create("pre");
  private readonly details: HTMLDetailsElement;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    const summary = create("summary", "", create("code", "", `${exchange.method} ${exchange.path}`), " ", this.outcome);
    const command = create("pre", "", curlOf(exchange));
    command.hidden = true;
    const copyButton = button("Copy as curl", async () => {
      const isCopied = await copy(command);
      say(isCopied ? "Copied." : "Selected; copy it with your keyboard.");
      copyButton.textContent = isCopied ? "Copied" : "Copy as curl";
    });
    this.details = create(
      "details",
      "",
      summary,
      create("pre", "", requestText(exchange)),
      this.response,
      copyButton,
      command,
    );
    this.details.addEventListener("toggle", () => this.update());
    this.item = create("li", "", this.details);
  }

  update(): void {
    const { response, state } = this.exchange;
    this.outcome.textContent = outcome(this.exchange);
    this.outcome.classList.toggle("failure", state === "lost" || (response?.status ?? 0) >= 400);
    this.outcome.classList.toggle("success", state === "complete" && (response?.status ?? 0) < 400);
    if (this.details.open) {
      this.response.textContent = responseText(this.exchange);
    }
  }
}
