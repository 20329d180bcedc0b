import { isBirthDate } from "../patients/birth-date.ts";
import { type Identifier, MAX_IDENTIFIERS } from "../patients/lookups.ts";
import { normalizePhone, phoneRule } from "../patients/phone.ts";
import type { Period } from "./datatypes.ts";
import type { Located } from "./located.ts";
import type { Resource } from "./resources.ts";

/** Who a patient is, as a record has it. */
export interface Person {
  /** FHIR's path of the Patient. */
  path: string;
  name?: string;
  phone_number?: string;
  gender?: string;
  birth_date?: string;
  identifiers?: Identifier[];
}

/** The uses of names, the preferred one first; a name of another time or purpose only if there is no other. */
const NAME_USES = ["official", "usual", undefined, "nickname", "temp", "anonymous", "maiden", "old"];

/** The uses of phone numbers, the preferred one first: a thread is opened by the number that a person writes from. */
const PHONE_USES = ["mobile", "home", undefined, "temp", "work"];

/** Returns who a patient is. What a record has no place for is named. */
export function personIn({ path, resource, name: nameElement }: Located<"Patient">): Person {
  const ignore = (element: string, reason: string) => nameElement(`${path}.${element}`, reason);
  const { gender, birthDate, deceasedBoolean, deceasedDateTime, active } = resource;
  const isPossible = birthDate !== undefined && isBirthDate(birthDate);
  if (birthDate !== undefined && !isPossible) {
    ignore("birthDate", "is not a possible date of birth");
  }
  if (deceasedBoolean) {
    ignore("deceasedBoolean", "is not part of a record");
  }
  if (deceasedDateTime !== undefined) {
    ignore("deceasedDateTime", "is not part of a record");
  }
  if (active === false) {
    ignore("active", "says that the record is not in use");
  }
  const name = nameOf(resource);
  const phone = phoneOf(resource, ignore);
  const identifiers = identifiersOf(resource, ignore);
  return {
    path,
    ...(name && { name }),
    ...(phone && { phone_number: phone }),
    ...(gender && gender !== "unknown" && { gender }),
    ...(isPossible && { birth_date: birthDate }),
    ...(identifiers.length > 0 && { identifiers }),
  };
}

function nameOf({ name: names = [] }: Resource<"Patient">): string | undefined {
  const rank = ({ use, period }: { use?: string | undefined; period?: Period | undefined }) =>
    (hasEnded(period) ? NAME_USES.length : 0) + indexIn(NAME_USES, use);
  return names
    .filter((each) => each !== undefined)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ text, given = [], family }) => text?.trim() || [...given, family].filter(Boolean).join(" ").trim())
    .find((name) => name !== "");
}

/** Returns the identifiers by which the patient can be found, each once. */
function identifiersOf(
  { identifier: identifiers = [] }: Resource<"Patient">,
  ignore: (element: string, reason: string) => void,
): Identifier[] {
  const kept = new Map<string, Identifier>();
  for (const [index, { system, value } = {}] of identifiers.entries()) {
    if (value === undefined) {
      if (system !== undefined) {
        ignore(`identifier[${index}]`, "has no value");
      }
    } else if (kept.size === MAX_IDENTIFIERS) {
      ignore(`identifier[${index}]`, `is not stored: a record has at most ${MAX_IDENTIFIERS} identifiers`);
    } else {
      kept.set(JSON.stringify([system, value]), { ...(system !== undefined && { system }), value });
    }
  }
  return [...kept.values()];
}

function phoneOf(
  { telecom = [] }: Resource<"Patient">,
  ignore: (element: string, reason: string) => void,
): string | undefined {
  const numbers = telecom
    .map((contact, index) => ({ ...contact, index }))
    .filter(({ system, value }) => (system === "phone" || system === "sms") && value !== undefined)
    .map((contact) => ({ ...contact, number: normalizePhone(contact.value ?? "") }));
  const usable = numbers.filter(({ use, period, number }) => number && use !== "old" && !hasEnded(period));
  const order = ({ rank = Number.POSITIVE_INFINITY }: { rank?: number | undefined }) => rank;
  const [chosen] = usable.toSorted(
    (a, b) => indexIn(PHONE_USES, a.use) - indexIn(PHONE_USES, b.use) || Math.sign(order(a) - order(b)) || 0,
  );
  const inUse = new Set(usable.map(({ index }) => index));
  for (const { index, number } of numbers) {
    const isOther = number !== undefined && number !== chosen?.number;
    if (number === undefined) {
      ignore(`telecom[${index}]`, `cannot be stored: a phone number ${phoneRule()}`);
    } else if (isOther) {
      ignore(
        `telecom[${index}]`,
        inUse.has(index) ? "is another phone number: a record has one" : "is no longer in use",
      );
    }
  }
  return chosen?.number;
}

function indexIn(uses: (string | undefined)[], use: string | undefined): number {
  return (uses.indexOf(use) + uses.length + 1) % (uses.length + 1);
}

function hasEnded(period: Period | undefined): boolean {
  return period?.end !== undefined && Date.parse(period.end) < Date.now();
}
