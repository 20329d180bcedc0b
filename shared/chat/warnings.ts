import type { Screening } from "../../packages/safety/alerts.ts";
import { alertOf, MIND, rank, type SafetyAlert } from "../../packages/safety/alerts.ts";
import { type Advice, neutralText, offerText, openingText, safetyNetText } from "../../packages/safety/fixed-texts.ts";
import { adviceFor, isModelCategoryCertain, wordedAlert } from "../../packages/safety/wording.ts";
import type { HelpLines } from "../help-lines.ts";
import type { ReadLevel } from "../model/level-words.ts";
import { countWithoutRequestId } from "../observability/metrics.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import { type AnswerPart, NOTHING_FOUND, textOf } from "../threads/answer-parts.ts";
import type { Reply } from "./reply.ts";

/** Writes what a reply says about danger: an alert as soon as one is certain, or whom to call if nobody could judge. */
export class Warnings {
  private readonly reply: Reply;
  private readonly screening: Screening;
  private readonly facts: Facts;
  private readonly messages: string[];
  private readonly helpLines: HelpLines;

  /** @param messages the user's last messages, the new one at the end */
  constructor(reply: Reply, screening: Screening, facts: Facts, messages: string[], helpLines: HelpLines) {
    this.reply = reply;
    this.screening = screening;
    this.facts = facts;
    this.messages = messages;
    this.helpLines = helpLines;
  }

  /** Begins the reply with the fixed text of a certain finding. A suspicion is only announced. */
  begin(): void {
    const { finding } = this.screening;
    if (!finding) {
      return;
    }
    const { alert, certainty, decidedBy, categoryCertain, evidence } = finding;
    if (certainty === "certain") {
      this.raise(alert, categoryCertain, decidedBy);
      return;
    }
    const { level, category = null } = wordedAlert(alert, true, this.facts);
    this.reply.find({ level, category, certainty, decidedBy, evidence });
  }

  /**
   * Takes the model's verdict that someone is in danger. It can raise the level but never lower it.
   *
   * @param named whether the model named the category
   */
  raiseByModel(alert: SafetyAlert, named: boolean): void {
    this.raise(alert, isModelCategoryCertain(alert, named, this.screening.finding), "model");
  }

  /**
   * Takes the model's verdict on a finding that is not certain. Without one, what is likely counts as certain, and for
   * a suspicion the user is told whom to call.
   */
  decide(verdict: ReadLevel | undefined): void {
    const { finding, language } = this.screening;
    const isLikely = finding?.certainty === "likely";
    if (verdict?.alert) {
      this.raiseByModel(verdict.alert, verdict.named);
    } else if (this.reply.alert) {
      return; // the model's answer has raised one before
    } else if (!verdict) {
      this.raiseLikely();
      if (!isLikely) {
        this.reply.add(this.neutral());
      }
    } else if (isLikely) {
      this.reply.find({ ...this.reply.findings, decidedBy: "model" });
      this.reply.add({ kind: "safety-net", text: safetyNetText(finding.alert, language, this.helpLines) });
    } else {
      this.reply.find({ ...NOTHING_FOUND, decidedBy: "model" });
    }
  }

  /** Raises what is likely, because nobody can judge it. */
  raiseLikely(): void {
    const { finding } = this.screening;
    if (finding?.certainty === "likely") {
      this.raise(finding.alert, finding.categoryCertain, finding.decidedBy);
    }
  }

  /** Writes the model's next words, or all of them, below the offer to go on talking in a crisis. */
  speak(next: string): void {
    this.reply.speak(next, () => this.offer());
  }

  /** What the user reads above the model's words. */
  above(): string {
    return textOf([...this.reply.parts, ...this.offer()]);
  }

  /** Whom to call, for a message that nobody could judge. */
  neutral(): AnswerPart {
    const { language, finding } = this.screening;
    const alert = finding?.alert ?? alertOf("other");
    const isPoisoning = alert.category === "poisoning"; // poison control can help at once, whatever was taken
    return { kind: "neutral", text: neutralText(this.adviceFor(alert, isPoisoning), language, this.helpLines) };
  }

  private offer(): AnswerPart[] {
    return this.reply.alert?.level === "crisis" ? [{ kind: "offer", text: offerText(this.screening.language) }] : [];
  }

  private adviceFor(alert: SafetyAlert, categoryCounts: boolean): Advice {
    return adviceFor({ alert, categoryCounts, messages: this.messages }, this.facts);
  }

  private raise(alert: SafetyAlert, categoryCertain: boolean, decidedBy: "rule" | "classifier" | "model"): void {
    const { reply } = this;
    if (rank(alert) <= rank(reply.alert)) {
      return;
    }
    const worded = wordedAlert(alert, categoryCertain, this.facts);
    const { level, category = null } = worded;
    const { language } = this.screening;
    const isShown = (this.screening.finding?.evidence.length ?? 0) > 0 && !MIND.includes(alert.category);
    const advice = this.adviceFor(alert, worded.category !== undefined || isShown);
    const text = openingText(worded, advice, language, this.helpLines);
    reply.alert = alert;
    reply.startAgain();
    const evidence = decidedBy === "model" ? [] : (this.screening.finding?.evidence ?? []);
    reply.find({ level, category, certainty: "certain", decidedBy, evidence });
    reply.add({ kind: "alert", text, level, category });
    countWithoutRequestId("SafetyAlerts", 1, { level, by: decidedBy === "model" ? "model" : "screen" });
  }
}
