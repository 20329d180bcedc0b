import type { Language, SafetyAlert } from "../../packages/safety/alerts.ts";
import { handoffText } from "../../packages/safety/fixed-texts.ts";
import type { Clinic } from "../clinic.ts";
import { closedText, contactText } from "../disclosure/disclosure.ts";
import { hasWebhookFor } from "../events/webhook-repository.ts";
import type { HandoffSignal } from "../model/level-words.ts";
import { openingNow } from "../opening-hours.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { AnswerPart } from "../threads/answer-parts.ts";
import type { HandoffReason } from "../threads/handoff-reason.ts";
import { isOverdue, type Thread } from "../threads/thread.ts";
import type { HandoffChange } from "../threads/turn-repository.ts";

/** What a reply means for a person in the conversation. */
export interface Handoff {
  /** Why a person is needed; undefined if none is. */
  reason: HandoffReason | undefined;
  /** What the user is told about it. */
  parts: AnswerPart[];
  change: HandoffChange;
}

/** Why a person may be needed. */
export interface Need {
  /** The alert of the reply. */
  alert: SafetyAlert | undefined;
  signal: HandoffSignal | undefined;
}

/** What a reply changes that neither requests a person nor ends a request. */
export const NO_CHANGE: HandoffChange = { closes: false, opens: undefined };

/** Returns why a person is needed: because of an alert rather than of what the user or the model asks for. */
export function reasonOf({ alert, signal }: Need): HandoffReason | undefined {
  return alert?.level ?? signal;
}

/**
 * Decides whether a reply requests a person, and what the user is told about it. It never promises that somebody will
 * come: only that somebody is being told, if a webhook receives the event. An alert's fixed text, which says whom to
 * call, is not followed by anything that could make people wait for somebody else.
 *
 * Outside the clinic's hours, it says when the clinic opens.
 *
 * @param thread as it was read; undefined without one, and then nobody can take over
 */
export async function planHandoff(
  { caller: { tenant } }: CallerContext,
  clinic: Clinic,
  thread: Thread | undefined,
  need: Need,
  language: Language,
): Promise<Handoff> {
  const now = Date.now();
  const closes = thread !== undefined && isOverdue(thread, now);
  const asks = need.alert === undefined && need.signal !== undefined;
  // If the webhooks cannot be read, nothing is promised.
  const isTold = asks && thread !== undefined && (await hasWebhookFor(tenant, "handoff.requested").catch(() => false));
  const reason = reasonOf(need);
  const isNew = thread?.answerBy === undefined || closes || (isTold && !thread.promised);
  const answerBy = now + clinic.handoffMinutes * 60_000;
  const opening = openingNow(clinic.hours);
  const opens = reason && isNew ? { reason, answerBy, promised: isTold, opening } : undefined;
  const contact = contactText(clinic, language);
  const closed = closedText(clinic, language);
  const { helpLines } = clinic;
  const texts =
    closes && thread.promised
      ? [handoffText("unanswered", language, helpLines), closed, contact]
      : isTold
        ? [handoffText("told", language, helpLines), closed, contact]
        : asks
          ? [closed, contact ?? handoffText("impossible", language, helpLines)]
          : [];
  const text = texts.filter((part) => part !== undefined).join(" ");
  return { reason, parts: text === "" ? [] : [{ kind: "handoff", text }], change: { closes, opens } };
}
