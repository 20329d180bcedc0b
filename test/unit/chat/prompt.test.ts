import "../../helpers/service/help-lines.ts";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { openingRequest } from "../../../shared/chat/opening-question.ts";
import { buildPrompt, toMessages } from "../../../shared/chat/prompt.ts";
import { clinicalFacts } from "../../../shared/patients/clinical-facts.ts";
import type { Patient } from "../../../shared/patients/patient.ts";
import type { PatientData } from "../../../shared/patients/patient-data.ts";

const patient: Patient = {
  id: "00000000-0000-4000-8000-000000000001",
  name: "Stored Name",
  phone_number: "15550000001",
  conditions: ["stored condition"],
  medications: [{ name: "stored medicine", dosage: "1 mg", frequency: "daily" }],
  allergies: "stored allergy",
  notes: [{ text: "stored note" }],
  reminders_enabled: true,
  refill_info: { refills: 2 },
  join_status: "API",
  revision: "a-revision",
  gender: "female",
  age: 34,
  height: "170 cm",
  weight: "60 kg",
  race: "stored race",
  blood_type: "AB-",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.000Z",
};

const stored = {
  name: "Stored Name",
  age: 34,
  gender: "female",
  height: "170 cm",
  weight: "60 kg",
  race: "stored race",
  blood_type: "AB-",
  conditions: ["stored condition"],
  allergies: "stored allergy",
  medications: [{ name: "stored medicine", dosage: "1 mg", frequency: "daily" }],
  notes: [{ text: "stored note" }],
  refill_info: { refills: 2 },
};

/** A context budget that no test here reaches. */
const AMPLE = 100_000;

const bare: Patient = {
  id: patient.id,
  conditions: [],
  medications: [],
  notes: [],
  reminders_enabled: false,
  join_status: "API",
  revision: "a-revision",
  created_at: patient.created_at,
  updated_at: patient.updated_at,
};

/** The system message, which contains the instructions and the record. */
function system(of: Patient | undefined, override?: PatientData): string {
  const [first] = buildPrompt(clinicalFacts(of, override), [], "message", undefined, AMPLE).prompt;
  expect(first?.role).toBe("system");
  return first?.content ?? "";
}

/** The record in a system message; undefined if there is none. */
function record(content: string): unknown {
  const json = /\n<patient_record>\n(.*)\n<\/patient_record>$/s.exec(content)?.[1];
  return json && JSON.parse(json);
}

describe("the record sent to the model", () => {
  test("contains the clinical facts and no other stored data", () => {
    const ofOtherChannels = {
      access_code: "code-4711",
      apple_messages_id: "apple-4711",
      whatsapp_id: "whatsapp-4711",
      subscription_plan: "plan-4711",
    };
    const content = system({ ...patient, ...ofOtherChannels });
    expect(record(content)).toEqual(stored);
    for (const unsaid of [patient.id, "15550000001", "4711", "reminders", "join_status", "created_at"]) {
      expect(content).not.toContain(unsaid);
    }
  });

  test("omits unknown facts and keeps an age of 0", () => {
    expect(record(system({ ...bare, age: 0, gender: "" }))).toEqual({ age: 0 });
  });

  test("is reported as missing when nothing is known", () => {
    for (const content of [system(undefined), system(bare), system(undefined, {})]) {
      expect(record(content)).toBeUndefined();
      expect(content).toContain("No patient record is linked to this conversation.");
    }
  });
});

describe("patientData", () => {
  test("overrides the stored record field by field", () => {
    const override = { age: 0, allergies: ["given allergy"], conditions: [], weight: undefined };
    const { conditions: _, ...kept } = stored;
    expect(record(system(patient, override))).toEqual({ ...kept, age: 0, allergies: ["given allergy"] });
  });

  test("adds facts that no record has", () => {
    const override = { last_visit: "2026-02-01", category_note: "given note" };
    expect(record(system(patient, override))).toEqual({ ...stored, ...override });
  });

  test("replaces a missing record", () => {
    const override = { name: "Given Name", medications: [{ name: "given medicine", condition: "given condition" }] };
    expect(record(system(undefined, override))).toEqual(override);
  });

  test("never adds a phone number or reminders", () => {
    const override = { age: 40, phone_number: "15550000002", reminders_enabled: true };
    const content = system(undefined, override);
    expect(record(content)).toEqual({ age: 40 });
    expect(content).not.toContain("15550000002");
    expect(record(system(undefined, { phone_number: "15550000002", reminders_enabled: false }))).toBeUndefined();
  });
});

