import type { Profile } from "../../packages/client/client.js";

const SHORT = {
  mon: "monday",
  tue: "tuesday",
  wed: "wednesday",
  thu: "thursday",
  fri: "friday",
  sat: "saturday",
  sun: "sunday",
} as const;
type Day = (typeof SHORT)[keyof typeof SHORT];
const DAYS = Object.entries(SHORT) as [keyof typeof SHORT, Day][];

/** The fields of the form, which show each field of a profile but for `exceptions`, `consentRequired` and `disclosure`. */
const TEXTS = ["name", "assistantName", "country", "language", "timeZone", "contact", "contactWhenClosed"] as const;
const MORE_TEXTS = ["readingLevel", "greeting", "services"] as const;

type ProfileText = Record<
  (typeof TEXTS)[number] | (typeof MORE_TEXTS)[number] | "openingHours" | "handoffMinutes",
  string
>;

/** Writes a profile as the form shows it: opening hours one line each, as "mon tue wed 08:00-12:30". */
export function profileText(profile: Profile): ProfileText {
  const texts = [...TEXTS, ...MORE_TEXTS].map((name) => [name, profile[name] ?? ""]);
  const hours = (profile.openingHours ?? []).map(({ days, opens, closes }) => {
    const names = DAYS.filter(([, day]) => days.includes(day)).map(([short]) => short);
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
  return {
    ...Object.fromEntries(given),
    ...(lines.length > 0 && { openingHours: lines.map(hoursOf), ...(exceptions && { exceptions }) }),
    ...(handoffMinutes.trim() !== "" && { handoffMinutes: Number(handoffMinutes) }),
    ...(consentRequired && { consentRequired }),
    ...(disclosure && { disclosure }),
  } as Profile;
}

function hoursOf(line: string) {
  const [, names = "", opens = line.trim(), closes = ""] =
    /^(.*?)\s*(\d\d:\d\d)\s*[-–]\s*(\d\d:\d\d)\s*$/.exec(line) ?? [];
  const words = names.toLowerCase().match(/[a-z]+/g) ?? [];
  const days = DAYS.filter(([short]) => words.some((word) => word.startsWith(short))).map(([, day]) => day);
  return { days, opens, closes };
}
