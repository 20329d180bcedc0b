import { randomInt } from "node:crypto";

/** The length of thread ids (specification, Limits). Schemas, the OpenAPI document and its examples use it. */
const DIGITS = 5;

export const THREAD_ID_PATTERN = new RegExp(`^\\d{${DIGITS}}$`);
export const THREAD_ID_DESCRIPTION = `${DIGITS} digits`;
export const THREAD_ID_EXAMPLE = "48213".padEnd(DIGITS, "0").slice(0, DIGITS);

/** Whether a string has the format of a thread id. */
export function isThreadId(id: string): boolean {
  return THREAD_ID_PATTERN.test(id);
}

/** Returns a random id without leading zeros, one of 90,000. */
export function randomThreadId(): string {
  return String(randomInt(10 ** (DIGITS - 1), 10 ** DIGITS));
}
