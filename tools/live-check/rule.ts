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
}

/** How a rule ended. */
export interface Row {
  group: string;
  rule: string;
  outcome: "ok" | "broken" | "not played";
  /** What was expected and what came, when it is not ok. Never contents: these may be a patient's. */
  faults: string[];
}

/** Something else came than the contract says. */
export class Deviation extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}

/** A rule needs what an earlier one did not bring. */
export class NotPlayed extends Error {}

/** @throws NotPlayed when an earlier rule did not bring this */
export function needed<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new NotPlayed("an earlier rule did not bring what this one needs");
  }
  return value;
}
