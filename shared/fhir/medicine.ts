import type { ClinicalEntry } from "../patients/clinical-entry.ts";
import { codesOf, meaningOf, nameOf, unnamedOf } from "./concept.ts";
import { codeableConcept, MAX_TEXT, type Ratio, type Reference } from "./datatypes.ts";
import { type Located, locate } from "./located.ts";
import { ratioText } from "./quantity.ts";
import { resolver } from "./references.ts";
import { NAMES_NOTHING, type Name } from "./report.ts";
import type { Resource } from "./resources.ts";
import { isSaid } from "./said.ts";
import { isObject, MAX_ELEMENTS, objectOf, read } from "./shape.ts";

type Ingredient = NonNullable<NonNullable<Resource<"Medication">["ingredient"]>[number]>;

/** What a statement or a request is about, or the reason why that is not known. */
export type Medicine = { meaning: Pick<ClinicalEntry, "text" | "statement" | "code"> } | { ignored: string };

/** A resource that tells somebody to take, or that somebody takes, a medicine. */
export type MedicationUse = Located<"MedicationStatement"> | Located<"MedicationRequest">;

/** Finds the medicines of statements and requests: in them, or beside them in the Bundle. */
export class Medicines {
  /** The Medications that nothing refers to. */
  readonly unused: Set<Located<"Medication">>;
  readonly #resolve: (reference: Reference | undefined) => Located<"Medication"> | undefined;
  /** One Medication may be in many requests. */
  readonly #known = new Map<Located<"Medication">, Medicine>();

  constructor(medicines: readonly Located<"Medication">[]) {
    this.unused = new Set(medicines);
    this.#resolve = resolver(medicines);
  }

  of(use: MedicationUse): Medicine {
    const { medicationCodeableConcept, medicationReference } = use.resource;
    const inside = containedIn(use);
    if (!medicationReference) {
      nameUnused(use, inside, undefined);
      const meaning = meaningOf("medication", medicationCodeableConcept);
      return meaning ? { meaning } : { ignored: NAMES_NOTHING };
    }
    if (medicationCodeableConcept) {
      use.name(`${use.path}.medicationCodeableConcept`, "is a second medicine beside medicationReference");
    }
    const { reference = "", display } = medicationReference;
    const own = reference.startsWith("#") ? inside.get(reference.slice(1)) : undefined;
    nameUnused(use, inside, own);
    const beside = own ?? this.#resolve(medicationReference);
    if (beside) {
      return this.#medicineOf(beside);
    }
    return display
      ? { meaning: meaningOf("medication", { text: display }) ?? { text: display } }
      : { ignored: "refers to a Medication that is not in the Bundle" };
  }

  #medicineOf(located: Located<"Medication">): Medicine {
    this.unused.delete(located);
    const medicine = this.#known.get(located) ?? medicineOf(located, this.#resolve);
    this.#known.set(located, medicine);
    return medicine;
  }
}

/** Reads what a Medication is: its name, with the ingredients and strengths that the name does not contain. */
function medicineOf(
  located: Located<"Medication">,
  resolve: (reference: Reference | undefined) => Located<"Medication"> | undefined,
): Medicine {
  const { resource, path, name, refused, contained } = located;
  const { status, code, ingredient = [] } = resource;
  if (refused !== undefined || status === "entered-in-error") {
    return { ignored: `refers to a Medication that ${refused ?? "was entered in error"}` };
  }
  const nameOfItem = (reference: Reference | undefined) =>
    nameOf(resolve(reference)?.resource.code) ?? substanceIn(contained, reference) ?? reference?.display;
  const ingredients = ingredient.flatMap((each, index) => {
    const text = each && ingredientText(each, nameOfItem, `${path}.ingredient[${index}]`, name);
    return text ?? [];
  });
  const distinct = [...new Set(ingredients)];
  const isTooLong = distinct.join(" / ").length > MAX_TEXT;
  const listed = isTooLong ? [] : distinct;
  if (isTooLong) {
    name(`${path}.ingredient`, `must have at most ${MAX_TEXT} characters in all`);
  }
  const meaning = meaningOf("medication", code);
  if (!meaning || meaning.statement === "not-known" || nameOf(code) === undefined) {
    const own: Medicine = meaning ? { meaning } : { ignored: NAMES_NOTHING };
    if (listed.length === 0) {
      return own;
    }
    const codeOnly = meaning?.statement === undefined && meaning?.code ? { code: meaning.code } : {};
    if (codeOnly.code === undefined && codesOf(code).length > 0) {
      name(`${path}.code`, "is a code without a name and a system, beside ingredients");
    }
    return { meaning: { text: listed.join(" / "), ...codeOnly } };
  }
  const added = listed.filter((text) => !isSaid(meaning.text, text));
  return { meaning: added.length > 0 ? { ...meaning, text: `${meaning.text} (${added.join(" / ")})` } : meaning };
}

