import type { Language } from "../../packages/safety/alerts.ts";
import { type Before, because, type Caution, findCautions, namesDrug } from "../../packages/safety/cautions.ts";
import type { Findings } from "../../packages/safety/findings.ts";
import {
  cautionText,
  cutText,
  heldText,
  stoppedText,
  unansweredText,
  uncheckedText,
} from "../../packages/safety/fixed-texts.ts";
import type { Clinic } from "../clinic.ts";
import { answerDisclosure } from "../disclosure/disclosure.ts";
import { asksForPerson } from "../handoff/person-requests.ts";
import { hasUnnamed } from "../patients/clinical-facts.ts";
import type { CallerContext } from "../request/request-context.ts";
import { type AnswerPart, ofKind, textOf } from "../threads/answer-parts.ts";
import type { Exchange, Turn } from "../threads/thread.ts";
import type { Answered } from "./answer-message.ts";
import type { Answer } from "./ask.ts";
import { besidesAlert, failedWith } from "./besides-alert.ts";
import { citationsOf, sourcesPart } from "./clinic-sources.ts";
import { type Handoff, NO_CHANGE, planHandoff, reasonOf } from "./handoff.ts";
import { INSTRUCTIONS_VERSION } from "./instructions.ts";
import type { Warnings } from "./warnings.ts";

/** What a chat has come to. */
export interface Finished {
  turn: Exchange;
  /** What the answer means for a request for a person; undefined if one has taken over. */
  handoff: Handoff | undefined;
  /** Whether the answer was cut because the turn was stopped. */
  stopped: boolean;
}

/**
 * Finishes the reply: what replaces an answer that the model did not give, cautions about drugs that the patient's
 * record contraindicates, what is said about reaching a person, and the disclosure.
 */
export async function finish(context: CallerContext, answered: Answered): Promise<Finished> {
  const { clinic, request, conversation, reply, screening, answer, written, passages, warnings } = answered;
  const { language } = screening;
  const asksPerson = besidesAlert("person-request", () => asksForPerson(request.message), false);
  const signal = asksPerson ? "asked" : answer.kind === "answered" ? answer.signal : undefined;
  const need = { alert: reply.alert, signal };
  const handoff =
    answer.kind === "held"
      ? undefined
      : await planHandoff(context, clinic, conversation?.thread, need, language).catch(
          failedWith("handoff", { reason: reasonOf(need), parts: [], change: NO_CHANGE }),
        );
  const words = textOf(ofKind("words", written));
  const cited = besidesAlert("citations", () => sourcesPart(written, passages, language), []);
  const quotes = citationsOf(cited).map(({ quote }) => quote);
  const ending = [
    ...replacement(answer, written, reply.findings, warnings, language, clinic),
    ...cautionParts(answered, [words, ...quotes].join("\n\n")),
    ...(handoff?.parts ?? []),
    ...(answer.kind === "held" ? [] : disclosurePart(clinic, language)),
    ...cited,
  ];
  const turn = { ...end(answered, written, ending, answer), handoff: handoff?.reason };
  return { turn, handoff, stopped: answer.kind === "stopped" };
}

/** Finishes the reply again, as a cut one, because it was stopped after the model's last words and before it was stored. */
export function finishOnceStopped({ reply, screening }: Answered, { turn, handoff }: Finished): Finished {
  const part: AnswerPart = { kind: "cut", text: stoppedText(screening.language) };
  reply.add(part);
  return { turn: { ...turn, parts: [...turn.parts, part] }, handoff, stopped: true };
}

/**
 * Finishes the reply again, without the model's words, because a person has taken over before it was stored. In a
 * stream, they cannot be taken back.
 *
 * @param by the person's name; undefined if the thread was given back in the meantime
 */
export function finishOnceHeld(answered: Answered, by: string | null | undefined): Finished {
  const { clinic, reply, screening, warnings } = answered;
  const { language } = screening;
  const answer: Answer =
    by === undefined ? { kind: "unanswered", model: null, failure: undefined } : { kind: "held", model: null, by };
  const written = answered.written.filter(({ kind }) => WHOM_TO_CALL.includes(kind));
  const ending = [
    ...replacement(answer, written, reply.findings, warnings, language, clinic),
    ...cautionParts(answered, ""),
    ...(by === undefined ? disclosurePart(clinic, language) : []),
  ];
  return { turn: { ...end(answered, written, ending, answer), held: true }, handoff: undefined, stopped: false };
}

