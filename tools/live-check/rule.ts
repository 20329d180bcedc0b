import type { Target } from "./target.ts";

/** One rule of the contract. */
export interface Rule {
  /** The request and the expected response. */
  name: string;
  /**
   * Runs the rule.
   *
   * @throws Deviation when the response deviates; NotPlayed when an earlier rule did not produce a value it needs
   */
  play: (target: Target) => Promise<void>;
  /** Set if rules of other operations depend on the patient or thread that this rule creates or deletes. */
  setup?: true;
}

/** The result of a rule: one row of the report. */
export interface Row {
  group: string;
  rule: string;
  outcome: "ok" | "failed" | "skipped";
  /** Expected and actual results, if it is not ok. They reveal no contents, which may be a patient's. */
  faults: string[];
}
