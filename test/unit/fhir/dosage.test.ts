import { describe, expect, test } from "@jest/globals";
import { dosage as shape } from "../../../shared/fhir/datatypes.ts";
import { takingOf } from "../../../shared/fhir/dosage.ts";
import { listOf, read } from "../../../shared/fhir/shape.ts";

type Json = Record<string, unknown>;

/** What a record says about how a medicine is taken, and the paths of what it does not say. */
function taking(...dosages: object[]): { said: string; ignored: string[] } {
  const ignored: string[] = [];
  const name = (path: string) => ignored.push(path.replace(/^dosage(\[0\]\.?)?/, ""));
  const values = read(listOf(shape), dosages, "dosage", name) ?? [];
  const { dosage, frequency } = takingOf(values, "dosage", name);
  return { said: [dosage, frequency].filter((text) => text !== undefined).join(" | "), ignored };
}

const repeat = (elements: object, more: object = {}) => ({ timing: { repeat: elements }, ...more });
const tablets = (value: number) => ({ doseAndRate: [{ doseQuantity: { value, unit: "tablet" } }] });
const UCUM = "http://unitsofmeasure.org";
const GTS = "http://terminology.hl7.org/CodeSystem/v3-GTSAbbreviation";
const whole = (code: string) => ({ timing: { code: { coding: [{ system: GTS, code }] } } });
const when = (...codes: string[]) => repeat({ when: codes });
const concept = (text: string) => ({ text });

/**
 * Dosages with what a record says. Reviewed against the definitions of FHIR R4: "Dosage", "Timing", and the value sets
 * event-timing, timing-abbreviation, units-of-time, days-of-week and quantity-comparator.
 */
