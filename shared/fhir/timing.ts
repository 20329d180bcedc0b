import { nameOf } from "./concept.ts";
import type { Repeat, Timing } from "./datatypes.ts";
import { counted, each, quantityText, rangeText } from "./quantity.ts";
import type { Name } from "./report.ts";
import {
  DAYS,
  EVENTS,
  isSameOften,
  isSameRate,
  type Rate,
  TIMING_CODES,
  TIMING_SYSTEM,
  timeUnit,
} from "./timing-codes.ts";

// Timings in words (HL7, FHIR R4, "Timing"). What cannot be said is named.

const NOT_IN_FHIR = "is a code that FHIR does not have";
const NO_UNIT = "has no unit of time that FHIR has";

/**
 * Returns the parts of a timing in words, in the order in which they are said.
 *
 * @param said how often, as a text says it that somebody wrote: it is not repeated, and a rate that differs is named
 */
export function timingText(timing: Timing, said: readonly Rate[], path: string, name: Name): string[] {
  const { event = [], repeat = {}, code } = timing;
  const whole = code && wholeTiming(code, `${path}.code`, name);
  const at = `${path}.repeat`;
  const rates = whole?.rate ? [...said, whole.rate] : said;
  return [
    whole?.words,
    frequencyText(repeat, rates, at, name),
    daysText(repeat, `${at}.dayOfWeek`, name),
    timesText(repeat, `${at}.timeOfDay`, name),
    whenText(repeat, at, name),
    durationText(repeat, at, name),
    countText(repeat),
    ...boundsText(repeat, at, name),
    listed("on ", event),
  ].filter((part) => part !== undefined);
}

/** A timing that is a code, or a text: words that somebody wrote come first. */
function wholeTiming(code: NonNullable<Timing["code"]>, path: string, name: Name) {
  const known = (code.coding ?? [])
    .filter((coding) => coding?.system === undefined || TIMING_SYSTEM.test(coding.system))
    .map((coding) => TIMING_CODES.get(coding?.code ?? ""))
    .find(Boolean);
  const words = code.text ?? known?.words ?? nameOf(code);
  if (words === undefined) {
    name(path, "is a code without a name");
    return undefined;
  }
  return { words, rate: known?.rate };
}

/** Says how often: "twice a day", "once every 4 to 6 hours", "once each Monday". */
function frequencyText(repeat: Repeat, said: readonly Rate[], path: string, name: Name): string | undefined {
  const { frequency, frequencyMax, period, periodMax, periodUnit } = repeat;
  const unit = timeUnit(periodUnit);
  const isPeriod = unit !== undefined && (period !== undefined || periodMax !== undefined);
  if (!isPeriod) {
    nameEach({ period, periodMax, periodUnit }, path, unit ? "has no period" : NO_UNIT, name);
    return times(frequency, frequencyMax);
  }
  const rate = rateOf(repeat);
  if (rate && said.some((other) => isSameRate(other, rate))) {
    return undefined;
  }
  if (rate && said.length > 0 && !said.some((other) => isSameOften(other, rate))) {
    nameEach(
      { frequency, period, periodUnit },
      path,
      "differs from how often the text or code says, which counts",
      name,
    );
    return undefined;
  }
  const often = times(frequency, frequencyMax) ?? "once";
  const days = periodUnit === "d" && period === 1 ? dayNames(repeat) : [];
  if (days.length > 0 && periodMax === undefined) {
    return `${often} each ${joined(days)}`;
  }
  const isOne = period === 1 && periodMax === undefined;
  return `${often} ${isOne ? each(unit) : `every ${counted(interval(period, periodMax), unit)}`}`;
}

/** The rate of a repetition, if it has one: no days, and no choice between two numbers. */
function rateOf({ frequency = 1, frequencyMax, period, periodMax, periodUnit, dayOfWeek }: Repeat): Rate | undefined {
  const isPlain = frequencyMax === undefined && periodMax === undefined && dayOfWeek === undefined;
  return isPlain && period !== undefined && periodUnit !== undefined
    ? { times: frequency, period, unit: periodUnit }
    : undefined;
}

function times(frequency: number | undefined, most: number | undefined): string | undefined {
  if (most === undefined) {
    return frequency === 1
      ? "once"
      : frequency === 2
        ? "twice"
        : frequency === undefined
          ? undefined
          : `${frequency} times`;
  }
  return `${interval(frequency, most)} times`;
}

