/** When a clinic is open, in its own time. */
export interface OpeningHours {
  /** An IANA name, such as `Europe/London`. */
  timeZone: string;
  /** Times are `HH:MM`; `closes` is after `opens`, at most `24:00`. */
  weekly: readonly { days: readonly Day[]; opens: string; closes: string }[];
  /** Days that differ, as `YYYY-MM-DD`; without times, the clinic is closed all day. */
  exceptions: readonly { date: string; opens?: string | undefined; closes?: string | undefined }[];
}

/** Whether a clinic is open, and if not, when it opens: an instant in milliseconds since the epoch; undefined if never. */
export type Opening = { isOpen: true } | { isOpen: false; opensAt: number | undefined };

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
type Day = (typeof DAYS)[number];

/** How far ahead the next opening is looked for: longer than any holiday. */
const DAYS_AHEAD = 60;

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/**
 * Tells whether a clinic is open.
 *
 * @param now milliseconds since the epoch
 */
export function openingAt(hours: OpeningHours, now: number): Opening {
  const { date, time } = localTime(hours.timeZone, now);
  const today = timesOn(hours, date);
  if (today.some(({ opens, closes }) => opens <= time && time < closes)) {
    return { isOpen: true };
  }
  const later = today.map(({ opens }) => opens).filter((opens) => opens > time);
  if (later.length > 0) {
    return { isOpen: false, opensAt: instantOf(hours.timeZone, date, earliest(later)) };
  }
  for (let ahead = 1; ahead <= DAYS_AHEAD; ahead++) {
    const next = dateAfter(date, ahead);
    const times = timesOn(hours, next).map(({ opens }) => opens);
    if (times.length > 0) {
      return { isOpen: false, opensAt: instantOf(hours.timeZone, next, earliest(times)) };
    }
  }
  return { isOpen: false, opensAt: undefined };
}

const earliest = (times: string[]) => times.toSorted()[0] as string;

/** The times of a day, as `HH:MM`, which compare like texts. Those of an exception replace those of the week. */
function timesOn({ weekly, exceptions }: OpeningHours, date: string): { opens: string; closes: string }[] {
  const special = exceptions.filter((exception) => exception.date === date);
  if (special.length > 0) {
    return special.flatMap(({ opens, closes }) => (opens && closes ? [{ opens, closes }] : []));
  }
  return weekly.filter(({ days }) => days.includes(dayOf(date)));
}

function dayOf(date: string): Day {
  return DAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] as Day;
}

function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MILLISECONDS).toISOString().slice(0, date.length);
}

/** What calendar and clock show at a place. */
function localTime(timeZone: string, instant: number): { date: string; time: string } {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  return { date: `${part("year")}-${part("month")}-${part("day")}`, time: `${part("hour")}:${part("minute")}` };
}

/**
 * Returns the instant at which calendar and clock show a time: with the offset from UTC at about that time, corrected
 * once, because the clocks may change in between. A time that they skip becomes the one an hour later.
 */
function instantOf(timeZone: string, date: string, time: string): number {
  const asUtc = Date.parse(`${date}T${time}:00Z`);
  const offsetAt = (instant: number) => {
    const local = localTime(timeZone, instant);
    return Date.parse(`${local.date}T${local.time}:00Z`) - instant;
  };
  return asUtc - offsetAt(asUtc - offsetAt(asUtc));
}

/** Tells whether the clinic of a profile is open now; undefined if its hours are not known. */
export function openingNow(hours: OpeningHours | undefined): Opening | undefined {
  return hours && openingAt(hours, Date.now());
}

/** Whether `Intl` knows a time zone. An offset is none: the clinic's clocks may change. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
