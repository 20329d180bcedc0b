import type { Target } from "./target.ts";

/** One row of the report. */
export interface Rule {
  /** What is sent, and what must come. */
  name: string;
  /**
   * Plays the rule.
   *
   * @throws Deviation when something else came; NotPlayed when what it needs did not come before
   */
  play: (target: Target) => Promise<void>;
  /** Set where it leaves a patient or a thread behind that rules of other operations need. */
  setup?: true;
}

/** How a rule ended. */
export interface Row {
  group: string;
  rule: string;
  outcome: "ok" | "broken" | "not played";
  /** What was expected and what came, when it is not ok. Never contents: these may be a patient's. */
  faults: string[];
}
