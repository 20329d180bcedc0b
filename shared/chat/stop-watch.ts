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
  private timer: NodeJS.Timeout | undefined;

  constructor({ caller: { tenant } }: CallerContext, { conversation, reservation }: Loaded) {
    if (conversation && reservation) {
      const look = async () => {
        if (await readStopped(tenant, conversation.thread, reservation.key).catch(() => false)) {
          this.stop.abort(STOPPED);
        } else {
          this.timer?.refresh();
        }
      };
      this.timer = setTimeout(look, POLL_MILLISECONDS).unref();
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
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