const TABLE: [string, object | object[], string][] = [
  // Amounts.
  ["an amount", tablets(2), "2 tablets"],
  ["one of something", tablets(1), "1 tablet"],
  ["a half", tablets(0.5), "0.5 tablets"],
  ["nothing", tablets(0), "0 tablets"],
  ["no milligrams", { doseAndRate: [{ doseQuantity: { value: 0, unit: "mg" } }] }, "0 mg"],
  ["a unit as a code", { doseAndRate: [{ doseQuantity: { value: 5, system: UCUM, code: "mg" } }] }, "5 mg"],
  [
    "a unit as an annotation",
    { doseAndRate: [{ doseQuantity: { value: 3, system: UCUM, code: "{puff}" } }] },
    "3 puffs",
  ],
  ["no unit", { doseAndRate: [{ doseQuantity: { value: 2 } }] }, "2"],
  ["UCUM's unit for none", { doseAndRate: [{ doseQuantity: { value: 2, system: UCUM, code: "1" } }] }, "2"],
  [
    "less than an amount",
    { doseAndRate: [{ doseQuantity: { value: 5, unit: "mg", comparator: "<" } }] },
    "less than 5 mg",
  ],
  [
    "at most an amount",
    { doseAndRate: [{ doseQuantity: { value: 5, unit: "mg", comparator: "<=" } }] },
    "at most 5 mg",
  ],
  [
    "at least an amount",
    { doseAndRate: [{ doseQuantity: { value: 5, unit: "mg", comparator: ">=" } }] },
    "at least 5 mg",
  ],
  [
    "more than an amount",
    { doseAndRate: [{ doseQuantity: { value: 5, unit: "mg", comparator: ">" } }] },
    "more than 5 mg",
  ],
  [
    "a range",
    { doseAndRate: [{ doseRange: { low: { value: 1, unit: "tablet" }, high: { value: 2, unit: "tablet" } } }] },
    "1–2 tablets",
  ],
  [
    "a range whose low end has no unit",
    { doseAndRate: [{ doseRange: { low: { value: 1 }, high: { value: 2, unit: "tablet" } } }] },
    "1–2 tablets",
  ],
  [
    "a range of two units",
    { doseAndRate: [{ doseRange: { low: { value: 500, unit: "mg" }, high: { value: 1, unit: "g" } } }] },
    "500 mg to 1 g",
  ],
  [
    "a range without a low end",
    { doseAndRate: [{ doseRange: { high: { value: 2, unit: "tablet" } } }] },
    "up to 2 tablets",
  ],
  [
    "a range without a high end",
    { doseAndRate: [{ doseRange: { low: { value: 2, unit: "tablet" } } }] },
    "at least 2 tablets",
  ],
  [
    "a rate",
    { doseAndRate: [{ rateRatio: { numerator: { value: 100, unit: "mL" }, denominator: { value: 1, code: "h" } } }] },
    "at 100 mL an hour",
  ],
  [
    "a rate per several hours",
    { doseAndRate: [{ rateRatio: { numerator: { value: 100, unit: "mL" }, denominator: { value: 2, unit: "h" } } }] },
    "at 100 mL per 2 hours",
  ],
  ["a rate as a quantity", { doseAndRate: [{ rateQuantity: { value: 2, unit: "L/min" } }] }, "at 2 L/min"],
  [
    "a rate as a range",
    { doseAndRate: [{ rateRange: { low: { value: 1, unit: "L/min" }, high: { value: 3, unit: "L/min" } } }] },
    "at 1–3 L/min",
  ],
  [
    "an amount at a rate",
    { doseAndRate: [{ doseQuantity: { value: 500, unit: "mL" }, rateQuantity: { value: 50, unit: "mL/h" } }] },
    "500 mL at 50 mL/h",
  ],
  [
    "what kind of amount it is",
    { doseAndRate: [{ type: concept("Calculated"), doseQuantity: { value: 70, unit: "mg" } }] },
    "70 mg (Calculated)",
  ],
  [
    "two amounts",
    {
      doseAndRate: [
        { type: concept("Calculated"), doseQuantity: { value: 70, unit: "mg" } },
        { type: concept("Ordered"), doseQuantity: { value: 75, unit: "mg" } },
      ],
    },
    "70 mg (Calculated); 75 mg (Ordered)",
  ],
  // Where and how.
  ["a route", { ...tablets(1), route: concept("Oral") }, "1 tablet; route: Oral"],
  [
    "a site",
    { doseAndRate: [{ doseQuantity: { value: 1, unit: "drop" } }], site: concept("left eye") },
    "1 drop; site: left eye",
  ],
  ["a method", { ...tablets(1), method: { coding: [{ display: "Swallow" }] } }, "1 tablet; method: Swallow"],
  [
    "an instruction",
    { ...tablets(1), additionalInstruction: [concept("Do not drink alcohol")] },
    "1 tablet; Do not drink alcohol",
  ],
  [
    "an instruction to the patient",
    { patientInstruction: "Take with water", ...tablets(1) },
    "Take with water; 1 tablet",
  ],
  // How often.
  ["every day", repeat({ frequency: 1, period: 1, periodUnit: "d" }), "once a day"],
  ["twice a day", repeat({ frequency: 2, period: 1, periodUnit: "d" }), "twice a day"],
  ["several times a day", repeat({ frequency: 3, period: 1, periodUnit: "d" }), "3 times a day"],
  ["never", repeat({ frequency: 0, period: 1, periodUnit: "d" }), "0 times a day"],
  ["a period without a frequency, which is once", repeat({ period: 6, periodUnit: "h" }), "once every 6 hours"],
  [
    "a choice of frequencies",
    repeat({ frequency: 1, frequencyMax: 2, period: 1, periodUnit: "d" }),
    "1 to 2 times a day",
  ],
  ["the most frequent", repeat({ frequencyMax: 4, period: 1, periodUnit: "d" }), "up to 4 times a day"],
  [
    "a choice of periods",
    repeat({ frequency: 1, period: 4, periodMax: 6, periodUnit: "h" }),
    "once every 4 to 6 hours",
  ],
  ["every week", repeat({ frequency: 1, period: 1, periodUnit: "wk" }), "once a week"],
  ["every two weeks", repeat({ period: 2, periodUnit: "wk" }), "once every 2 weeks"],
  ["every month", repeat({ frequency: 1, period: 1, periodUnit: "mo" }), "once a month"],
  ["every year", repeat({ frequency: 1, period: 1, periodUnit: "a" }), "once a year"],
  ["every minutes", repeat({ period: 15, periodUnit: "min" }), "once every 15 minutes"],
  ["every seconds", repeat({ period: 30, periodUnit: "s" }), "once every 30 seconds"],
  ["every hour", repeat({ period: 1, periodUnit: "h" }), "once an hour"],
  ["a number of times, without a period", repeat({ frequency: 2 }), "twice"],
  // Days and times.
  [
    "once a week, on a day",
    repeat({ frequency: 1, period: 1, periodUnit: "wk", dayOfWeek: ["mon"] }),
    "once a week, on Monday",
  ],
  ["a day only", repeat({ dayOfWeek: ["mon"] }), "every Monday"],
  [
    "once a day, on a day",
    repeat({ frequency: 1, period: 1, periodUnit: "d", dayOfWeek: ["mon"] }),
    "once each Monday",
  ],
  [
    "twice a day, on some days",
    repeat({ frequency: 2, period: 1, periodUnit: "d", dayOfWeek: ["mon", "wed", "fri"] }),
    "twice each Monday, Wednesday and Friday",
  ],
  [
    "all other days",
    repeat({ dayOfWeek: ["tue", "thu", "sat", "sun"] }),
    "every Tuesday, Thursday, Saturday and Sunday",
  ],
  ["times of the day", repeat({ timeOfDay: ["08:00:00", "20:30:00"] }), "at 08:00 and 20:30"],
  ["a time with seconds", repeat({ timeOfDay: ["08:00:30"] }), "at 08:00:30"],
  ["in the morning", when("MORN"), "in the morning"],
  [
    "in the early and the late morning",
    when("MORN.early", "MORN.late"),
    "in the early morning and in the late morning",
  ],
  ["at noon", when("NOON"), "at noon"],
  [
    "in the afternoon",
    when("AFT", "AFT.early", "AFT.late"),
    "in the afternoon, in the early afternoon and in the late afternoon",
  ],
  [
    "in the evening",
    when("EVE", "EVE.early", "EVE.late"),
    "in the evening, in the early evening and in the late evening",
  ],
  ["at night", when("NIGHT"), "at night"],
  ["after going to sleep", when("PHS"), "after going to sleep"],
  ["before going to sleep", when("HS"), "before going to sleep"],
  ["after waking up", when("WAKE"), "after waking up"],
  ["with meals", when("C", "CM", "CD", "CV"), "with a meal, with breakfast, with lunch and with dinner"],
  ["before meals", when("AC", "ACM", "ACD", "ACV"), "before a meal, before breakfast, before lunch and before dinner"],
  ["after meals", when("PC", "PCM", "PCD", "PCV"), "after a meal, after breakfast, after lunch and after dinner"],
  [
    "between meals",
    when("IC", "ICM", "ICD", "ICV"),
    "between meals, between breakfast and lunch, between lunch and dinner and between dinner and going to sleep",
  ],
  ["minutes before", repeat({ when: ["ACM"], offset: 30 }), "30 minutes before breakfast"],
  ["minutes after", repeat({ when: ["PCV"], offset: 1 }), "1 minute after dinner"],
  ["minutes from a meal, which are after it", repeat({ when: ["CD"], offset: 20 }), "20 minutes after lunch"],
  ["no minutes before", repeat({ when: ["HS"], offset: 0 }), "0 minutes before going to sleep"],
  // How long.
  ["a duration", repeat({ duration: 30, durationUnit: "min" }), "for 30 minutes each time"],
  ["a choice of durations", repeat({ duration: 1, durationMax: 2, durationUnit: "h" }), "for 1 to 2 hours each time"],
  ["a number of times in all", repeat({ count: 10 }), "10 times in all"],
  ["a choice of numbers in all", repeat({ count: 10, countMax: 12 }), "10 to 12 times in all"],
  ["some days", repeat({ boundsDuration: { value: 7, unit: "days", code: "d" } }), "for 7 days"],
  ["one day", repeat({ boundsDuration: { value: 1, code: "d" } }), "for 1 day"],
  [
    "a choice of days",
    repeat({ boundsRange: { low: { value: 7, code: "d" }, high: { value: 10, code: "d" } } }),
    "for 7–10 days",
  ],
  [
    "a period",
    repeat({ boundsPeriod: { start: "2026-01-02", end: "2026-01-09" } }),
    "from 2026-01-02 until 2026-01-09",
  ],
  ["an end", repeat({ boundsPeriod: { end: "2026-01-09" } }), "until 2026-01-09"],
  ["a moment", { timing: { event: ["2026-01-02T08:00:00Z", "2026-01-03"] } }, "on 2026-01-02T08:00:00Z and 2026-01-03"],
  // Codes of whole timings.
  ...(
    [
      ["BID", "twice a day"],
      ["TID", "3 times a day"],
      ["QID", "4 times a day"],
      ["AM", "every morning"],
      ["PM", "every afternoon"],
      ["QD", "once a day"],
      ["QOD", "every other day"],
      ["Q1H", "every hour"],
      ["Q2H", "every 2 hours"],
      ["Q3H", "every 3 hours"],
      ["Q4H", "every 4 hours"],
      ["Q6H", "every 6 hours"],
      ["Q8H", "every 8 hours"],
      ["BED", "at bedtime"],
      ["WK", "once a week"],
      ["MO", "once a month"],
    ] as const
  ).map(([code, words]): [string, object, string] => [`the code ${code}`, whole(code), words]),
  [
    "a code with somebody's words",
    { timing: { code: { text: "with the evening news", coding: [{ code: "PM" }] } } },
    "with the evening news",
  ],
  [
    "a code and the same in a structure",
    { timing: { code: { coding: [{ code: "BID" }] }, repeat: { frequency: 2, period: 1, periodUnit: "d" } } },
    "twice a day",
  ],
  [
    "a code and as often in a structure",
    { timing: { code: { coding: [{ code: "BID" }] }, repeat: { period: 12, periodUnit: "h" } } },
    "twice a day, once every 12 hours",
  ],
  // As needed, and limits.
  ["as needed", { asNeededBoolean: true }, "as needed"],
  ["not only as needed", { ...tablets(1), asNeededBoolean: false }, "1 tablet"],
  ["as needed for something", { asNeededCodeableConcept: concept("pain") }, "as needed for pain"],
  [
    "a limit a day",
    { maxDosePerPeriod: { numerator: { value: 4, unit: "tablet" }, denominator: { value: 1, code: "d" } } },
    "at most 4 tablets a day",
  ],
  [
    "a limit in hours",
    { maxDosePerPeriod: { numerator: { value: 4, unit: "g" }, denominator: { value: 24, unit: "h" } } },
    "at most 4 g per 24 hours",
  ],
  ["a limit for one time", { maxDosePerAdministration: { value: 2, unit: "tablet" } }, "at most 2 tablets at once"],
  ["a limit for a life", { maxDosePerLifetime: { value: 450, unit: "mg" } }, "at most 450 mg in a lifetime"],
  [
    "all at once",
    {
      doseAndRate: [{ doseRange: { low: { value: 1, unit: "tablet" }, high: { value: 2, unit: "tablet" } } }],
      timing: { repeat: { frequency: 1, period: 6, periodUnit: "h" } },
      asNeededCodeableConcept: concept("pain"),
      maxDosePerPeriod: { numerator: { value: 4 }, denominator: { value: 1, unit: "d" } },
    },
    "1–2 tablets | once every 6 hours, as needed for pain, at most 4 a day",
  ],
  // Several instructions.
  [
    "parts of a day",
    [
      { ...tablets(1), ...when("MORN") },
      { ...tablets(0), ...when("NOON") },
      { ...tablets(2), ...when("EVE") },
    ],
    "1 tablet in the morning; 0 tablets at noon; 2 tablets in the evening",
  ],
  [
    "equal amounts at different times",
    [
      { ...tablets(1), ...when("MORN") },
      { ...tablets(1), ...when("EVE") },
    ],
    "1 tablet in the morning; 1 tablet in the evening",
  ],
  [
    "steps, whatever their order",
    [
      { sequence: 2, ...tablets(1), ...repeat({ boundsDuration: { value: 5, code: "d" } }) },
      { sequence: 1, ...tablets(2), ...repeat({ boundsDuration: { value: 3, code: "d" } }) },
    ],
    "step 1: 2 tablets for 3 days; step 2: 1 tablet for 5 days",
  ],
  // A text that somebody wrote comes first.
  ["a text", { text: "One at night" }, "One at night"],
  [
    "a text and what it does not say",
    { text: "Take with food", ...tablets(2), ...repeat({ frequency: 2, period: 1, periodUnit: "d" }) },
    "Take with food; 2 tablets | twice a day",
  ],
  [
    "a text that says it",
    { text: "Take two tablets twice a day", ...tablets(2), ...repeat({ frequency: 2, period: 1, periodUnit: "d" }) },
    "Take two tablets twice a day",
  ],
  [
    "a text that says it in other words",
    { text: "1 tablet b.i.d.", ...tablets(1), ...repeat({ frequency: 2, period: 1, periodUnit: "d" }) },
    "1 tablet b.i.d.",
  ],
  [
    "a text that says how often, not how much",
    { text: "1 x daily", ...tablets(2), ...repeat({ frequency: 1, period: 1, periodUnit: "d" }) },
    "1 x daily; 2 tablets",
  ],
  [
    "a text and a limit",
    {
      text: "1 tablet",
      maxDosePerPeriod: { numerator: { value: 4, unit: "tablet" }, denominator: { value: 1, unit: "d" } },
    },
    "1 tablet | at most 4 tablets a day",
  ],
  [
    "a text whose limit is not the amount",
    { text: "at most 4 tablets a day", ...tablets(4) },
    "at most 4 tablets a day; 4 tablets",
  ],
  [
    "a text whose number is another",
    { text: "11 mg", doseAndRate: [{ doseQuantity: { value: 1, unit: "mg" } }] },
    "11 mg; 1 mg",
  ],
  [
    "a text and when it is needed",
    { text: "1 tablet if needed", asNeededCodeableConcept: concept("pain") },
    "1 tablet if needed | as needed for pain",
  ],
  [
    "a text that says when it is needed",
    { text: "1 tablet as needed for pain", asNeededCodeableConcept: concept("pain"), route: concept("Oral") },
    "1 tablet as needed for pain; route: Oral",
  ],
  ["a text and another for the patient", { text: "5 mg", patientInstruction: "Do not chew" }, "5 mg; Do not chew"],
  ["a text that names the route", { text: "5 mg oral", route: concept("Oral") }, "5 mg oral"],
  [
    "texts of several instructions",
    [{ text: "1 in the morning" }, { text: "2 at night", route: concept("Oral") }],
    "1 in the morning; 2 at night, route: Oral",
  ],
];