/** Returns a number, or the choice between two: "4", "4 to 6", "up to 6". */
function interval(least: number | undefined, most: number | undefined): number | string {
  if (most === undefined) {
    return least ?? "";
  }
  return least === undefined ? `up to ${most}` : `${least} to ${most}`;
}

function daysText(repeat: Repeat, path: string, name: Name): string | undefined {
  const { frequency, period, periodMax, periodUnit } = repeat;
  const days = dayNames(repeat);
  nameUnknown(repeat.dayOfWeek, DAYS, path, name);
  const areSaid = period === 1 && periodMax === undefined && periodUnit === "d";
  const isAlone = frequency === undefined && period === undefined && periodMax === undefined;
  return days.length === 0 || areSaid ? undefined : `${isAlone ? "every" : "on"} ${joined(days)}`;
}

function dayNames({ dayOfWeek = [] }: Repeat): string[] {
  return dayOfWeek.flatMap((day) => DAYS.get(day ?? "") ?? []);
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?$/;

/** FHIR's times have seconds, which nobody says if there are none. */
function timesText({ timeOfDay = [] }: Repeat, path: string, name: Name): string | undefined {
  const known = timeOfDay.filter((time, index) => {
    const isTime = time !== undefined && TIME.test(time);
    if (time !== undefined && !isTime) {
      name(`${path}[${index}]`, "must be a time such as 08:00:00");
    }
    return isTime;
  });
  return listed(
    "at ",
    known.map((time) => time?.replace(/^(\d\d:\d\d):00$/, "$1")),
  );
}

/** Says the events that the time is tied to, with the minutes before or after them. */
function whenText({ when = [], offset }: Repeat, path: string, name: Name): string | undefined {
  const events = when.flatMap((code) => EVENTS.get(code ?? "") ?? []);
  nameUnknown(when, EVENTS, `${path}.when`, name);
  if (offset !== undefined && events.every(({ kind }) => kind === "part")) {
    name(`${path}.offset`, "is not counted from an event that has a before and an after");
  }
  const minutes = offset === undefined ? undefined : counted(offset, "minute");
  const words = events.map((event) => {
    if (minutes === undefined || event.kind === "part") {
      return event.words;
    }
    // Without "before" or "after", an offset is after the event (HL7, FHIR R4, Timing.repeat.offset).
    return `${minutes} ${event.kind === "meal" ? event.words.replace(/^with/, "after") : event.words}`;
  });
  return words.length > 0 ? joined(words) : undefined;
}

function durationText({ duration, durationMax, durationUnit }: Repeat, path: string, name: Name): string | undefined {
  const unit = timeUnit(durationUnit);
  const amount = interval(duration, durationMax);
  if (unit === undefined || amount === "") {
    nameEach({ duration, durationMax, durationUnit }, path, unit ? "has no duration" : NO_UNIT, name);
    return undefined;
  }
  return `for ${counted(amount, unit)} each time`;
}

function countText({ count, countMax }: Repeat): string | undefined {
  const often = times(count, countMax);
  return often && `${often} in all`;
}

function boundsText({ boundsDuration, boundsRange, boundsPeriod }: Repeat, path: string, name: Name) {
  const duration = boundsDuration && quantityText(boundsDuration, `${path}.boundsDuration`, name);
  const range = boundsRange && rangeText(boundsRange, `${path}.boundsRange`, name);
  const { start, end } = boundsPeriod ?? {};
  return [
    duration && `for ${duration}`,
    range && `for ${range}`,
    [start && `from ${start}`, end && `until ${end}`].filter(Boolean).join(" ") || undefined,
  ];
}

function nameUnknown(
  codes: readonly (string | undefined)[] | undefined,
  known: ReadonlyMap<string, unknown>,
  path: string,
  name: Name,
): void {
  for (const [index, code] of (codes ?? []).entries()) {
    if (code !== undefined && !known.has(code)) {
      name(`${path}[${index}]`, NOT_IN_FHIR);
    }
  }
}

/** Names those elements that there are. */
function nameEach(elements: Record<string, unknown>, path: string, reason: string, name: Name): void {
  for (const [element, value] of Object.entries(elements)) {
    if (value !== undefined) {
      name(`${path}.${element}`, reason);
    }
  }
}

function listed(before: string, values: readonly (string | undefined)[]): string | undefined {
  const present = values.filter((value) => value !== undefined);
  return present.length > 0 ? `${before}${joined(present)}` : undefined;
}

/** Returns "a", "a and b", "a, b and c". */
function joined(values: readonly string[]): string {
  return values.length > 1 ? `${values.slice(0, -1).join(", ")} and ${values.at(-1)}` : (values[0] ?? "");
}
