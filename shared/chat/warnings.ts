import type { ReadLevel } from "../model/level-words.ts";
import { countWithoutRequestId } from "../observability/metrics.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import { alertOf, type Category, MIND, rank, type SafetyAlert } from "../safety/alert.ts";
import { firstAidFor } from "../safety/first-aid.ts";
import { ABUSE, neutralText, offerText, openingText, safetyNetText, type WordedAlert } from "../safety/fixed-texts.ts";
import type { Screening } from "../safety/screening.ts";
import { mayBePoisoning, specialAdvice } from "../safety/special-advice.ts";
import { isModelCategoryCertain, wordedAlert } from "../safety/wording.ts";
import { textOf } from "../threads/answer-parts.ts";
import type { AnswerPart } from "../threads/thread-responses.ts";
import { NOTHING_FOUND, type Reply } from "./reply.ts";

/** Writes what a reply says about danger: an alert as soon as one is certain, or whom to call if nobody could judge. */
export class Warnings {
  private readonly reply: Reply;
  private readonly screening: Screening;
  private readonly facts: Facts;
  private readonly said: string[];

  /** @param said the user's last messages, the new one at the end */
  constructor(reply: Reply, screening: Screening, facts: Facts, said: string[]) {
    this.reply = reply;
    this.screening = screening;
    this.facts = facts;
    this.said = said;
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
      this.reply.add({ kind: "safety-net", text: safetyNetText(finding.alert, language) });
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
    const suspected = finding?.alert.category;
    const category = suspected !== "poisoning" && this.found().includes(ABUSE) ? ABUSE : suspected;
    return { kind: "neutral", text: neutralText(language, category) };
  }

  private found(): string[] {
    return this.screening.language === "en" ? firstAidFor(...this.said) : [];
  }

  private offer(): AnswerPart[] {
    return this.reply.alert?.level === "crisis" ? [{ kind: "offer", text: offerText(this.screening.language) }] : [];
  }

  /** The first aid that the messages show the need of, and whether the emergency may be a suicide attempt. */
  private firstAid(alert: SafetyAlert, named: Category | null): Pick<WordedAlert, "firstAid" | "mayBeMeant"> {
    const all = this.said.join("\n");
    const found = this.found();
    const isScald = found.some((name) => name === "burn" || name === "electric"); // rather than something swallowed
    const special = isScald ? undefined : specialAdvice(alert, all);
    const isPoisoning = special === undefined && named === null && !isScald && mayBePoisoning(alert, all);
    const { finding } = this.screening;
    const shown = finding && finding.evidence.length > 0 && !MIND.includes(alert.category) ? [alert.category] : [];
    const isPregnant = wordedAlert(alertOf("pregnancy"), true, this.facts).category !== undefined;
    return {
      firstAid: [
        ...(special ? [special] : []),
        ...(isPoisoning ? ["poisoning"] : []),
        ...(alert.category === ABUSE ? [ABUSE] : []),
        ...[...found, ...shown].filter((name) => isPregnant || (name !== "pregnancy" && name !== "cord")),
      ],
      mayBeMeant: isPoisoning || (named === null && MIND.includes(alert.category)),
    };
  }

  private raise(alert: SafetyAlert, categoryCertain: boolean, decidedBy: "rule" | "classifier" | "model"): void {
    const { reply } = this;
    if (rank(alert) <= rank(reply.alert)) {
      return;
    }
    const worded = wordedAlert(alert, categoryCertain, this.facts);
    const { level, category = null } = worded;
    const { language } = this.screening;
    const text = openingText({ ...worded, ...this.firstAid(alert, category) }, language);
    reply.alert = alert;
    reply.startAgain();
    const evidence = decidedBy === "model" ? [] : (this.screening.finding?.evidence ?? []);
    reply.find({ level, category, certainty: "certain", decidedBy, evidence });
    reply.add({ kind: "alert", text, level, category });
    countWithoutRequestId("SafetyAlerts", 1, { level, by: decidedBy === "model" ? "model" : "screen" });
  }
}
