import type { SafetyAlert } from "./alert.ts";
import { lazyDataFile } from "./data-file.ts";
import { isDeniedAt, MOST_SIGNS } from "./denials.ts";
import type { Language } from "./screening.ts";
import { plainLetters } from "./words.ts";

/** Emergencies whose first aid differs from that of their category, in any language. */
export type SpecialAdvice = "choking-infant" | "heat-stroke" | "poisoning" | "unconscious";

/** Words as regular expressions on {@link plainLetters}, by language. */
type Words = Record<Language, Record<Topic, string>>;

type Topic =
  | "not-breathing"
  | "infant"
  | "choking"
  | "heat"
  | "accident"
  | "object"
  | "medicine"
  | "substance"
  | "intent";

/** A child who is said to be older needs what adults need. */
const OLDER =
  /\b(?:[1-9]\d?|one|two|three|four|five|six) ?-?(?:years?|yrs?|yo)\b|\b(?:1[2-9]|2\d|3[0-6]) ?-?(?:months?|mo)\b/;

/** The categories under which such an emergency may be detected. */
const CHOKING = new Set(["breathing", "unconscious", "other"]);
const HEAT = new Set(["other", "unconscious", "infection", "infant-fever", "stroke"]);

const words = lazyDataFile("special-advice.json", (file: Words) => file);

/**
 * Returns the special advice for an emergency. Below the age of one, choking needs chest thrusts instead of abdominal
 * ones (European Resuscitation Council, Guidelines 2021, "Paediatric Life Support"; American Heart Association, 2025
 * Guidelines for CPR; NHS, "How to stop a child from choking"). Heat stroke needs fast cooling (American Heart
 * Association and American Red Cross, 2024 Guidelines for First Aid; NHS, "Heat exhaustion and heatstroke"). Too much
 * of a medicine may be a suicide attempt, unless it is called a mistake; a battery or what a toddler has swallowed is
 * not, and needs poison control rather than a crisis line. Who does not breathe needs chest compressions, not advice on
 * how to sit.
 *
 * @param said the message and the ones before it
 * @returns undefined if that of the category is right
 */
export function specialAdvice(alert: SafetyAlert, said: string): SpecialAdvice | undefined {
  if (alert.level !== "emergency") {
    return undefined;
  }
  const { text, isSaid } = read(said);
  const isInfant = () => isSaid("infant", "choking") && !OLDER.test(text);
  if (CHOKING.has(alert.category) && isInfant()) {
    return "choking-infant";
  }
  if (CHOKING.has(alert.category) && isSaid("not-breathing")) {
    return "unconscious";
  }
  if (alert.category === "poisoning") {
    const isAccident = isSaid("accident") || (isSaid("object") && !isSaid("medicine"));
    return isAccident && !isSaid("intent") ? "poisoning" : undefined;
  }
  return HEAT.has(alert.category) && isSaid("heat") ? "heat-stroke" : undefined;
}

/**
 * Whether poison control can help in an emergency whose category is not certain, because something was swallowed or
 * inhaled.
 */
export function mayBePoisoning({ category }: SafetyAlert, said: string): boolean {
  const { isSaid } = read(said);
  return category === "poisoning" || (category === "suicide-attempt" && (isSaid("medicine") || isSaid("substance")));
}

/**
 * Returns a function that tells whether all of some things are said in one of the languages: of all, because that of a
 * short message is often unclear. What is denied is not said, apart from an intent, which people hide.
 */
function read(said: string): { text: string; isSaid: (...things: Topic[]) => boolean } {
  const languages = Object.entries(words()) as [Language, Words[Language]][];
  const text = plainLetters(said);
  const languagesWith = (thing: Topic) => {
    const found = languages
      .map(([language, one]) => ({ language, places: [...text.matchAll(new RegExp(plainLetters(one[thing]), "g"))] }))
      .filter(({ places }) => places.length > 0);
    const isDenied = ({ 0: sign, index }: RegExpExecArray) =>
      thing !== "intent" && found.some(({ language }) => isDeniedAt(text, index, index + sign.length, language));
    return found
      .filter(({ places }) => places.length > MOST_SIGNS || !places.every(isDenied))
      .map(({ language }) => language);
  };
  return {
    text,
    isSaid: (...things) => {
      const [first = [], ...others] = things.map(languagesWith);
      return first.some((language) => others.every((other) => other.includes(language)));
    },
  };
}
