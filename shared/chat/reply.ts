import { countWithoutRequestId } from "../metrics.ts";
import { rank, type SafetyAlert } from "../safety/alert.ts";
import { cutText, openingText } from "../safety/fixed-texts.ts";

const BETWEEN = "\n\n";

/**
 * What a chat says: the fixed text of an alert if there is one, the model's answer, cautions, in this order and with an
 * empty line between them. Streamed, each part goes out as soon as it is known.
 */
export class Reply {
  /** The highest alert so far, whoever raised it. */
  alert: SafetyAlert | undefined;
  private readonly onText: ((text: string) => void) | undefined;
  private opening = "";
  /** What has gone out, when streamed. */
  private said = "";
  private modelSpoke = false;
  private whole: string | undefined;

  /** @param onText takes the parts as they come; without it the reply is only put together */
  constructor(onText: ((text: string) => void) | undefined) {
    this.onText = onText;
  }

  get streamed(): boolean {
    return this.onText !== undefined;
  }

  /** Makes the reply begin with an alert's fixed text, unless one of its level is there already. */
  raise(alert: SafetyAlert, by: "screen" | "model"): void {
    if (rank(alert) <= rank(this.alert)) {
      return;
    }
    this.alert = alert;
    this.opening = openingText(alert);
    this.say(this.opening);
    countWithoutRequestId("SafetyAlerts", 1, { level: alert.level, by });
  }

  /** Takes the model's words as they come. */
  speak(words: string): void {
    if (this.modelSpoke) {
      this.emit(words);
    } else {
      this.say(words);
      this.modelSpoke = true;
    }
  }

  /**
   * Ends the reply.
   *
   * @param answer the model's whole answer; when streamed, it has gone out already
   * @param cautions what is to stand below it
   * @returns the reply's whole text
   */
  end(answer: string, cautions: string[]): string {
    for (const caution of cautions) {
      this.say(caution);
    }
    this.whole = this.streamed ? this.said : [this.opening, answer, ...cautions].filter(Boolean).join(BETWEEN);
    return this.whole;
  }

  /**
   * Ends a reply to an alert without the model, or without the rest of its answer.
   *
   * @returns the reply's whole text; what {@link end} returned, if the answer came to its end after all
   */
  endWithoutModel(): string {
    if (this.whole !== undefined) {
      return this.whole;
    }
    if (this.modelSpoke) {
      this.say(cutText());
    }
    return this.streamed ? this.said : this.opening;
  }

  private say(part: string): void {
    this.emit(this.said === "" ? part : BETWEEN + part);
  }

  private emit(text: string): void {
    if (this.onText) {
      this.said += text;
      this.onText(text);
    }
  }
}
