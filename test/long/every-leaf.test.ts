import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { dosage } from "../../shared/fhir/datatypes.ts";
import { importRecord } from "../../shared/fhir/import-record.ts";
import { RESOURCES, type ReadType } from "../../shared/fhir/resources.ts";
import type { Table } from "../../shared/fhir/shape.ts";
import { type Json, type Leaf, leavesOf, othersFor, valuesOf } from "../helpers/fhir/leaves.ts";

/** `FHIR_LEAVES=2000 npm run test:long -- every-leaf` for more. */
const RUNS = Number(process.env.FHIR_LEAVES ?? 60);

type Resource = { [element: string]: Json };

const PATH = "Bundle.entry[1].resource";

/** Imports a resource, which is the second of a Bundle. */
function imported(
  resource: Resource,
  [first, ...others]: Resource[],
): { record: string; ignored: string[] } | undefined {
  const entry = [first, resource, ...others].map((each) => ({ resource: each }));
  try {
    const { person, clinical, ignored } = importRecord(
      { body: { resourceType: "Bundle", entry }, type: undefined },
      "no",
    );
    return { record: JSON.stringify([person, clinical, ignored]), ignored: ignored.map(({ path }) => path) };
  } catch {
    return undefined; // a 400 is not silent
  }
}

const PATIENT = { resourceType: "Patient", id: "p", name: [{ text: "Pat" }] };
const MEDICATION = { resourceType: "Medication", id: "m", code: { text: "Beside" } };
const STATEMENT = { resourceType: "MedicationStatement", medicationReference: { reference: "Medication/m" } };
const BESIDE = [PATIENT, MEDICATION];

/** The value at FHIR's path in a resource. */
function valueAt(resource: Json, path: string): Json | undefined {
  const steps = path.slice(PATH.length).match(/\w+/g) ?? [];
  return steps.reduce<Json | undefined>((value, step) => (value as Resource | undefined)?.[step], resource);
}

/** Whether the concept that contains a leaf has words, or another code. */
function isKnownOtherwise(path: string, resource: Resource): boolean {
  const [, concept = "", index] = /^(.*)\.coding\[(\d+)\]/.exec(path) ?? [];
  const { text, coding = [] } = valueAt(resource, concept) as { text?: string; coding?: Resource[] };
  return (
    text !== undefined ||
    coding.some(({ display, code }, at) => display !== undefined || (code !== undefined && at !== Number(index)))
  );
}

/** What the guide says has no clinical meaning, beside the elements that the tables of shapes mark. */
const WITHOUT_MEANING: Record<string, (leaf: Leaf, resource: Resource) => boolean> = {
  "codes of a concept that has words, or another code": ({ path }, resource) =>
    /\.coding\[\d+\]\.\w+$/.test(path) && isKnownOtherwise(path, resource),
  "words of a status that is known": ({ path }) => /(clinical|verification)Status\./.test(path),
  "code of a quantity that has a unit": ({ element, parent }) => element === "code" && parent.unit !== undefined,
  "reference, identifier and display of a reference": ({ path }) =>
    /\.(subject|patient|medicationReference|itemReference)\.(reference|display|identifier\.\w+)$/.test(path),
  "userSelected, and the system of no code": ({ path, element, parent }) =>
    path.includes(".coding[") &&
    (element === "userSelected" || (element === "system" && parent.code === undefined && parent.display === undefined)),
  "Dosage.sequence of a single one": ({ element, path }, { dosage, dosageInstruction }) =>
    element === "sequence" && /\[0\]\.sequence$/.test(path) && [dosage ?? dosageInstruction].flat().length === 1,
  "Observation.status": ({ path }, { resourceType }) => path === `${PATH}.status` && resourceType === "Observation",
  "Condition.recordedDate": ({ path }) => path.endsWith(".recordedDate"),
  "MedicationRequest.intent": ({ path }) => path.endsWith(".intent"),
  "Medication.status, unless it was entered in error": ({ path }, { resourceType }) =>
    path === `${PATH}.status` && resourceType === "Medication",
  "Patient.active and Patient.deceased, if nothing follows": ({ path }, { active, deceasedBoolean }) =>
    (path === `${PATH}.active` && active === true) || (path === `${PATH}.deceasedBoolean` && deceasedBoolean === false),
  "Patient.name, but for the best": ({ path }, { name }) =>
    path.startsWith(`${PATH}.name[`) && [name ?? []].flat().length > 1,
  "Patient.name.use and Patient.name.period": ({ path }) => /\.name\[\d+\]\.(use|period\.\w+)$/.test(path),
  "Patient.name.family and Patient.name.given, beside a text": ({ path, parent }, { name }) =>
    /\.name\[\d+\]\.(family|given\[\d+\])$/.test(path) &&
    ("text" in parent || [name ?? []].flat().some((each) => (each as Resource).text !== undefined)),
  "Patient.telecom that is no phone number, or has the number of another": ({ path }, resource) => {
    const contact = valueAt(resource, path.replace(/(\.telecom\[\d+\]).*$/, "$1")) as Resource;
    const withNumber = ([resource.telecom ?? []].flat() as Resource[]).filter(({ value }) => value === contact?.value);
    const isNumber = contact?.value !== undefined && /phone|sms/.test(`${contact.system}`);
    return path.startsWith(`${PATH}.telecom[`) && (!isNumber || withNumber.length > 1);
  },
  "Patient.telecom.use, rank and period": ({ path }) => /\.telecom\[\d+\]\.(use|rank|period\.\w+)$/.test(path),
  "Observation.issued": ({ path }, { effectiveDateTime, effectivePeriod, effectiveInstant }) =>
    path.endsWith(".issued") && (effectiveDateTime ?? effectivePeriod ?? effectiveInstant) !== undefined,
};

