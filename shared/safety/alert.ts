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

/** Someone may need an emergency service within hours, or a human being today. No alert is undefined, everywhere. */
export interface SafetyAlert {
  level: "crisis" | "emergency";
  category: Category;
}

/** The alert of a category; its level follows from it. */
export function alertOf(category: Category): SafetyAlert {
  return { level: (CRISES as readonly string[]).includes(category) ? "crisis" : "emergency", category };
}

/** 0 without an alert, 1 for a crisis, 2 for an emergency. */
export function rank(alert: SafetyAlert | undefined): number {
  return alert === undefined ? 0 : alert.level === "crisis" ? 1 : 2;
}

/** The alert of the higher level; the first one when they are equal. */
export function higher(first: SafetyAlert | undefined, second: SafetyAlert | undefined): SafetyAlert | undefined {
  return rank(second) > rank(first) ? second : first;
}
