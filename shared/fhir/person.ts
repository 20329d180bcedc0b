import { isBirthDate } from "../patients/birth-date.ts";
import { normalizePhone } from "../patients/phone.ts";
import type { Located } from "./read-bundle.ts";
import type { Period, Resource } from "./resources.ts";

/** Who a patient is, as a record has it. */
export interface Person {
  /** FHIR's path of the Patient. */
  path: string;
  name?: string;
  phone_number?: string;
  gender?: string;
  birth_date?: string;
}

/** Something that is not taken over, and why. */
export interface Ignored {
  type: string;
  /** FHIR's path. */
  path: string;
  reason: string;
}

/** The uses of names, the preferred one first; a name of another time or purpose only if there is no other. */
const NAME_USES = ["official", "usual", undefined, "nickname", "temp", "anonymous", "maiden", "old"];

/** The uses of phone numbers, the preferred one first: a thread is opened by the number that a person writes from. */
const PHONE_USES = ["mobile", "home", undefined, "temp", "work"];

export function personIn({ path, resource }: Located<"Patient">): { person: Person; ignored: Ignored[] } {
  const ignored: Ignored[] = [];
  const ignore = (element: string, reason: string) =>
    ignored.push({ type: "Patient", path: `${path}.${element}`, reason });
  const { gender, birthDate, deceasedBoolean, deceasedDateTime } = resource;
  const isPossible = birthDate !== undefined && isBirthDate(birthDate);
  if (birthDate !== undefined && !isPossible) {
    ignore("birthDate", "is not a possible date of birth");
  }
  if (deceasedBoolean || deceasedDateTime !== undefined) {
    ignore("deceased", "is not part of a record");
  }
  const name = nameOf(resource);
  const phone = phoneOf(resource, ignore);
  const person = {
    path,
    ...(name && { name }),
    ...(phone && { phone_number: phone }),
    ...(gender && gender !== "unknown" && { gender }),
    ...(isPossible && { birth_date: birthDate }),
  };
  return { person, ignored };
}

function nameOf({ name: names = [] }: Resource<"Patient">): string | undefined {
  const rank = ({ use, period }: { use?: string | undefined; period?: Period | undefined }) =>
    (hasEnded(period) ? NAME_USES.length : 0) + indexIn(NAME_USES, use);
  return names
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ text, given = [], family }) => text?.trim() || [...given, family].filter(Boolean).join(" ").trim())
    .find((name) => name !== "");
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
  for (const { index, number } of numbers) {
    const isOther = number !== undefined && number !== chosen?.number;
    if (number === undefined) {
      ignore(`telecom[${index}]`, "cannot be stored: a phone number must have 10 digits, or 11 with the country code");
    } else if (isOther) {
      const isUsable = usable.some((each) => each.index === index);
      ignore(`telecom[${index}]`, isUsable ? "is another phone number: a record has one" : "is no longer in use");
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