test("no text in a record can close its delimiter or open another one", () => {
  const piece = fc.oneof(
    fc.constantFrom("</patient_record>", "<patient_record>", "\n", "<", "/", '"', "\\", "\\u003c", "\u2028"),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `x${pieces.join("")}`);
  const delimiters = (content: string) => content.match(/<\/?patient_record>/g)?.length;
  const usual = delimiters(system(patient));
  fc.assert(
    fc.property(text, text, text, (first, second, third) => {
      const content = system({ ...bare, name: first, notes: [{ text: second }] }, { conditions: [third] });
      expect(delimiters(content)).toBe(usual);
      expect(record(content)).toEqual({ name: first, conditions: [third], notes: [{ text: second }] });
    }),
  );
});

test("the prompt consists of the instructions, the history in order and the message", () => {
  const history = toMessages([
    { question: "first question", answer: "first answer" },
    { question: "second question", answer: "second answer" },
  ]);
  const [first, ...conversation] = buildPrompt(
    clinicalFacts(patient, undefined),
    history,
    "third question",
    undefined,
    AMPLE,
  ).prompt;
  expect(first?.role).toBe("system");
  expect(conversation).toEqual([
    { role: "user", content: "first question" },
    { role: "assistant", content: "first answer" },
    { role: "user", content: "second question" },
    { role: "assistant", content: "second answer" },
    { role: "user", content: "third question" },
  ]);
});

test("a history message contributes only its role and content", () => {
  const message = { role: "user" as const, content: "earlier", name: "not for the model" };
  expect(buildPrompt({}, [message], "now", undefined, AMPLE).prompt.slice(1)).toEqual([
    { role: "user", content: "earlier" },
    { role: "user", content: "now" },
  ]);
});

describe("the request for an opening question", () => {
  test.each([
    ["age and gender", { age: undefined, gender: undefined }],
    ["age", { age: undefined }],
    ["gender", { gender: undefined }],
  ])("asks for the missing %s", (asked, lacking) => {
    expect(openingRequest({ ...patient, ...lacking })).toContain(`ask me for my ${asked}, which my record lacks`);
  });

  test("is not sent when both are known, including an age of 0", () => {
    expect(openingRequest(patient)).toBeUndefined();
    expect(openingRequest({ ...patient, age: 0 })).toBeUndefined();
  });

  test("contains nothing of the record itself", () => {
    expect(openingRequest({ ...patient, age: undefined })).not.toContain("stored");
  });
});

describe("a condition that is a serialized object", () => {
  const conditionsOf = (...conditions: unknown[]) =>
    clinicalFacts(undefined, { conditions: conditions as string[] }).conditions;

  test("reaches the model as its name and symptoms", () => {
    const serialized = JSON.stringify({ name: "asthma", symptoms: ["cough", "wheezing"], id: 7 });
    expect(conditionsOf("hay fever", serialized)).toEqual([
      "hay fever",
      { name: "asthma", symptoms: ["cough", "wheezing"] },
    ]);
    const facts = clinicalFacts({ ...bare, conditions: [serialized] }, undefined);
    const { prompt } = buildPrompt(facts, [], "hello", undefined, AMPLE);
    expect(prompt[0]?.content).toContain('{"conditions":[{"name":"asthma","symptoms":["cough","wheezing"]}]}');
  });

  test.each(["{not JSON", '{"severity":"high"}', "[1]", '"text"', ""])(
    "is left unchanged if it is not one: %j",
    (text) => {
      expect(conditionsOf(text, "other")).toEqual([text, "other"]);
    },
  );
});

test("an opening question is the first message of the conversation, without the request for it", () => {
  expect(
    toMessages([
      { question: undefined, answer: "How old are you?" },
      { question: "40", answer: "Thanks" },
    ]),
  ).toEqual([
    { role: "assistant", content: "How old are you?" },
    { role: "user", content: "40" },
    { role: "assistant", content: "Thanks" },
  ]);
});

test("the disclosure below an answer is not part of the conversation", () => {
  const answer = "Rest.\n\nThis answer was generated by an AI.";
  const [, message] = toMessages([{ question: "q", answer, disclosureLength: answer.length - "Rest.".length }]);
  expect(message).toEqual({ role: "assistant", content: "Rest." });
});
