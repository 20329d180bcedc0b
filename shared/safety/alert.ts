/**
 * What may be wrong with the person that a message is about. The labelling guide (`tools/safety/LABELING.md`) says what
 * belongs to each category; `other` is an emergency that a model saw without naming one of these.
 */
export const EMERGENCIES = [
  "cardiac",
  "stroke",
  "breathing",
  "bleeding",
  "poisoning",
  "unconscious",
  "head-injury",
  "pregnancy",
  "infection",
  "infant-fever",
  "suicide-attempt",
  "other",
] as const;

export const CRISES = ["suicidal-thoughts", "self-harm", "abuse"] as const;

export type Category = (typeof EMERGENCIES)[number] | (typeof CRISES)[number];

/** Someone may need an emergency service within hours, or a human being today. No alarm is undefined, everywhere. */
export interface Alarm {
  level: "crisis" | "emergency";
  category: Category;
}

/** The alarm of a category; its level follows from it. */
export function alarmOf(category: Category): Alarm {
  return { level: (CRISES as readonly string[]).includes(category) ? "crisis" : "emergency", category };
}

/** 0 without an alarm, 1 for a crisis, 2 for an emergency. */
export function rank(alarm: Alarm | undefined): number {
  return alarm === undefined ? 0 : alarm.level === "crisis" ? 1 : 2;
}

/** The alarm of the higher level; the first one when they are equal. */
export function higher(first: Alarm | undefined, second: Alarm | undefined): Alarm | undefined {
  return rank(second) > rank(first) ? second : first;
}
