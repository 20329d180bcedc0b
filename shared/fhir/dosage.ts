import { nameOf } from "./concept.ts";
import type { CodeableConcept, Dosage, DoseAndRate } from "./datatypes.ts";
import { quantityText, rangeText, ratioText } from "./quantity.ts";
import type { Name } from "./report.ts";
import { isSaid, ratesIn, saysAsNeeded } from "./said.ts";
import { timingText } from "./timing.ts";

/** What a record says about how a medicine is taken. */
export interface Taking {
  dosage?: string;
  frequency?: string;
}

/**
 * Returns how a medicine is taken, in words (HL7, FHIR R4, "Dosage"). A text that somebody wrote comes first, and what
 * only the structure says is added. One instruction is an amount and a frequency; of several, each is a whole sentence,
 * because an amount belongs to its time.
 *
 * @param name receives what cannot be said, such as codes without a name
 */
export function takingOf(dosages: readonly (Dosage | undefined)[], path: string, name: Name): Taking {
  const all = dosages.flatMap((dosage, index) => (dosage ? [{ dosage, path: `${path}[${index}]` }] : []));
  const [first] = all;
  if (all.length <= 1) {
    return first ? takingOnce(first.dosage, first.path, name) : {};
  }
  const order = ({ sequence = Number.POSITIVE_INFINITY }: Dosage) => sequence;
  const areSteps = new Set(all.map(({ dosage }) => dosage.sequence)).size > 1;
  const sentences = all
    .toSorted((a, b) => Math.sign(order(a.dosage) - order(b.dosage)) || 0)
    .map(({ dosage, path }) => {
      const step = areSteps && dosage.sequence !== undefined ? `step ${dosage.sequence}: ` : "";
      return `${step}${dosageSentence(dosage, path, name)}`;
    });
  const dosage = [...new Set(sentences)].filter((sentence) => sentence.trim() !== "").join("; ");
  return dosage === "" ? {} : { dosage };
}

function takingOnce(dosage: Dosage, path: string, name: Name): Taking {
  const { amount, timing, instructions } = partsOf(dosage, path, name);
  const words = [...amount, ...instructions].join("; ");
  const often = timing.join(", ");
  return { ...(words && { dosage: words }), ...(often && { frequency: often }) };
}

/** Returns one instruction as a sentence: "1 tablet in the morning, as needed for pain; Do not drink alcohol". */
function dosageSentence(dosage: Dosage, path: string, name: Name): string {
  const { amount, timing, instructions } = partsOf(dosage, path, name);
  const taking = [amount.join(", "), timing.join(", ")].filter(Boolean).join(dosage.text ? ", " : " ");
  return [taking, ...instructions].filter(Boolean).join(", ");
}

interface Parts {
  amount: string[];
  timing: string[];
  instructions: string[];
}

function partsOf(dosage: Dosage, path: string, name: Name): Parts {
  const { text, patientInstruction, timing = {} } = dosage;
  const written = text ?? patientInstruction ?? "";
  const isNew = (part: string) => !isSaid(written, part);
  const structured = [
    ...dosesOf(dosage, `${path}.doseAndRate`, name),
    labelled("route", dosage.route, `${path}.route`, name),
    labelled("site", dosage.site, `${path}.site`, name),
    labelled("method", dosage.method, `${path}.method`, name),
  ];
  const own = timing.code?.text;
  return {
    amount: [written, ...structured.filter((part) => part !== undefined).filter(isNewPart)].filter(Boolean),
    timing: [
      ...timingText(timing, ratesIn(written), `${path}.timing`, name).filter((part) => part === own || isNew(part)),
      ...asNeeded(dosage, written, path, name),
      ...limitsOf(dosage, path, name).filter(isNew),
    ],
    instructions: [
      ...(text === undefined || patientInstruction === undefined ? [] : [patientInstruction]),
      ...instructionsOf(dosage, `${path}.additionalInstruction`, name),
    ].filter(isNew),
  };

  /** "Oral" is enough of "route: Oral". */
  function isNewPart(part: string): boolean {
    return isNew(part) && isNew(part.replace(/^(route|site|method): /, ""));
  }
}

function dosesOf({ doseAndRate = [] }: Dosage, path: string, name: Name): string[] {
  return doseAndRate.flatMap((each, index) => (each && doseText(each, `${path}[${index}]`, name)) || []);
}

/** Returns an amount or a rate, or both, and what kind it is: "70 mg at 10 mL per hour (calculated)". */
function doseText(each: DoseAndRate, path: string, name: Name): string | undefined {
  const { type, doseQuantity, doseRange, rateRatio, rateRange, rateQuantity } = each;
  const rates = [
    rateRatio && ratioText(rateRatio, `${path}.rateRatio`, name),
    rateRange && rangeText(rateRange, `${path}.rateRange`, name),
    rateQuantity && quantityText(rateQuantity, `${path}.rateQuantity`, name),
  ];
  const kind = named(type, `${path}.type`, name);
  const parts = [
    doseQuantity && quantityText(doseQuantity, `${path}.doseQuantity`, name),
    doseRange && rangeText(doseRange, `${path}.doseRange`, name),
    ...rates.map((rate) => rate && `at ${rate}`),
    kind && `(${kind})`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function labelled(label: string, concept: CodeableConcept | undefined, path: string, name: Name): string | undefined {
  const words = named(concept, path, name);
  return words && `${label}: ${words}`;
}

function asNeeded(dosage: Dosage, written: string, path: string, name: Name): string[] {
  const { asNeededBoolean, asNeededCodeableConcept } = dosage;
  const reason = named(asNeededCodeableConcept, `${path}.asNeededCodeableConcept`, name);
  if (asNeededCodeableConcept !== undefined && asNeededBoolean !== undefined) {
    name(`${path}.asNeededBoolean`, "is a second value beside asNeededCodeableConcept");
  }
  const isKnown = saysAsNeeded(written) && (reason === undefined || isSaid(written, reason));
  if (isKnown || (!asNeededBoolean && asNeededCodeableConcept === undefined)) {
    return [];
  }
  return [reason ? `as needed for ${reason}` : "as needed"];
}

function limitsOf(dosage: Dosage, path: string, name: Name): string[] {
  const { maxDosePerPeriod: period, maxDosePerAdministration: once, maxDosePerLifetime: lifetime } = dosage;
  const inPeriod = period && ratioText(period, `${path}.maxDosePerPeriod`, name);
  const atOnce = once && quantityText(once, `${path}.maxDosePerAdministration`, name);
  const ever = lifetime && quantityText(lifetime, `${path}.maxDosePerLifetime`, name);
  return [
    inPeriod && `at most ${inPeriod}`,
    atOnce && `at most ${atOnce} at once`,
    ever && `at most ${ever} in a lifetime`,
  ].filter((limit) => limit !== undefined);
}

function instructionsOf({ additionalInstruction = [] }: Dosage, path: string, name: Name): string[] {
  return additionalInstruction.flatMap((each, index) => named(each, `${path}[${index}]`, name) ?? []);
}

/** Returns the words of a concept. One that is only a code is named as such. */
function named(concept: CodeableConcept | undefined, path: string, name: Name): string | undefined {
  const words = nameOf(concept);
  if (concept !== undefined && words === undefined && Object.keys(concept).length > 0) {
    name(path, "is a code without a name");
  }
  return words;
}
