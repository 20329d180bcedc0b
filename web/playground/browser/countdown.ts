import { clock, spokenTime } from "../remaining.ts";
import { byId } from "./elements.ts";
import type { Recorder } from "./recorder.ts";
import { say } from "./speech.ts";

/** The time below which the clock is shown in the color of a warning. */
const SOON_MILLISECONDS = 60_000;

/** Shows the time until the thread expires, as a clock and as a bar, and tells people who cannot see it. */
export class Countdown {
  private readonly recorder: Recorder;
  private readonly onEnd: () => void;
  private readonly time = byId("expires-in");
  private readonly bar = byId("time-left");
  /** Undefined while nothing is counted. */
  private expiresAt: number | undefined;
  private remaining = 0;
  /** The longest time until the expiry that has been seen, for the bar. */
  private lifetime = 1;

  /** @param onEnd called when the time is over */
  constructor(recorder: Recorder, onEnd: () => void) {
    this.recorder = recorder;
    this.onEnd = onEnd;
    setInterval(() => this.tick(), 1000);
  }

  /** @param expiresAt ISO 8601, by the service's clock */
  start(expiresAt: string): void {
    this.expiresAt = Date.parse(expiresAt);
    this.remaining = this.expiresAt - this.now();
    this.lifetime = Math.max(this.lifetime, this.remaining);
    this.show();
  }

  /** Counts no further until the end is known again; the last time stays shown. */
  pause(): void {
    this.expiresAt = undefined;
  }

  /** There is no thread, or none any more. */
  stop(): void {
    this.pause();
    this.remaining = 0;
    this.show();
    this.time.textContent = "–";
  }

  private tick(): void {
    if (this.expiresAt === undefined) {
      return;
    }
    const remaining = this.expiresAt - this.now();
    const spoken = spokenTime(this.remaining, remaining);
    if (spoken) {
      say(spoken);
    }
    this.remaining = remaining;
    this.show();
    if (remaining <= 0) {
      this.onEnd();
    }
  }

  private show(): void {
    const { remaining, lifetime } = this;
    this.time.textContent = clock(remaining);
    for (const element of [this.time, this.bar]) {
      element.classList.toggle("soon", this.expiresAt !== undefined && remaining < SOON_MILLISECONDS);
    }
    this.bar.style.setProperty("--left", String(Math.max(0, Math.min(1, remaining / lifetime))));
  }

  /** The service's time. */
  private now(): number {
    return Date.now() + this.recorder.clockOffset;
  }
}
