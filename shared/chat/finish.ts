import { answerDisclosure } from "../disclosure/disclosure.ts";
import { asksForPerson } from "../handoff/person-requests.ts";
import type { CallerContext } from "../request/request-context.ts";
import { because, type Caution, findCautions } from "../safety/cautions.ts";
import type { Findings } from "../safety/findings.ts";
import { cautionText, cutText, heldText, unansweredText } from "../safety/fixed-texts.ts";
import type { Language } from "../safety/screening.ts";
import { ofKind, textOf } from "../threads/answer-parts.ts";
import type { Exchange } from "../threads/thread.ts";
import type { AnswerPart } from "../threads/thread-responses.ts";
import type { Answer } from "./ask.ts";
import type { ChatRequest } from "./chat-request.ts";
import { citationsOf, sourcesPart } from "./clinic-sources.ts";
import type { Outcome } from "./commit.ts";
import { planHandoff } from "./handoff.ts";
import { INSTRUCTIONS_VERSION } from "./instructions.ts";
import type { Ready } from "./load.ts";
import type { Draft } from "./screen-and-ask.ts";
import type { Warnings } from "./warnings.ts";

/**
 * Finishes the reply: what replaces an answer that the model did not give, cautions about drugs that the patient's
 * record contraindicates, what is said about reaching a person, and the disclosure.
 */
export async function finish(
  context: CallerContext,
  request: ChatRequest,
  loaded: Ready,
  draft: Draft,
): Promise<Outcome> {
  const { reply, screening, answer, facts, told } = draft;
  const { language } = screening;
  const signal = asksForPerson(request.message) ? "asked" : answer.kind === "answered" ? answer.signal : undefined;
  const handoff =
    answer.kind === "held"
      ? undefined
      : await planHandoff(context, loaded.conversation?.thread, { alert: reply.alert, signal }, language);
  const words = textOf(ofKind("words", told));
  const cited = sourcesPart(told, draft.passages, language);
  const quotes = citationsOf(cited).map(({ quote }) => quote);
  const cautions = findCautions(facts, draft.asked, [words, ...quotes].join("\n\n")).map((caution) =>
    cautionPart(caution, language),
  );
  const ending = [
    ...replacement(answer, told, reply.findings, draft.warnings, language),
    ...cautions,
    ...(handoff?.parts ?? []),
    ...(answer.kind === "held" ? [] : disclosurePart(language)),
    ...cited,
  ];
  return { turn: { ...end(request, draft, told, ending, answer), handoff: handoff?.reason }, handoff };
}

/**
 * Finishes the reply again, without the model's words, because a person has taken over before it was stored. In a
 * stream, they cannot be taken back.
 *
 * @param by the person's name; undefined if the thread was given back in the meantime
 */
export function finishOnceHeld(request: ChatRequest, draft: Draft, by: string | null | undefined): Outcome {
  const { reply, screening, facts } = draft;
  const { language } = screening;
  const answer: Answer =
    by === undefined ? { kind: "unanswered", model: null, failure: undefined } : { kind: "held", model: null, by };
  const told = draft.told.filter(({ kind }) => WHOM_TO_CALL.includes(kind));
  const ending = [
    ...replacement(answer, told, reply.findings, draft.warnings, language),
    ...findCautions(facts, draft.asked, "").map((caution) => cautionPart(caution, language)),
    ...(by === undefined ? disclosurePart(language) : []),
  ];
  return { turn: { ...end(request, draft, told, ending, answer), held: true }, handoff: undefined };
}

/** The parts that say whom to call. */
const WHOM_TO_CALL: readonly AnswerPart["kind"][] = ["alert", "neutral", "safety-net"];

/** Writes the end of a reply, and returns the turn. */
function end(
  { message }: ChatRequest,
  { reply, screening: { language } }: Draft,
  told: readonly AnswerPart[],
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
    parts: [...told, ...ending],
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
 * @param parts what the user has been told
 */
function replacement(
  answer: Answer,
  parts: readonly AnswerPart[],
  { certainty }: Findings,
  warnings: Warnings,
  language: Language,
): AnswerPart[] {
  const has = (kind: AnswerPart["kind"]) => parts.some((part) => part.kind === kind);
  const whomToCall = WHOM_TO_CALL.some(has) ? [] : [warnings.neutral()];
  switch (answer.kind) {
    case "answered":
      return [];
    case "held": {
      const { by } = answer;
      return [...(certainty === "suspected" ? whomToCall : []), { kind: "held", by, text: heldText(by, language) }];
    }
    case "unanswered":
      if (has("words")) {
        return [...whomToCall, { kind: "cut", text: cutText(language) }];
      }
      return has("alert") ? [] : [...whomToCall, { kind: "unanswered", text: unansweredText(language) }];
  }
}

/** Returns the part about a drug that may be dangerous for the patient. */
function cautionPart(caution: Caution, language: Language): AnswerPart {
  return {
    kind: "caution",
    text: cautionText(caution, language),
    basis: caution.kind === "allergy" ? "allergy" : "interaction", // of a drug and a condition, too: callers know two
    drug: caution.drug,
    because: because(caution),
  };
}

/** Returns the disclosure below an answer, if the deployment has one. */
function disclosurePart(language: Language): AnswerPart[] {
  const text = answerDisclosure(language);
  return text === undefined ? [] : [{ kind: "disclosure", text }];
}
