import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { currentRequest } from "../request/request-context.ts";

/** The requirement for a phone number, as the end of a sentence. */
export const PHONE_RULE =
  "must have 10 digits, or 11 with the country code; with a plus and another country code than 1, 8 to 15";

/** The requirement of the caller's clinic, which is in a country of its own if its profile says so. */
export function phoneRule(): string {
  const country = otherCountry();
  return country === undefined
    ? PHONE_RULE
    : `must be a phone number of ${country}, or one with a plus and its country code`;
}

/** The countries whose numbers have the country code 1, which the specification's rule is about. */
const NORTH_AMERICA = ["US", "CA"];

/** The country of the caller's clinic, if it is another one; found here, because schemas cannot pass it on. */
function otherCountry(): CountryCode | undefined {
  const country = currentRequest()?.clinic?.country ?? "US";
  return NORTH_AMERICA.includes(country) ? undefined : (country as CountryCode);
}

/**
 * Normalizes a phone number to the format in which it is stored and compared: the digits of its international form. A
 * national number is one of the clinic's country.
 *
 * @param input a phone number in any format
 * @returns 8 to 15 digits; undefined if it is valid in no reading
 */
export function normalizePhone(input: string): string | undefined {
  const country = otherCountry();
  return country === undefined ? asSpecified(input) : inCountry(input, country);
}

/**
 * Returns how a number was stored when its clinic had no profile, and a national number of another country was read as
 * the specification says: "020 7946 0958" as 02079460958. That is found again without a migration, unless it could be
 * somebody's number with the country code 1.
 *
 * @param number normalized
 * @returns undefined if it was stored in the same way
 */
export function storedBefore(number: string): string | undefined {
  const national = otherCountry() && parsePhoneNumberFromString(`+${number}`)?.formatNational();
  const before = national && asSpecified(national);
  const isAmbiguous = parsePhoneNumberFromString(`+${before}`)?.isPossible() === true;
  return before === number || isAmbiguous ? undefined : before;
}

/**
 * Reads a number as one of a country or, without a plus, as an international one: what Google's metadata calls valid
 * goes before what is only possible, such as the numbers for films, 07700 900123.
 */
function inCountry(input: string, country: CountryCode): string | undefined {
  const text = withoutExtension(inAscii(input));
  const readings = [parsePhoneNumberFromString(text, country), parsePhoneNumberFromString(`+${digitsIn(text)}`)];
  const chosen = readings.find((reading) => reading?.isValid()) ?? readings.find((reading) => reading?.isPossible());
  return chosen?.number.slice(1);
}

/**
 * Normalizes as the specification says: non-digits are removed, and a 10-digit number gets the country code 1
 * (specification, POST /patients, rule 1).
 *
 * The exception is a number with a plus and another country's code. It stays as it is, because by the letter of the rule
 * ten digits after a plus would become the number of somebody else. ITU-T E.164 allows up to 15 digits; country code and
 * number have at least 8 nearly everywhere. No country code begins with 0.
 *
 * Digits of any script count. An extension, which is dialed after the number, is not part of it.
 *
 * @param input a phone number in any format
 * @returns 11 digits, or the 8 to 15 of another country's number; undefined when the input is neither
 */
function asSpecified(input: string): string | undefined {
  const text = withoutExtension(inAscii(input));
  const digits = digitsIn(text);
  const first = text.search(/[0-9]/);
  if (text.slice(0, first).includes("+") && /[2-9]/.test(text.charAt(first))) {
    return digits.length >= 8 && digits.length <= 15 ? digits : undefined;
  }
  const beforePause = digitsIn(text.replace(PAUSE, ""));
  const national = beforePause.length >= 10 ? beforePause : digits;
  const full = national.length === 10 ? `1${national}` : national;
  return full.length === 11 ? full : undefined;
}

function digitsIn(text: string): string {
  return text.replace(/[^0-9]/g, "");
}

/** The distance between the full-width and the ASCII forms of the same characters. */
const FULL_WIDTH = 0xfee0;

/** Replaces the digits of other scripts, and full-width forms such as ＋ and ｘ, by those of ASCII. */
function inAscii(input: string): string {
  return input
    .replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH))
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

const DIGIT = /^\p{Nd}$/u;

/** A script's digits are ten consecutive code points, from zero on (Unicode Standard, section 4.6). */
function digitValue(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let first = codePoint;
  while (DIGIT.test(String.fromCodePoint(first - 1))) {
    first--;
  }
  return (codePoint - first) % 10;
}

/** The fewest digits of a number that somebody dials before an extension. */
const FEWEST_DIGITS = 7;

/** What begins an extension: RFC 3966's `;ext=`, words and abbreviations, x, #, or two marks of a pause in dialing. */
const MARK = String.raw`(?<!\p{L})(?:e?xt(?:ensi[oó]n)?n?|poste|anexo|ramal|interno|int|durchwahl|dw|доб|x|×|~)|#|内线|內線|分机|分機|转|轉|내선|,,|;`;
const EXTENSION = new RegExp(`(?:${MARK})[\\s.:=]*[0-9](?:[\\s-]?[0-9]){0,6}[^0-9]*$`, "iu");

/** A pause in dialing, of which commas also separate groups of digits, so that a whole number must come before it. */
const PAUSE = /[,pw]\s*[0-9]{1,7}[^0-9]*$/i;

function withoutExtension(text: string): string {
  const number = text.replace(EXTENSION, "");
  return digitsIn(number).length >= FEWEST_DIGITS ? number : text;
}
