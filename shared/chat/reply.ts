import type { SafetyAlert } from "../../packages/safety/alerts.ts";
import type { Findings, Safety } from "../../packages/safety/findings.ts";
import { type AnswerPart, BETWEEN, NOTHING_FOUND, safetyOf } from "../threads/answer-parts.ts";
import type { HandoffReason } from "../threads/handoff-reason.ts";

/** Receives a reply as it is written. Parts are numbered from 0. */
export interface ReplyListener {
  /** Receives a new part, with its text or the beginning of it. */
  onPart(number: number, part: AnswerPart): void;
  /** Receives more text of the part. */
  onText(number: number, text: string): void;
  /** Receives the findings before the text that depends on them, and again when they change. */
  onSafety?(safety: Safety): void;
  /** Receives why a person is needed, if one is, after the last text. */
  onHandoff?(handoff: { reason: HandoffReason }): void;
}

/** Returns a listener that receives a reply as one text, piece by piece. */
export function textListener(onText: (text: string) => void): ReplyListener {
  return {
    onPart: (number, { text }) => onText(number === 0 ? text : BETWEEN + text),
    onText: (_, text) => onText(text),
  };
}

/** A reply that is being written: its parts so far, and what was found in the message. */
export class Reply {
  private readonly listener: ReplyListener | undefined;
  private written: readonly AnswerPart[] = [];
  private found = NOTHING_FOUND;
  private announced = false;
  /** The highest certain alert. */
  alert: SafetyAlert | undefined;

  /** @param listener undefined for a reply that is read only when it is complete */
  constructor(listener: ReplyListener | undefined) {
    this.listener = listener;
  }

  get streams(): boolean {
    return this.listener !== undefined;
  }

  /** Whether somebody in danger reads the alert only when the whole response has arrived. */
  get delaysAlert(): boolean {
    return this.alert !== undefined && !this.streams;
  }

  get parts(): readonly AnswerPart[] {
    return this.written;
  }

  get findings(): Findings {
    return this.found;
  }

  /** Returns the parts that the user reads: in a stream those that were sent, otherwise the stored ones. */
  asRead(stored: readonly AnswerPart[]): readonly AnswerPart[] {
    return this.streams ? this.written : stored;
  }

  /** Notes what was found, before a part that depends on it. */
  find(findings: Findings): void {
    this.found = findings;
    this.announce(safetyOf(findings, []));
  }

  /** Announces the cautions among parts that are about to be added. */
  announceCautions(parts: readonly AnswerPart[]): void {
    const safety = safetyOf(this.found, parts);
    if (safety.cautions.length > 0) {
      this.announce(safety);
    }
  }

  add(part: AnswerPart): void {
    if (!this.announced) {
      this.announce(safetyOf(NOTHING_FOUND, [])); // no earlier: until then, a failure can still be a plain response
    }
    this.written = [...this.written, part];
    this.listener?.onPart(this.written.length - 1, part);
  }

  /**
   * Continues the model's words, or begins them. White space does not begin them.
   *
   * @param before returns the parts that lead over to the words
   */
  speak(next: string, before: () => AnswerPart[]): void {
    const last = this.written.at(-1);
    if (last?.kind === "words") {
      this.written = this.written.with(-1, { ...last, text: last.text + next });
      this.listener?.onText(this.written.length - 1, next);
      return;
    }
    const text = next.trimStart();
    if (text !== "") {
      for (const part of [...before(), { kind: "words" as const, text }]) {
        this.add(part);
      }
    }
  }

  /** Removes what nobody has read, for something more urgent. What was sent cannot be taken back. */
  startAgain(): void {
    if (!this.streams) {
      this.written = [];
    }
  }

  private announce(safety: Safety): void {
    this.announced = true;
    this.listener?.onSafety?.(safety);
  }
}

/** Sends a stored reply again, in the order in which it was first written. */
export function replay(parts: readonly AnswerPart[], findings: Findings, listener: ReplyListener): void {
  const reply = new Reply(listener);
  if (!parts.some(({ kind }) => kind === "alert")) {
    reply.find(findings);
  }
  const firstCaution = parts.find(({ kind }) => kind === "caution");
  for (const part of parts) {
    if (part.kind === "alert") {
      reply.find({ ...findings, level: part.level, category: part.category });
    } else if (part === firstCaution) {
      reply.announceCautions(parts);
    }
    reply.add(part);
  }
}
