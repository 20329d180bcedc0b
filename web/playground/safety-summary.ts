import type { Safety, ThreadMessage } from "../../packages/client/client.js";

/** Of an answer that has just been given, or of a stored one, which has no evidence. */
type Findings = Pick<Safety, "evidence"> & (Safety | NonNullable<ThreadMessage["safety"]>);

/** What the safety layer found, in a few words, and how serious it is. */
export interface SafetySummary {
  text: string;
  tone: "clear" | "watch" | "serious";
}

const DECIDED_BY = { rule: "a rule", classifier: "the classifier", model: "the model" };

/** Sums up `safety` of a response, of a stream's event, or of a stored answer. */
export function safetySummary(safety: Findings): SafetySummary {
  const { level, category, certainty, decidedBy, cautions, evidence = [] } = safety;
  const by = decidedBy ? `, decided by ${DECIDED_BY[decidedBy]}` : "";
  const quoted = evidence.length > 0 ? ` (${evidence.map((phrase) => `“${phrase}”`).join(", ")})` : "";
  const parts = [
    ...(level === "none" ? [] : [`${level}${category ? ` (${category})` : ""}, ${certainty}${by}${quoted}`]),
    ...cautions.map(({ kind, drug, because }) => `caution: ${drug} (${kind}: ${because})`),
  ];
  if (parts.length === 0) {
    return { text: `Safety check: nothing found${by}`, tone: "clear" };
  }
  const tone = certainty === "certain" && level !== "none" ? "serious" : "watch";
  return { text: `Safety check: ${parts.join("; ")}`, tone };
}
