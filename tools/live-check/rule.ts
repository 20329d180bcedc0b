import type * as z from "zod";
import type { Reply, Target } from "./target.ts";

/** One rule of the contract. */
export interface Rule {
  /** The request and the expected response. */
  name: string;
  /**
   * Runs the rule.
   *
   * @throws Deviation when the response deviates; NotPlayed when it needs what is not there
   */
  play: (target: Target) => Promise<void>;
}

/** The result of a rule: one row of the report. */
export interface Row {
  group: string;
  rule: string;
  outcome: "ok" | "failed" | "skipped";
  /** Expected and actual results, if it is not ok. They reveal no contents, which may be a patient's. */
  faults: string[];
}

/** A rule about the response to one request, named after the request and the expected status. */
export function exchange(
  request: string,
  status: number,
  body: z.ZodType,
  send: (target: Target) => Promise<Reply>,
): Rule {
  return {
    name: `${request}: ${status}`,
    play: async (target) => target.hold(await send(target), status, body),
  };
}
