const MAX_YEARS = 150;

/** The requirement for a date of birth, as the end of a sentence. */
export const BIRTH_DATE_RULE = `must be a day, a month or a year of the last ${MAX_YEARS} years, such as 1990-05-07`;

/** Whether a text is a date of birth: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, as in FHIR, and possible. */
export function isBirthDate(text: string, now = new Date()): boolean {
  const time = /^\d{4}(-\d\d){0,2}$/.test(text) ? Date.parse(text) : Number.NaN;
  const exists = time >= 0 || time < 0 ? new Date(time).toISOString().startsWith(text) : false;
  // A day later, because somewhere it is tomorrow.
  return exists && time < now.getTime() + 24 * 60 * 60 * 1000 && ageAt(text, now) <= MAX_YEARS;
}

/** The years below which an age is given in months. */
const INFANT_YEARS = 2;

/**
 * Returns the age of a person. If only the year or the month of birth is known, the person may be younger than this by
 * a year or a month; the lowest possible age is returned, because more cautions depend on being a child.
 *
 * @param birthDate `YYYY`, `YYYY-MM` or `YYYY-MM-DD`
 * @returns whole years; for infants, whole months as a fraction of a year, with two decimals
 */
export function ageAt(birthDate: string, now = new Date()): number {
  const [year = 0, month = 12, day = 31] = birthDate.split("-").map(Number);
  const isBeforeDay = now.getUTCDate() < day && now.getUTCDate() < daysIn(now);
  const months = (now.getUTCFullYear() - year) * 12 + now.getUTCMonth() + 1 - month - (isBeforeDay ? 1 : 0);
  const years = Math.max(0, months) / 12;
  return years < INFANT_YEARS ? Math.floor(years * 100) / 100 : Math.floor(years);
}

function daysIn(month: Date): number {
  return new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
}
