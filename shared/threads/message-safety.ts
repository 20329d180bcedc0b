import type { Safety } from "../safety/findings.ts";
import type { ThreadMessage } from "./thread-responses.ts";

/** The findings in a user's message, and where the texts about them are in the answer. */
export type SafetyReport = {
  safety: Safety;
  /** Where the alert's fixed text begins, if that interrupts the model's words; otherwise, it is the answer's beginning. */
  alertAt?: number | undefined;
  /** The start and end of the model's own words after the fixed texts; cautions follow them. */
  from: number;
  to: number;
};

/** What separates the parts of an answer. */
export const BETWEEN = "\n\n";

/**
 * Returns what was found in a turn's message as callers read it back, with the alert's and the cautions' own texts.
 *
 * @param turn `disclosureLength`: the length of what follows the cautions
 * @returns undefined if the turn has no report, because it is an opening question, or because an earlier version of the
 *   service stored it
 */
export function messageSafety({
  answer,
  disclosureLength = 0,
  replay,
}: {
  answer: string;
  disclosureLength?: number | undefined;
  replay?: SafetyReport | undefined;
}): ThreadMessage["safety"] {
  if (!replay) {
    return undefined;
  }
  const { safety, alertAt = 0, from, to } = replay;
  const alertText = safety.certainty === "certain" ? answer.slice(alertAt, from).trim() : "";
  const texts = answer
    .slice(to, answer.length - disclosureLength)
    .trim()
    .split(BETWEEN);
  return {
    ...safety,
    alertText: alertText || null,
    cautions: safety.cautions.map((caution, index) => ({ ...caution, text: texts[index] ?? "" })),
  };
}
