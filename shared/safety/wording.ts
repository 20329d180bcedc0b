import { type Category, CRISES, type SafetyAlert } from "./alert.ts";
import type { WordedAlert } from "./fixed-texts.ts";
import type { Finding } from "./screening.ts";

/** Categories whose wording hurts if it is wrong. A model's verdict alone does not make them certain. */
const DELICATE: readonly Category[] = [...CRISES, "suicide-attempt", "pregnancy"];

/** Outside these ages in years, a record rules out a pregnancy. */
const YOUNGEST_PREGNANCY = 10;
const OLDEST_PREGNANCY = 60;

/**
 * Whether the category of a model's verdict is certain enough to be worded: the model named it, and if it is one of
 * {@link DELICATE}, the screen found the same.
 */
export function isModelCategoryCertain({ category }: SafetyAlert, named: boolean, finding?: Finding): boolean {
  return named && (!DELICATE.includes(category) || topicOf(finding?.alert.category) === topicOf(category));
}

/**
 * An alert as a reply words it. It names its category only where that is certain, and never a pregnancy that the record
 * rules out.
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

/** Thoughts of suicide and an attempt are one topic. */
function topicOf(category: Category | undefined): Category | undefined {
  return category === "suicide-attempt" ? "suicidal-thoughts" : category;
}