/** The parts that say whom to call. */
const WHOM_TO_CALL: readonly AnswerPart["kind"][] = ["alert", "neutral", "safety-net"];

/** Writes the end of a reply, and returns the turn. */
function end(
  { request: { message }, reply, screening: { language } }: Answered,
  written: readonly AnswerPart[],
  ending: AnswerPart[],
  { kind, model }: Answer,
): Exchange {
  for (const part of ending) {
    if (part === ending.find((first) => first.kind === "caution")) {
      reply.announceCautions(ending);
    }
    reply.add(part);
  }
  return {
    question: message,
    parts: [...written, ...ending],
    origin: { model, instructions: INSTRUCTIONS_VERSION, language },
    held: kind === "held" || undefined,
    alert: reply.alert?.category,
    findings: reply.findings,
  };
}

/**
 * Returns what takes the place of the model's answer, or of the rest of it; nothing if it is complete. An alert stands
 * on its own.
 *
 * @param parts what the user has read
 */
function replacement(
  answer: Answer,
  parts: readonly AnswerPart[],
  { certainty }: Findings,
  warnings: Warnings,
  language: Language,
  { helpLines }: Clinic,
): AnswerPart[] {
  const has = (kind: AnswerPart["kind"]) => parts.some((part) => part.kind === kind);
  // Only where it is needed: choosing the first aid in it costs a seventh of a turn's CPU time.
  const whomToCall = () => (WHOM_TO_CALL.some(has) ? [] : [warnings.neutral()]);
  switch (answer.kind) {
    case "answered":
      return [];
    case "held": {
      const { by } = answer;
      return [
        ...(certainty === "suspected" ? whomToCall() : []),
        { kind: "held", by, text: heldText(by, language, helpLines) },
      ];
    }
    case "stopped":
      return [...(certainty === null ? [] : whomToCall()), { kind: "cut", text: stoppedText(language) }];
    case "unanswered":
      if (has("words")) {
        return [...whomToCall(), { kind: "cut", text: cutText(language) }];
      }
      return has("alert") ? [] : [...whomToCall(), { kind: "unanswered", text: unansweredText(language) }];
  }
}

/**
 * Returns the parts about drugs that may be dangerous for the patient. If they cannot be found, or the record has a
 * medicine or an allergy that is only a code, the user is written so, but not below an alert, which nothing must distract
 * from.
 */
function cautionParts(answered: Answered, answer: string): AnswerPart[] {
  const { request, conversation, questions, facts, reply, screening } = answered;
  const { language } = screening;
  const { message } = request;
  const before = { messages: [...questions, message], cautions: cautionsIn(conversation?.turns) };
  const cautions = besidesAlert("cautions", () => findCautions(facts, message, answer, before), undefined);
  const isUnchecked =
    cautions === undefined ||
    besidesAlert("cautions", () => hasUnnamed(facts) && namesDrug(message, answer, before), true);
  return [
    ...(cautions ?? []).map((caution) => cautionPart(caution, language)),
    ...(isUnchecked && !reply.alert ? [{ kind: "unchecked" as const, text: uncheckedText(language) }] : []),
  ];
}

/** Returns the cautions of each earlier turn. */
function cautionsIn(turns: readonly Turn[] = []): Before["cautions"] {
  return turns.map((turn) => (turn.author === undefined ? ofKind("caution", turn.parts) : []));
}

/** Returns the part about a drug that may be dangerous for the patient. */
function cautionPart(caution: Caution, language: Language): AnswerPart {
  return {
    kind: "caution",
    text: cautionText(caution, language),
    basis: caution.kind === "allergy" ? "allergy" : "interaction", // of a drug and a condition, too: callers know two
    drug: caution.drug,
    because: because(caution),
    ...(caution.said && { said: true }),
  };
}

/** Returns the disclosure below an answer, if the clinic wants one. */
function disclosurePart(clinic: Clinic, language: Language): AnswerPart[] {
  const text = besidesAlert("disclosure", () => answerDisclosure(clinic, language), undefined);
  return text === undefined ? [] : [{ kind: "disclosure", text }];
}
