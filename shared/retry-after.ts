const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
const MONTH = "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The three formats of a date that a recipient has to accept (RFC 9110, section 5.6.7), of which the first one is sent. */
const DATES = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/**
 * Parses a `Retry-After` header: seconds, or a date (RFC 9110, section 10.2.3). Some servers send fractions of a second.
 *
 * @param now milliseconds since the epoch
 * @returns milliseconds from `now`, or undefined if the header is missing or invalid
 */
export function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(header ?? "")) {
    return Number(header) * 1000;
  }
  const date = DATES.map((format) => format.exec(header ?? "")?.groups).find((found) => found !== undefined);
  const wait = date ? timeOf(date, now) - now : Number.NaN;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function timeOf({ day, month = "", year = "", hour, minute, second }: Record<string, string>, now: number): number {
  const fullYear = year.length === 2 ? centuryOf(Number(year), now) : Number(year);
  return Date.UTC(fullYear, MONTHS.indexOf(month), Number(day), Number(hour), Number(minute), Number(second));
}

/** A year of two digits that seems to be more than 50 years ahead is the last one with these digits (section 5.6.7). */
function centuryOf(year: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + year;
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
}
