import { answerDisclosure } from "../disclosure.ts";
import { countWithoutRequestId } from "../metrics.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import { rank, type SafetyAlert } from "../safety/alert.ts";
import type { Caution } from "../safety/cautions.ts";
import { cautionText, cutText, neutralText, openingText } from "../safety/fixed-texts.ts";
import type { Screening } from "../safety/screening.ts";
import { isModelCategoryCertain, wordedAlert } from "../safety/wording.ts";
import type { Safety } from "./chat-response.ts";

const BETWEEN = "\n\n";

/** Receives a reply as it is written. */
export interface ReplyListener {
  /** Receives the text. Optional: without it, the reply is only assembled. */
  onText?: ((text: string) => void) | undefined;
  /** Receives the safety findings before the text that depends on them, and again when they change. */
  onSafety?: ((safety: Safety) => void) | undefined;
}

/** The findings in a message, as stored with the turn for a replay. */
export type SafetyReport = {
  safety: Safety;
  /** The start and end of the model's own words in the reply: fixed texts come before them, cautions after them. */
  from: number;
  to: number;
};

/**
 * Builds the reply of a chat: the fixed text of an alert if there is one, the model's answer, cautions, and a
 * disclosure if the deployment has one, in this order and separated by empty lines. When streamed, each part is sent as
 * soon as it is known. Without an alert and without the model's answer, the reply is a neutral text.
 */
export class Reply {
  /** The fixed text of the highest alert so far; "" without one. */
  opening = "";
  private readonly listener: ReplyListener;
  private readonly screening: Screening;
  private readonly facts: Facts;
  private alert: SafetyAlert | undefined;
  private said = "";
  private modelSpoke = false;
  private answered = false;
  private ruledOut = false;
  private from = 0;
  private to = 0;
  private disclosed = 0;
  private found: Safety = { level: "none", category: null, certainty: null, decidedBy: null, cautions: [] };
  private announced = false;

  constructor(listener: ReplyListener, screening: Screening, facts: Facts) {
    this.listener = listener;
    this.screening = screening;
    this.facts = facts;
  }

  get streamed(): boolean {
    return this.listener.onText !== undefined;
  }

  get hasAlert(): boolean {
    return this.alert !== undefined;
  }

  /** Whether it contains the model's complete answer. */
  get isAnswered(): boolean {
    return this.answered;
  }

  /** Final once the reply has ended. */
  get report(): SafetyReport {
    return { safety: this.found, from: this.from, to: this.to };
  }

  /** The length of the disclosure at the end of the reply; final once the reply has ended. */
  get disclosureLength(): number {
    return this.disclosed;
  }

  /** Starts the reply with the fixed text of a certain finding. A suspicion is only announced. */
  begin(): void {
    const { finding } = this.screening;
    if (finding?.certainty === "certain") {
      this.raise(finding.alert, finding.categoryCertain, finding.decidedBy);
    } else if (finding) {
      const { level, category } = wordedAlert(finding.alert, true, this.facts);
      this.announce({ level, category: category ?? null, certainty: "suspected", decidedBy: finding.decidedBy });
    }
  }

  /** Receives the model's verdict that someone is in danger. It can raise the level but never lower it. */
  raiseByModel(alert: SafetyAlert, named: boolean): void {
    this.raise(alert, isModelCategoryCertain(alert, named, this.screening.finding), "model");
  }

  /** Receives the model's verdict that nobody is in danger. It overrides a suspicion if the answer is completed. */
  ruleOut(): void {
    this.ruledOut = true;
  }

  /** Receives the model's words as they arrive. */
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
   * @param answer the model's complete answer; when streamed, it has already been sent
   * @returns the whole text of the reply
   */
  end(answer: string, cautions: Caution[]): string {
    this.answered = true;
    if (!this.streamed) {
      this.sayOpening();
      this.say(answer);
    }
    this.to = this.said.length;
    if (this.ruledOut && this.found.certainty === "suspected") {
      this.announce({ level: "none", category: null, certainty: null, decidedBy: "model" });
    }
    if (cautions.length > 0) {
      this.announce({ cautions: cautions.map(reported) });
    }
    for (const caution of cautions) {
      this.say(cautionText(caution, this.screening.language));
    }
    return this.disclose();
  }

  /**
   * Ends a reply without the model, or without the rest of its answer.
   *
   * @returns the whole text of the reply
   */
  endWithoutModel(): string {
    if (!this.streamed) {
      this.sayOpening();
    }
    if (!this.alert) {
      this.say(neutralText(this.screening.language));
    } else if (this.modelSpoke) {
      this.say(cutText(this.screening.language));
    }
    this.to = this.said.length;
    return this.disclose();
  }

  /** Adds the disclosure, if the deployment has one. */
  private disclose(): string {
    const line = answerDisclosure(this.screening.language);
    if (line !== undefined) {
      const length = this.said.length;
      this.say(line);
      this.disclosed = this.said.length - length;
    }
    return this.said;
  }

  private raise(alert: SafetyAlert, categoryCertain: boolean, decidedBy: "rule" | "classifier" | "model"): void {
    if (rank(alert) <= rank(this.alert)) {
      return;
    }
    this.alert = alert;
    const worded = wordedAlert(alert, categoryCertain, this.facts);
    this.opening = openingText(worded, this.screening.language);
    this.announce({ level: alert.level, category: worded.category ?? null, certainty: "certain", decidedBy });
    if (this.streamed) {
      this.sayOpening();
    }
    countWithoutRequestId("SafetyAlerts", 1, { level: alert.level, by: decidedBy === "model" ? "model" : "screen" });
  }

  private sayOpening(): void {
    if (this.opening !== "") {
      this.say(this.opening);
      this.from = this.said.length;
    }
  }

  private announce(change: Partial<Safety>): void {
    this.found = { ...this.found, ...change };
    this.announced = true;
    this.listener.onSafety?.(this.found);
  }

  private say(part: string): void {
    this.emit(this.said === "" ? part : BETWEEN + part);
  }

  private emit(text: string): void {
    if (!this.announced) {
      this.announce({}); // no earlier than the first text: until then, a failure can still be a plain response
    }
    this.said += text;
    this.listener.onText?.(text);
  }
}

function reported(caution: Caution): Safety["cautions"][number] {
  const because = caution.kind === "allergy" ? caution.allergy : caution.medication;
  return { kind: caution.kind, drug: caution.drug, because };
}
