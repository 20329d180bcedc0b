import type { Target } from "./target.ts";

/** One rule of the contract. */
export interface Rule {
  /** The operation whose function is exercised, such as `GET /threads/{id}`; "" for what is not a function's own. */
  operation: string;
  /** The request and the expected response. */
  name: string;
  /**
   * Sends the requests.
   *
   * @throws Deviation when a response deviates
   */
  play: (target: Target) => Promise<unknown>;
}

/**
 * The rules of one operation.
 *
 * @param rules what each rule does, by what is sent and expected
 */
export function rulesOf(operation: string, rules: Record<string, Rule["play"]>): Rule[] {
  return Object.entries(rules).map(([name, play]) => ({ operation, name: `${operation} ${name}`, play }));
}
