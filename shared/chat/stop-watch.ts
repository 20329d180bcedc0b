import { setTimeout } from "node:timers/promises";
import { STOPPED } from "../model/model-error.ts";
import type { CallerContext } from "../request/request-context.ts";
import { readStopped } from "../threads/idempotency-record-repository.ts";
import type { Loaded } from "./load.ts";

/** The interval at which a chat asks whether it was stopped: half a read unit each time, once the model takes this long. */
const POLL_MILLISECONDS = 1_000;

/**
 * Watches whether a turn is stopped while the model is asked. Only a turn with an idempotency key, by which it is known,
 * on a thread can be.
 */
export class StopWatch {
  private readonly stop = new AbortController();
  private readonly over = new AbortController();

  constructor({ caller: { tenant } }: CallerContext, { conversation, reservation }: Loaded) {
    if (conversation && reservation) {
      void this.watch(() => readStopped(tenant, conversation.thread, reservation.key));
    }
  }

  /** Is aborted once the turn is stopped, with the reason `STOPPED`. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get isStopped(): boolean {
    return this.stop.signal.aborted;
  }

  /** Ends the watch. */
  end(): void {
    this.over.abort();
  }

  private async watch(isStopped: () => Promise<boolean>): Promise<void> {
    const { signal } = this.over;
    while (!this.isStopped) {
      try {
        await setTimeout(POLL_MILLISECONDS, undefined, { ref: false, signal });
      } catch {
        return; // the watch has ended
      }
      if (await isStopped().catch(() => false)) {
        this.stop.abort(STOPPED);
      }
    }
  }
}