describe("what a record says about how a medicine is taken", () => {
  test("has a row for each element and code", () => expect(TABLE.length).toBeGreaterThan(60));

  test.each(TABLE)("%s", (_, input, said) => {
    expect(taking(...[input].flat())).toEqual({ said, ignored: [] });
  });

  test.each<[string, object | object[], string, string[]]>([
    [
      "a code that FHIR does not have, of a day",
      repeat({ dayOfWeek: ["mon", "Monday"] }),
      "every Monday",
      ["timing.repeat.dayOfWeek[1]"],
    ],
    ["a code that FHIR does not have, of a time", when("MORN", "DUSK"), "in the morning", ["timing.repeat.when[1]"]],
    ["a time that is none", repeat({ timeOfDay: ["8 am"] }), "", ["timing.repeat.timeOfDay[0]"]],
    [
      "a unit that FHIR does not have",
      repeat({ frequency: 1, period: 1, periodUnit: "fortnight" }),
      "once",
      ["timing.repeat.period", "timing.repeat.periodUnit"],
    ],
    ["a duration without a unit", repeat({ duration: 5 }), "", ["timing.repeat.duration"]],
    ["an offset from nothing", repeat({ offset: 30 }), "", ["timing.repeat.offset"]],
    [
      "an offset from a part of the day",
      repeat({ when: ["MORN"], offset: 30 }),
      "in the morning",
      ["timing.repeat.offset"],
    ],
    [
      "codes without a name",
      { route: { coding: [{ code: "26643006" }] }, site: { coding: [{ code: "8966001" }] } },
      "",
      ["route", "site"],
    ],
    [
      "a timing that is a code without a name",
      { timing: { code: { coding: [{ code: "307439001" }] } } },
      "",
      ["timing.code"],
    ],
    [
      "an amount without a number",
      { doseAndRate: [{ doseQuantity: { unit: "mg" } }] },
      "",
      ["doseAndRate[0].doseQuantity"],
    ],
    [
      "a number as a text",
      { text: "daily", doseAndRate: [{ doseQuantity: { value: "2", unit: "mg" } }] },
      "daily",
      ["doseAndRate[0].doseQuantity.value", "doseAndRate[0].doseQuantity"],
    ],
    [
      "a comparator that FHIR does not have",
      { maxDosePerAdministration: { value: 2, comparator: "~" } },
      "",
      ["maxDosePerAdministration"],
    ],
    [
      "what differs from the text",
      { text: "once a week", ...repeat({ frequency: 1, period: 1, periodUnit: "d" }) },
      "once a week",
      ["timing.repeat.frequency", "timing.repeat.period", "timing.repeat.periodUnit"],
    ],
    [
      "an instruction that an extension changes",
      { text: "daily", modifierExtension: [{ url: "urn:x", valueBoolean: true }] },
      "",
      [""],
    ],
    ["an extension", { text: "daily", extension: [{ url: "urn:x", valueBoolean: true }] }, "daily", ["extension"]],
    [
      "an element that FHIR does not have",
      { text: "daily", asNeededFor: [{ text: "pain" }] },
      "daily",
      ["asNeededFor"],
    ],
  ])("%s is named", (_, input, said, ignored) => {
    expect(taking(...[input].flat())).toEqual({ said, ignored });
  });

  test("what is taken once a week never reads as daily", () => {
    for (const elements of [
      { frequency: 1, period: 1, periodUnit: "wk", dayOfWeek: ["mon"] },
      { frequency: 1, period: 7, periodUnit: "d" },
      { dayOfWeek: ["mon"] },
      { frequency: 1, period: 1, periodUnit: "d", dayOfWeek: ["mon"] },
    ] satisfies Json[]) {
      expect(taking(repeat(elements)).said).not.toMatch(/dai|a day|every day$/);
      expect(taking(repeat(elements)).said).toMatch(/week|Monday|7 days/);
    }
  });
});
