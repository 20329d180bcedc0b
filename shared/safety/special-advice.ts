import type { SafetyAlert } from "./alert.ts";
import { readDataFile } from "./data-file.ts";
import type { Language } from "./screening.ts";
import { plainLetters } from "./words.ts";

/** Emergencies whose first aid differs from that of their category. */
export type SpecialAdvice = "choking-infant" | "heat-stroke";

/** Words as regular expressions on {@link plainLetters}, by language. */
type Words = Record<Language, { infant: string; choking: string; heat: string }>;

/** A child who is said to be older needs what adults need. */
const OLDER =
  /\b(?:[1-9]\d?|one|two|three|four|five|six) ?-?(?:years?|yrs?|yo)\b|\b(?:1[2-9]|2\d|3[0-6]) ?-?(?:months?|mo)\b/;

/** The categories under which such an emergency may be detected. */
const CHOKING = new Set(["breathing", "unconscious", "other"]);
const HEAT = new Set(["other", "unconscious", "infection", "infant-fever", "stroke"]);

let words: Words | undefined;

/**
 * Returns the special advice for an emergency. Below the age of one, choking needs chest thrusts instead of abdominal
 * ones (European Resuscitation Council, Guidelines 2021, "Paediatric Life Support"; American Heart Association, 2025
 * Guidelines for CPR; NHS, "How to stop a child from choking"). Heat stroke needs fast cooling (American Heart Association and American Red Cross, 2024 Guidelines for
 * First Aid; NHS, "Heat exhaustion and heatstroke").
 *
 * @param said the message and the ones before it
 * @returns undefined if that of the category is right
 */
export function specialAdvice(alert: SafetyAlert, said: string): SpecialAdvice | undefined {
  if (alert.level !== "emergency") {
    return undefined;
  }
  words ??= JSON.parse(readDataFile("special-advice.json").toString()) as Words;
  const text = plainLetters(said);
  const says = (pattern: string) => new RegExp(plainLetters(pattern)).test(text);
  const languages = Object.values(words); // of all, because that of a short message is often unclear
  const isInfant = () => languages.some(({ infant, choking }) => says(infant) && says(choking)) && !OLDER.test(text);
  if (CHOKING.has(alert.category) && isInfant()) {
    return "choking-infant";
  }
  return HEAT.has(alert.category) && languages.some(({ heat }) => says(heat)) ? "heat-stroke" : undefined;
}