function ingredientText(
  ingredient: Ingredient,
  nameOfItem: (reference: Reference | undefined) => string | undefined,
  path: string,
  name: Name,
): string | undefined {
  const { itemCodeableConcept: item, itemReference, strength, isActive } = ingredient;
  const ofConcept = nameOf(item);
  const ofReference = nameOfItem(itemReference);
  if (item && itemReference) {
    const unread = ofConcept === undefined && ofReference !== undefined ? "itemCodeableConcept" : "itemReference";
    name(`${path}.${unread}`, "is a second item of the same ingredient");
  }
  const words = ofConcept ?? ofReference ?? unnamedOf("medication", item ?? {});
  if (words === undefined) {
    name(path, "names nothing: it has neither a text nor a code, or refers to what is not there");
    return undefined;
  }
  const amount = strength && strengthText(strength, `${path}.strength`, name);
  return [words, amount, isActive === false && "(inactive)"].filter(Boolean).join(" ");
}

/** A strength in one of something without a unit is that of the medicine as it is named. */
function strengthText(strength: Ratio, path: string, name: Name): string | undefined {
  const { value, unit, code, comparator } = strength.denominator ?? {};
  const isOne = value === 1 && comparator === undefined && (unit ?? code ?? "1") === "1";
  return ratioText(isOne ? { numerator: strength.numerator } : strength, path, name);
}

const substance = objectOf({ code: codeableConcept });

function substanceIn(contained: unknown[], reference: Reference | undefined): string | undefined {
  const found = contained.find(
    (each) => isObject(each) && typeof each.id === "string" && reference?.reference === `#${each.id}`,
  );
  return isObject(found) ? nameOf(read(substance, { code: found.code }, "", () => {})?.code) : undefined;
}

/** The types of contained resources that say who and where. */
const ADMINISTRATIVE = new Set([
  "Practitioner",
  "PractitionerRole",
  "Organization",
  "Location",
  "Encounter",
  "RelatedPerson",
  "Patient",
  "Coverage",
]);

/** The Medications inside of a resource, by id. What else is inside of it is named. */
function containedIn(use: MedicationUse): Map<string, Located<"Medication">> {
  const medications = new Map<string, Located<"Medication">>();
  for (const [index, each] of use.contained.entries()) {
    const path = `${use.path}.contained[${index}]`;
    const type = isObject(each) ? String(each.resourceType) : "";
    if (isObject(each) && type === "Medication" && typeof each.id === "string") {
      const located = locate("Medication", { path }, each, { left: MAX_ELEMENTS, spent: 0 });
      const { name } = use;
      for (const { path, reason } of located.ignored) {
        name(path, reason);
      }
      medications.set(each.id, { ...located, contained: use.contained, name });
    } else if (isObject(each) && type !== "Substance" && !ADMINISTRATIVE.has(type)) {
      use.name(path, "is a contained resource that is not read");
    }
  }
  return medications;
}

function nameUnused(
  use: MedicationUse,
  inside: ReadonlyMap<string, Located<"Medication">>,
  used: Located<"Medication"> | undefined,
): void {
  for (const located of inside.values()) {
    if (located !== used) {
      use.name(located.path, "is a Medication that the resource does not refer to");
    }
  }
}
