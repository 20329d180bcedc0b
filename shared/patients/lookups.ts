import { hash } from "node:crypto";

/** A number that names a person in another system, such as an EHR's: `Patient.identifier` of an import. */
export interface Identifier {
  /** The system's URI; without one, the number is found only without one. */
  system?: string | undefined;
  value: string;
}

/** What a patient can be looked up by, besides the phone number. */
interface Identifiable {
  name?: string | undefined;
  birth_date?: string | undefined;
  identifiers?: readonly Identifier[] | undefined;
}

/** The most identifiers of a patient that are stored. Each is an item of the transaction that stores the patient. */
export const MAX_IDENTIFIERS = 20;

/** The most patients that a search returns. */
export const MAX_FOUND = 10;

/** Returns the look-up of an identifier, as 64 hexadecimal digits: keys contain nothing that names a person. */
export function lookupOfIdentifier({ system = "", value }: Identifier): string {
  return hash("sha256", JSON.stringify(["identifier", system, value]));
}

/** Returns the look-up of a name and a date of birth. The name may be in other case and have other white space. */
export function lookupOfName(name: string, birthDate: string): string {
  const plain = name.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ");
  return hash("sha256", JSON.stringify(["name", plain, birthDate]));
}

/**
 * Returns the look-ups of a patient, each once.
 *
 * @param but without those of this one
 */
export function lookupsOf({ name, birth_date, identifiers = [] }: Identifiable, but?: Identifiable): string[] {
  const ofName = name !== undefined && birth_date !== undefined ? [lookupOfName(name, birth_date)] : [];
  const others = new Set(but && lookupsOf(but));
  return [...new Set([...ofName, ...identifiers.map(lookupOfIdentifier)])].filter((lookup) => !others.has(lookup));
}
