import { answerDisclosure } from "../disclosure/disclosure.ts";
import { countWithoutRequestId } from "../observability/metrics.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import { rank, type SafetyAlert } from "../safety/alert.ts";
import { because, type Caution } from "../safety/cautions.ts";
import type { Safety } from "../safety/findings.ts";
import {
  cautionText,
  cutText,
  heldText,
  neutralText,
  offerText,
  openingText,
  unansweredText,
} from "../safety/fixed-texts.ts";
import type { HandoffSignal, ReadLevel } from "../safety/level-words.ts";
import type { Language, Screening } from "../safety/screening.ts";
import { mayBePoisoning, specialAdvice } from "../safety/special-advice.ts";
import { isModelCategoryCertain, wordedAlert } from "../safety/wording.ts";
import { BETWEEN, type SafetyReport } from "../threads/message-safety.ts";

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
  /**
   * Its fixed text; without an alert, the neutral text if there is no verdict on a suspicion, or "". In a stream, it follows
   * the texts that were sent before.
   */
  text: string;
  /** The fixed text that has interrupted the model's words, and is among them. */
  late?: string;
  /** The findings, including a suspicion. */
  safety: Safety;
}

/** What the user has been told so far. */
export interface Told {
  warning: Warning;
  /**
   * What follows the warning: the model's words, after the offer to go on talking in a crisis; in a stream also the fixed
   * text of an alert that came too late.
   */
  words: string;
}

/** What the model contributed to a reply: nothing if a person, `by`, has taken over. `signal` is its request for a person. */
export type Answer = Told &
  (
    | { kind: "answered"; signal?: HandoffSignal | undefined }
    | { kind: "unanswered"; failure: unknown }
    | { kind: "held"; by: string | null }
  );

/** A complete reply. */
export interface Reply {
  text: string;
  /** Whether it consists of fixed texts because a person has taken over. */
  held: boolean;
  /** The alert that it begins with. */
  alert: SafetyAlert | undefined;
  report: SafetyReport;
  /** The length of what follows the answer: what is said about reaching a person, and the disclosure. */
  disclosureLength: number | undefined;
}

/**
 * Writes the reply of a chat: the fixed text of an alert if there is one, the model's answer or what replaces it, cautions,
 * what is said about reaching a person, and a disclosure if the deployment has one, in this order and separated by empty
 * lines. When streamed, each part is sent as soon as it is known. Without an alert, a neutral text precedes what replaces an
 * answer, and an answer to a message on which there is no verdict.
 */
export class ReplyWriter {
  private readonly listener: ReplyListener;
  private readonly screening: Screening;
  private readonly facts: Facts;
  private readonly said: string;
  private started = false;
  private announced = false;
  /** Whether an alert has interrupted the model's words. */
  private interrupted = false;
  private sentText = "";

  /** @param said the user's last messages and the new one */
  constructor(listener: ReplyListener, screening: Screening, facts: Facts, said: string) {
    this.listener = listener;
    this.screening = screening;
    this.facts = facts;
    this.said = said;
  }

  get streams(): boolean {
    return this.listener.onText !== undefined;
  }

  /** What was sent so far. */
  get sent(): string {
    return this.sentText;
  }

  get language(): Language {
    return this.screening.language;
  }

  /** Starts the reply with the fixed text of a certain finding. A suspicion is only announced. */
  begin(): Told {
    const none: Told = { warning: { alert: undefined, text: "", safety: NOTHING_FOUND }, words: "" };
    const { finding } = this.screening;
    if (!finding) {
      return none;
    }
    const { alert, certainty, decidedBy, categoryCertain } = finding;
    if (certainty === "certain") {
      return this.raise(none, alert, categoryCertain, decidedBy);
    }
    const { level, category = null } = wordedAlert(alert, true, this.facts);
    const safety = this.announce({ ...NOTHING_FOUND, level, category, certainty, decidedBy });
    return { ...none, warning: { ...none.warning, safety } };
  }

