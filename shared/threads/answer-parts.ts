import type { Category } from "../../packages/safety/alerts.ts";
import type { Findings, Safety } from "../../packages/safety/findings.ts";

/** A passage of the clinic's own information that an answer cites. */
export interface Citation {
  /** That of its markers in the answer: 1 for `[1]`. */
  number: number;
  sourceId: string;
  title: string;
  url: string | null;
  /** The passage. */
  quote: string;
  /** The first part of the answer that cites it, from 0. */
  part: number;
}

/**
 * A part of an answer. `words` are the model's; all other texts are the service's own. An answer may have several parts
 * of a kind: an alert that interrupts the model's words is between two parts `words`.
 */
export type AnswerPart = { text: string } & (
  | { kind: "alert"; level: "crisis" | "emergency"; category: Category | null }
  | { kind: "words"; cites?: number[] | undefined }
  | { kind: "held"; by: string | null }
  | { kind: "caution"; basis: "allergy" | "interaction"; drug: string; because: string; said?: true | undefined }
  | { kind: "sources"; citations: Citation[] }
  | { kind: "neutral" | "safety-net" | "offer" | "unanswered" | "cut" | "unchecked" | "handoff" | "disclosure" }
);

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

/** What most messages have; it is not stored. */
export const NOTHING_FOUND: Findings = {
  level: "none",
  category: null,
  certainty: null,
  decidedBy: null,
  evidence: [],
};

/** Returns what callers are told about the findings in a message: with the cautions in the answer to it. */
export function safetyOf(findings: Findings, parts: readonly AnswerPart[]): Safety {
  return {
    ...findings,
    cautions: ofKind("caution", parts).map(({ basis, drug, because, said }) => ({
      kind: basis,
      drug,
      because,
      said,
    })),
  };
}

/** Returns findings for those who have not asked for their evidence: they know two certainties. */
export function withoutEvidence<Found extends Findings>(findings: Found) {
  const { certainty } = findings;
  return { ...findings, certainty: certainty === "likely" ? ("suspected" as const) : certainty, evidence: undefined };
}
