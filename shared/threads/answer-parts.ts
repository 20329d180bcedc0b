import type { Findings, Safety } from "../safety/findings.ts";
import type { AnswerPart } from "./thread-responses.ts";

/** What separates the parts of an answer where it is one text. */
export const BETWEEN = "\n\n";

/** Returns an answer as one text: `response` in a chat, `content` in a list of messages. */
export function textOf(parts: readonly AnswerPart[]): string {
  return parts.map(({ text }) => text).join(BETWEEN);
}

/** Returns the parts of one kind, in their order. */
export function ofKind<Kind extends AnswerPart["kind"]>(kind: Kind, parts: readonly AnswerPart[]) {
  return parts.filter((part): part is Extract<AnswerPart, { kind: Kind }> => part.kind === kind);
}

/** Returns what callers are told about the findings in a message: with the cautions in the answer to it. */
export function safetyOf(findings: Findings, parts: readonly AnswerPart[]): Safety {
  return {
    ...findings,
    cautions: ofKind("caution", parts).map(({ basis, drug, because }) => ({ kind: basis, drug, because })),
  };
}

/** Returns findings for those who have not asked for their evidence: they know two certainties. */
export function withoutEvidence<Found extends Findings>(findings: Found) {
  const { certainty } = findings;
  return { ...findings, certainty: certainty === "likely" ? ("suspected" as const) : certainty, evidence: undefined };
}
