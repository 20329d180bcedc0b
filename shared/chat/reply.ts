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

const NOTHING_FOUND: Safety = { level: "none", category: null, certainty: null, decidedBy: null, cautions: [] };

/** Receives a reply as it is written. */
export interface ReplyListener {
  /** Receives the text. Optional: without it, the reply is only assembled. */
  onText?: ((text: string) => void) | undefined;
  /** Receives the safety findings before the text that depends on them, and again when they change. */
  onSafety?: ((safety: Safety) => void) | undefined;
}

/** What the user is told about danger, as far as it is known. */
export interface Warning {
  /** The highest certain alert; undefined without one. */
  alert: SafetyAlert | undefined;
  /** Its fixed text; "" without one. In a stream, it follows the texts of lower alerts that were sent before. */
  text: string;
  /** The findings, including a suspicion. */
  safety: Safety;
}

/** What the model contributed to a reply. */
export type Answer =
  /** `ruledOut`: its verdict was that nobody is in danger. */
  | { kind: "answered"; warning: Warning; words: string; ruledOut: boolean }
  /** `words` are those that it said before it failed, in a stream. */
  | { kind: "unanswered"; warning: Warning; words: string; failure: unknown };

/** The findings in a message, as stored with the turn for a replay. */
export type SafetyReport = {
  safety: Safety;
  /** The start and end of the model's own words in the reply: fixed texts come before them, cautions after them. */
  from: number;
  to: number;
};

/** A complete reply. */
export interface Reply {
  text: string;
  report: SafetyReport;
  /** The length of the disclosure at its end, if there is one. */
  disclosureLength: number | undefined;
}

/**
 * Writes the reply of a chat: the fixed text of an alert if there is one, the model's answer, cautions, and a
 * disclosure if the deployment has one, in this order and separated by empty lines. When streamed, each part is sent as
 * soon as it is known. Without an alert and without the model's answer, the reply is a neutral text.
 */
export class ReplyWriter {
  private readonly listener: ReplyListener;
  private readonly screening: Screening;
  private readonly facts: Facts;
  private started = false;
  private announced = false;

  constructor(listener: ReplyListener, screening: Screening, facts: Facts) {
    this.listener = listener;
    this.screening = screening;
    this.facts = facts;
  }

  get streams(): boolean {
    return this.listener.onText !== undefined;
  }

  /** Starts the reply with the fixed text of a certain finding. A suspicion is only announced. */
  begin(): Warning {
    const none: Warning = { alert: undefined, text: "", safety: NOTHING_FOUND };
    const { finding } = this.screening;
    if (!finding) {
      return none;
    }
    const { alert, certainty, decidedBy, categoryCertain } = finding;
    if (certainty === "certain") {
      return this.raise(none, alert, categoryCertain, decidedBy);
    }
    const { level, category = null } = wordedAlert(alert, true, this.facts);
    return { ...none, safety: this.announce({ ...NOTHING_FOUND, level, category, certainty, decidedBy }) };
  }

  /**
   * Passes on the model's verdict that someone is in danger. It can raise the level but never lower it.
   *
   * @param named whether the model named the category
   */
  raiseByModel(before: Warning, alert: SafetyAlert, named: boolean): Warning {
    return this.raise(before, alert, isModelCategoryCertain(alert, named, this.screening.finding), "model");
  }

  /**
   * Sends the model's next words.
   *
   * @param before its words so far
   * @returns all of them
   */
  speak(before: string, next: string): string {
    if (before === "") {
      this.say(next);
    } else {
      this.emit(next);
    }
    return before + next;
  }

  /** Ends the reply with cautions and the disclosure or, if the model did not answer, with what replaces its words. */
  end(answer: Answer, cautions: Caution[]): Reply {
    const { language } = this.screening;
    const { text: opening, alert, safety: found } = answer.warning;
    const ruledOut = answer.kind === "answered" && answer.ruledOut && found.certainty === "suspected";
    let safety = ruledOut ? this.announce({ ...NOTHING_FOUND, decidedBy: "model" }) : found;
    if (cautions.length > 0) {
      safety = this.announce({ ...safety, cautions: cautions.map(reported) });
    }
    const replacement = answer.kind === "answered" ? "" : this.replacement(alert, answer.words);
    const ending = cautions.map((caution) => cautionText(caution, language));
    const disclosure = answerDisclosure(language);
    for (const part of [replacement, ...ending, disclosure ?? ""]) {
      this.say(part);
    }
    const main = joined(opening, answer.words, replacement);
    return {
      text: joined(main, ...ending, disclosure ?? ""),
      report: { safety, from: opening.length, to: main.length },
      disclosureLength: disclosure === undefined ? undefined : BETWEEN.length + disclosure.length,
    };
  }

  /** Returns the text in place of an answer, or of the rest of one: an alert's fixed text stands on its own. */
  private replacement(alert: SafetyAlert | undefined, words: string): string {
    if (!alert) {
      return neutralText(this.screening.language);
    }
    return words === "" ? "" : cutText(this.screening.language);
  }

  private raise(
    before: Warning,
    alert: SafetyAlert,
    categoryCertain: boolean,
    decidedBy: "rule" | "classifier" | "model",
  ): Warning {
    if (rank(alert) <= rank(before.alert)) {
      return before;
    }
    const worded = wordedAlert(alert, categoryCertain, this.facts);
    const opening = openingText(worded, this.screening.language);
    const { level, category = null } = worded;
    const safety = this.announce({ ...before.safety, level, category, certainty: "certain", decidedBy });
    this.say(opening);
    countWithoutRequestId("SafetyAlerts", 1, { level, by: decidedBy === "model" ? "model" : "screen" });
    return { alert, text: this.streams ? joined(before.text, opening) : opening, safety };
  }

  private announce(safety: Safety): Safety {
    this.announced = true;
    this.listener.onSafety?.(safety);
    return safety;
  }

  /** Sends a part of the reply. */
  private say(part: string): void {
    if (part !== "") {
      this.emit(this.started ? BETWEEN + part : part);
    }
  }

  private emit(text: string): void {
    if (!this.announced) {
      this.announce(NOTHING_FOUND); // no earlier than the first text: until then, a failure can still be a plain response
    }
    this.started = true;
    this.listener.onText?.(text);
  }
}

/** Sends a stored reply in the order in which it was first streamed: fixed text, the model's words, cautions. */
export function replay(text: string, report: SafetyReport | undefined, { onText, onSafety }: ReplyListener): void {
  const { safety, from, to } = report ?? { from: 0, to: text.length };
  const say = (part: string) => part !== "" && onText?.(part);
  if (safety) {
    onSafety?.({ ...safety, cautions: [] });
  }
  say(text.slice(0, from));
  say(text.slice(from, to));
  if (safety && safety.cautions.length > 0) {
    onSafety?.(safety);
  }
  say(text.slice(to));
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(BETWEEN);
}

function reported(caution: Caution): Safety["cautions"][number] {
  const because = caution.kind === "allergy" ? caution.allergy : caution.medication;
  return { kind: caution.kind, drug: caution.drug, because };
}
