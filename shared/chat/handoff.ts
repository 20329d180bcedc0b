import { config } from "../config.ts";
import { contactText } from "../disclosure/disclosure.ts";
import { hasWebhookFor } from "../events/webhook-repository.ts";
import type { HandoffSignal } from "../model/level-words.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { SafetyAlert } from "../safety/alert.ts";
import { handoffText } from "../safety/fixed-texts.ts";
import type { Language } from "../safety/screening.ts";
import type { HandoffReason } from "../threads/handoff-reason.ts";
import { isOverdue, type Thread } from "../threads/thread.ts";
import type { AnswerPart } from "../threads/thread-responses.ts";
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

/**
 * Decides whether a reply requests a person, and what the user is told about it. It never promises that somebody will
 * come: only that somebody is being told, if a webhook receives the event. An alert's fixed text, which says whom to
 * call, is not followed by anything that could make people wait for somebody else.
 *
 * @param thread as it was read; undefined without one, and then nobody can take over
 */
export async function planHandoff(
  { caller: { tenant } }: CallerContext,
  thread: Thread | undefined,
  { alert, signal }: Need,
  language: Language,
): Promise<Handoff> {
  const now = Date.now();
  const closes = thread !== undefined && isOverdue(thread, now);
  const asks = alert === undefined && signal !== undefined;
  // If the webhooks cannot be read, nothing is promised.
  const isTold = asks && thread !== undefined && (await hasWebhookFor(tenant, "handoff.requested").catch(() => false));
  const reason = alert?.level ?? signal;
  const isNew = thread?.answerBy === undefined || closes || (isTold && !thread.promised);
  const answerBy = now + config.handoffMinutes * 60_000;
  const opens = reason && isNew ? { reason, answerBy, promised: isTold } : undefined;
  const contact = contactText(language);
  const texts =
    closes && thread.promised
      ? [handoffText("unanswered", language), contact]
      : isTold
        ? [handoffText("told", language), contact]
        : asks
          ? [contact ?? handoffText("impossible", language)]
          : [];
  const text = texts.filter((part) => part !== undefined).join(" ");
  return { reason, parts: text === "" ? [] : [{ kind: "handoff", text }], change: { closes, opens } };
}
