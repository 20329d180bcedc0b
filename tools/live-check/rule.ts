import type * as z from "zod";
import { UNAUTHORIZED } from "./bodies.ts";
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
 * @param rules what each rule does, by what is sent and expected; a request without a key is added
 * @param unauthorized the response to that
 */
export function rulesOf(
  operation: string,
  rules: Record<string, Rule["play"]>,
  unauthorized: z.ZodType = UNAUTHORIZED,
): Rule[] {
  const withoutKey: Rule["play"] = (target) =>
    target.expect(operation.replaceAll(/\{\w+\}/g, "00000"), 401, unauthorized, { headers: { "x-api-key": null } });
  return Object.entries({ "without a key: 401": withoutKey, ...rules }).map(([name, play]) => ({
    operation,
    name: `${operation} ${name}`,
    play,
  }));
}
