/** The requirement for a phone number, as the end of a sentence. */
export const PHONE_RULE = "must have 10 digits, or 11 with the country code";

/**
 * Normalizes a phone number to the format in which it is stored and compared: non-digits are removed, and a 10-digit
 * number gets the country code 1 (specification, POST /patients, rule 1).
 *
 * @param input a phone number in any format
 * @returns 11 digits; undefined when the input does not have 10 or 11 digits
 */
export function normalizePhone(input: string): string | undefined {
  const digits = input.replace(/[^0-9]/g, "");
  const full = digits.length === 10 ? `1${digits}` : digits;
  return full.length === 11 ? full : undefined;
}
