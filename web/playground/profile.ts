import type { Profile } from "../../packages/client/client.js";
import { DAYS } from "../../shared/opening-hours.ts";

/** The form shows each field of a profile but for `exceptions`, `consentRequired` and `disclosure`: those that are texts. */
const TEXTS = [
  "name",
  "assistantName",
  "country",
  "language",
  "timeZone",
  "contact",
  "contactWhenClosed",
  "readingLevel",
  "greeting",
  "services",
] as const;

type ProfileText = Record<(typeof TEXTS)[number] | "openingHours" | "handoffMinutes", string>;

/** As many letters of a day as opening hours show, and need. */
const LETTERS = 3;

/** Writes a profile as the form shows it: opening hours one line each, as "mon tue wed 08:00-12:30". */
export function profileText(profile: Profile): ProfileText {
  const texts = TEXTS.map((name) => [name, profile[name] ?? ""]);
  const hours = (profile.openingHours ?? []).map(({ days, opens, closes }) => {
    const names = DAYS.filter((day) => days.includes(day)).map((day) => day.slice(0, LETTERS));
    return `${names.join(" ")} ${opens}-${closes}`;
  });
  return {
    ...(Object.fromEntries(texts) as ProfileText),
    openingHours: hours.join("\n"),
    handoffMinutes: String(profile.handoffMinutes ?? ""),
  };
}

/**
 * Reads the form.
 *
 * @param before what the form does not show is kept from it
 * @returns a line of hours that cannot be read is sent as it is, so that the service says what is wrong with it
 */
export function profileOf(before: Profile, text: ProfileText): Profile {
  const { openingHours, handoffMinutes, ...texts } = text;
  const given = Object.entries(texts).filter(([, value]) => value.trim() !== "");
  const lines = openingHours.split("\n").filter((line) => line.trim() !== "");
  const { exceptions, consentRequired, disclosure } = before;
  const hasHours = lines.length > 0 || before.openingHours?.length === 0; // a clinic that is open on its exceptions alone
  return {
    ...Object.fromEntries(given),
    ...(hasHours && { openingHours: lines.map(hoursOf), ...(exceptions && { exceptions }) }),
    ...(handoffMinutes.trim() !== "" && { handoffMinutes: Number(handoffMinutes) }),
    ...(consentRequired && { consentRequired }),
    ...(disclosure && { disclosure }),
  } as Profile;
}

function hoursOf(line: string) {
  const [, names = "", opens = line.trim(), closes = ""] =
    /^(.*?)\s*(\d\d:\d\d)\s*[-–]\s*(\d\d:\d\d)\s*$/.exec(line) ?? [];
  const words = names.toLowerCase().match(/[a-z]+/g) ?? [];
  const days = DAYS.filter((day) => words.some((word) => word.startsWith(day.slice(0, LETTERS))));
  return { days, opens, closes };
}