const isCovered = (path: string, ignored: readonly string[]) =>
  ignored.some((own) => path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`));

/** Whether a table of shapes marks an element, or one that contains it, as meaningless. */
function isMeaningless(type: ReadType, path: string): boolean {
  let shape: Table | undefined = RESOURCES[type];
  for (const element of path
    .slice(PATH.length + 1)
    .split(".")
    .map((step) => step.replace(/\[\d+\]$/, ""))) {
    shape = shape?.kind === "list" ? shape.element : shape;
    shape = shape?.kind === "object" ? shape.elements[element] : undefined;
    if (shape?.kind === "meaningless") {
      return true;
    }
  }
  return false;
}

/** The leaves of a resource that are lost: not in the record, not named as ignored, and not without meaning. */
function lostIn(type: ReadType, resource: Resource, beside: Resource[]): string[] {
  const before = imported(resource, beside);
  if (before === undefined) {
    return [];
  }
  return leavesOf(resource, PATH)
    .filter(({ element, path }) => element !== "resourceType" && path !== `${PATH}.id`)
    .filter(({ path }) => !isCovered(path, before.ignored) && !isMeaningless(type, path))
    .filter((leaf) => {
      const changes = othersFor(leaf).some((other) => {
        leaf.parent[leaf.element] = other;
        const after = imported(resource, beside);
        leaf.parent[leaf.element] = leaf.value;
        return after?.record !== before.record;
      });
      return !changes && !Object.values(WITHOUT_MEANING).some((has) => has(leaf, resource));
    })
    .map(({ path, value }) => `${path}: ${value}`);
}

/** An observation of another kind is counted, and not read. */
const MEASURED = { coding: [{ system: "http://loinc.org", code: "98979-8" }] };

describe("a leaf of what is imported is in the record, named as ignored, or without clinical meaning:", () => {
  test.each<ReadType>(["AllergyIntolerance", "Condition", "MedicationStatement", "MedicationRequest", "Observation"])(
    "of a %s",
    (type) => {
      const resources = valuesOf(RESOURCES[type]) as fc.Arbitrary<Resource>;
      fc.assert(
        fc.property(resources, (resource) => {
          const read = type === "Observation" ? { ...resource, code: MEASURED } : resource;
          expect(lostIn(type, { ...read, resourceType: type }, BESIDE)).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
  );

  test("of a Medication that somebody takes", () => {
    fc.assert(
      fc.property(valuesOf(RESOURCES.Medication) as fc.Arbitrary<Resource>, (medication) => {
        const resource = { ...medication, resourceType: "Medication", id: "m" };
        expect(lostIn("Medication", resource, [PATIENT, STATEMENT])).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test("of the Patient", () => {
    fc.assert(
      fc.property(valuesOf(RESOURCES.Patient) as fc.Arbitrary<Resource>, (patient) => {
        const resource = { ...patient, resourceType: "Patient", id: "p" };
        expect(lostIn("Patient", resource, [STATEMENT, MEDICATION])).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test("of a Dosage", () => {
    const dosages = fc.array(valuesOf(dosage) as fc.Arbitrary<Json>, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(dosages, (dosage) => {
        const statement = { resourceType: "MedicationStatement", medicationCodeableConcept: { text: "x" }, dosage };
        expect(lostIn("MedicationStatement", statement, BESIDE)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

const GUIDE = readFileSync(join(import.meta.dirname, "..", "..", "web", "docs", "guides", "fhir.md"), "utf8");

/** The rows of a table of the guide, by its header, as lists of cells. */
function rowsOf(header: string): string[][] {
  const [, table = ""] = GUIDE.split(`\n${header}\n`);
  const lines = table.slice(0, table.indexOf("\n\n")).split("\n").slice(1);
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The elements that the tables of shapes mark as meaningless, by reason. */
function meaninglessByReason(): string[][] {
  const elements = new Map<string, string[]>();
  const collect = (shape: Table, path: string) => {
    if (shape.kind === "meaningless") {
      elements.set(shape.why, [...(elements.get(shape.why) ?? []), path]);
    } else if (shape.kind === "list") {
      collect(shape.element, path);
    } else if (shape.kind === "object") {
      for (const [element, child] of Object.entries<Table>(shape.elements)) {
        collect(child, `${path}.${element}`);
      }
    }
  };
  for (const [type, shape] of Object.entries(RESOURCES)) {
    collect(shape, type);
  }
  return [...elements].map(([why, paths]) => [why, [...new Set(paths.map(inDatatype))].join(", ")]);
}

/** The elements of data types are in many places. */
function inDatatype(path: string): string {
  return path
    .replace(/^.*\.coding\.version$/, "Coding.version")
    .replace(/^.*\.system$/, "Quantity.system")
    .replace(/^.*\.identifier\.(\w+)$/, "Identifier.$1")
    .replace(/^.*(eference|\.patient|\.subject)\.type$/, "Reference.type");
}

test("the guide lists each element without clinical meaning, and why", () => {
  const lines = GUIDE.split("\n").filter((line) => line.startsWith("- ") && /: [A-Z]\w+\./.test(line));
  const listed = lines.map((line) => [line.slice(2, line.lastIndexOf(": ")), line.slice(line.lastIndexOf(": ") + 2)]);
  expect(listed).toEqual(meaninglessByReason());
  expect(rowsOf("| what else has no meaning of its own | why |").map(([what]) => what)).toEqual(
    Object.keys(WITHOUT_MEANING),
  );
});