  /**
   * Passes on the model's verdict that someone is in danger. It can raise the level but never lower it.
   *
   * @param named whether the model named the category
   */
  raiseByModel(told: Told, alert: SafetyAlert, named: boolean): Told {
    return this.raise(told, alert, isModelCategoryCertain(alert, named, this.screening.finding), "model");
  }

  /** Passes on the model's verdict on a suspicion. Without one, the user is told whom to call. */
  decide(told: Told, verdict: ReadLevel | undefined): Told {
    if (verdict?.alert) {
      return this.raiseByModel(told, verdict.alert, verdict.named);
    }
    const { warning } = told;
    if (warning.alert) {
      return told;
    }
    if (verdict) {
      return { ...told, warning: { ...warning, safety: this.announce({ ...NOTHING_FOUND, decidedBy: "model" }) } };
    }
    const text = this.neutral();
    this.say(text);
    return { ...told, warning: { ...warning, text } };
  }

  /** What the user reads above the model's words. */
  above({ warning }: Told): string {
    return joined(warning.text, this.offer(warning));
  }

  /** Sends the model's next words, or all of them. */
  speak({ warning, words }: Told, next: string): Told {
    if (words !== "" && !this.interrupted) {
      this.emit(next);
      return { warning, words: words + next };
    }
    const start = next.trimStart();
    if (start === "") {
      return { warning, words };
    }
    this.interrupted = false;
    const parts = [this.offer(warning), start];
    this.say(...parts);
    return { warning, words: joined(words, ...parts) };
  }

  /**
   * Ends the reply with what replaces an answer of the model if there is none, cautions, what is said about reaching a
   * person, and the disclosure.
   *
   * @param handoff what is said about reaching a person; "" for nothing
   */
  end(answer: Answer, cautions: Caution[], handoff = ""): Reply {
    const { language } = this.screening;
    const { alert, text: opening } = answer.warning;
    let { safety } = answer.warning;
    const replacement = answer.kind === "answered" ? [] : this.replacement(answer);
    this.say(...replacement);
    if (cautions.length > 0) {
      safety = this.announce({ ...safety, cautions: cautions.map(reported) });
    }
    const ending = cautions.map((caution) => cautionText(caution, language));
    const trailer = [handoff, (answer.kind !== "held" && answerDisclosure(language)) || ""];
    this.say(...ending, ...trailer);
    const main = joined(opening, answer.words, ...replacement);
    const untilTrailer = joined(main, ...ending);
    const text = joined(untilTrailer, ...trailer);
    return {
      ...{ alert, text, held: answer.kind === "held" },
      report: { safety, ...alertIn(main, opening, answer.warning.late), to: main.length },
      disclosureLength: text.length - untilTrailer.length || undefined,
    };
  }

  /**
   * Ends a reply again, without the model's words, because a person has taken over before it was stored. In a stream, they
   * cannot be taken back.
   *
   * @param by the person's name; undefined if the thread was given back in the meantime
   * @param cautions about drugs in the message
   */
  endHeld({ warning }: Told, by: string | null | undefined, cautions: Caution[]): Reply {
    const told = { warning: { ...warning, text: joined(warning.text, warning.late) }, words: "" };
    const ended: Answer =
      by === undefined ? { kind: "unanswered", ...told, failure: undefined } : { kind: "held", ...told, by };
    return { ...this.end(ended, cautions), held: true };
  }

  /** The offer that leads over from the text of a crisis to the model's words. */
  private offer({ alert }: Warning): string {
    return alert?.level === "crisis" ? offerText(this.screening.language) : "";
  }

