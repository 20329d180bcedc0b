import { type Category, DELICATE, type Finding, MIND, type SafetyAlert } from "./alerts.ts";
import type { Advice, WordedAlert } from "./fixed-texts.ts";
import { type Danger, firstAidFor, maySpeakOfAbuse } from "./texts/first-aid.ts";

/** Outside this age range in years, a record rules out pregnancy. */
const YOUNGEST_PREGNANCY = 10;
const OLDEST_PREGNANCY = 60;

/**
 * Whether the category of a model's verdict is certain enough to be named: the model named it and, for {@link DELICATE}
 * categories, which a model's verdict alone does not make certain, the screen found the same.
 */
export function isModelCategoryCertain({ category }: SafetyAlert, named: boolean, finding?: Finding): boolean {
  return named && (!DELICATE.includes(category) || topicOf(finding?.alert.category) === topicOf(category));
}

/**
 * Returns an alert as worded in a reply. It names its category only if that is certain, and never pregnancy if the
 * record rules it out.
 *
 * @param record the patient's facts, as the model receives them
 */
export function wordedAlert(
  { level, category }: SafetyAlert,
  categoryCertain: boolean,
  record: Record<string, unknown>,
): WordedAlert {
  const named = categoryCertain && !(category === "pregnancy" && rulesOutPregnancy(record));
  return { level, category: named ? category : undefined };
}

function rulesOutPregnancy({ gender, age }: Record<string, unknown>): boolean {
  const isMale = typeof gender === "string" && /^\s*(?:m|male|man|boy)\s*$/i.test(gender);
  return isMale || (typeof age === "number" && (age < YOUNGEST_PREGNANCY || age > OLDEST_PREGNANCY));
}

/**
 * Returns what a text about a danger says besides its level and category.
 *
 * @param record the patient's facts, as the model receives them
 */
export function adviceFor(danger: Omit<Danger, "mayBePregnant">, record: Record<string, unknown>): Advice {
  const { alert, messages } = danger;
  return {
    firstAid: firstAidFor({ ...danger, mayBePregnant: !rulesOutPregnancy(record) }),
    mayBeMeant: MIND.includes(alert.category) && alert.category !== "abuse",
    mayBeAbuse: alert.category === "abuse" || maySpeakOfAbuse(messages),
  };
}

/** Suicidal thoughts and a suicide attempt are the same topic. */
function topicOf(category: Category | undefined): Category | undefined {
  return category === "suicide-attempt" ? "suicidal-thoughts" : category;
}
