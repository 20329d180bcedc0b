/**
 * Brings a phone number to the one form it is stored and compared in.
 *
 * Everything but digits is dropped, and a 10-digit number gets the country code 1
 * (specification, POST /patients, rule 1). What then has no 11 digits is no number we can store.
 *
 * @param input a phone number in any notation
 * @returns 11 digits, or undefined when the input cannot be brought to that form
 */
export function normalizePhone(input: string): string | undefined {
  const digits = input.replace(/[^0-9]/g, "");
  const full = digits.length === 10 ? `1${digits}` : digits;
  return full.length === 11 ? full : undefined;
}