  /** Returns the texts in place of an answer, or of the rest of one: an alert's fixed text stands on its own. */
  private replacement(answer: Exclude<Answer, { kind: "answered" }>): string[] {
    const { warning, words } = answer;
    const { language } = this.screening;
    if (answer.kind === "held") {
      const undecided = warning.text === "" && warning.safety.certainty === "suspected";
      return [...(undecided ? [this.neutral()] : []), heldText(answer.by, language)];
    }
    const whomToCall = warning.text === "" ? [this.neutral()] : [];
    const missing = words !== "" ? cutText(language) : unansweredText(language);
    return warning.alert && words === "" ? [] : [...whomToCall, missing];
  }

  private neutral(): string {
    return neutralText(this.screening.language, this.screening.finding?.alert.category);
  }

  private raise(
    { warning, words }: Told,
    alert: SafetyAlert,
    categoryCertain: boolean,
    decidedBy: "rule" | "classifier" | "model",
  ): Told {
    if (rank(alert) <= rank(warning.alert)) {
      return { warning, words };
    }
    const worded = wordedAlert(alert, categoryCertain, this.facts);
    const { language } = this.screening;
    const advice = specialAdvice(alert, this.said);
    const opening = openingText({ ...worded, advice, mayBePoisoning: mayBePoisoning(alert, this.said) }, language);
    const { level, category = null } = worded;
    const safety = this.announce({ ...warning.safety, level, category, certainty: "certain", decidedBy });
    this.say(opening);
    countWithoutRequestId("SafetyAlerts", 1, { level, by: decidedBy === "model" ? "model" : "screen" });
    if (words !== "") {
      this.interrupted = true;
      return { warning: { ...warning, alert, safety, late: opening }, words: joined(words, opening) };
    }
    return { warning: { alert, text: this.streams ? joined(warning.text, opening) : opening, safety }, words };
  }

  private announce(safety: Safety): Safety {
    this.announced = true;
    this.listener.onSafety?.(safety);
    return safety;
  }

  /** Sends parts of the reply. */
  private say(...parts: string[]): void {
    for (const part of parts.filter(Boolean)) {
      this.emit(this.started ? BETWEEN + part : part);
    }
  }

  private emit(text: string): void {
    if (!this.announced) {
      this.announce(NOTHING_FOUND); // no earlier than the first text: until then, a failure can still be a plain response
    }
    this.started = true;
    this.sentText += text;
    this.listener.onText?.(text);
  }
}

/**
 * Sends a stored reply in the order in which it was first streamed: fixed text, the model's words, cautions; an alert that
 * came too late after the words that it interrupted.
 */
export function replay(text: string, report: SafetyReport | undefined, { onText, onSafety }: ReplyListener): void {
  const say = (part: string) => part !== "" && onText?.(part);
  if (!report) {
    say(text);
    return;
  }
  const { safety, alertAt = 0, from, to } = report;
  if (alertAt > 0) {
    onSafety?.(NOTHING_FOUND);
    say(text.slice(0, alertAt));
  }
  onSafety?.({ ...safety, cautions: [] });
  say(text.slice(alertAt, from));
  say(text.slice(from, to));
  if (safety.cautions.length > 0) {
    onSafety?.(safety);
  }
  say(text.slice(to));
}

/**
 * Returns where the fixed text of an alert is in a reply: at its beginning, or among the model's words if it came too late.
 *
 * @param late the text that came too late, which is a part of the reply unless the words were dropped
 */
function alertIn(reply: string, opening: string, late: string | undefined): Pick<SafetyReport, "alertAt" | "from"> {
  const interruption = `${BETWEEN}${late}`;
  const alertAt = reply.indexOf(interruption, opening.length);
  return late === undefined || alertAt === -1
    ? { from: opening.length }
    : { alertAt, from: alertAt + interruption.length };
}

function joined(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(BETWEEN);
}

function reported(caution: Caution): Safety["cautions"][number] {
  // A drug and a condition interact too; callers know two kinds.
  return {
    kind: caution.kind === "allergy" ? "allergy" : "interaction",
    drug: caution.drug,
    because: because(caution),
  };
}
