import "../../helpers/service/help-lines.ts";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { openingRequest } from "../../../shared/chat/opening-question.ts";
import { buildPrompt, toMessages } from "../../../shared/chat/prompt.ts";
import { clinicalFacts } from "../../../shared/patients/clinical-facts.ts";
import type { Patient } from "../../../shared/patients/patient.ts";
import type { PatientData } from "../../../shared/patients/patient-data.ts";

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

const bare: Patient = {
  id: "00000000-0000-4000-8000-000000000001",
  conditions: [],
  medications: [],
  notes: [],
  reminders_enabled: false,
  join_status: "API",
  revision: "a-revision",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.000Z",
};

const patient: Patient = { ...bare, ...stored, phone_number: "15550000001", reminders_enabled: true };

/** A context budget that no test here reaches. */
const AMPLE = 100_000;

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

  test("is reported as missing when nothing is known", () => {
    for (const content of [system(undefined), system(bare), system(undefined, {})]) {
      expect(record(content)).toBeUndefined();
      expect(content).toContain("No patient record is linked to this conversation.");
    }
  });
});

test("patientData never adds a phone number or reminders, and overrides only with what it contains", () => {
  const override = { phone_number: "15550000002", reminders_enabled: true };
  expect(record(system(undefined, override))).toBeUndefined();
  const content = system(patient, { ...override, age: 0, gender: "", weight: undefined });
  const { gender: _, ...kept } = stored;
  expect(record(content)).toEqual({ ...kept, age: 0 });
  expect(content).not.toContain("15550000002");
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

test("the request for an opening question contains nothing of the record itself", () => {
  expect(openingRequest({ ...patient, age: undefined })).not.toContain("stored");
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

test("the disclosure below an answer is not part of the conversation", () => {
  const answer = "Rest.\n\nThis answer was generated by an AI.";
  const [, message] = toMessages([{ question: "q", answer, disclosureLength: answer.length - "Rest.".length }]);
  expect(message).toEqual({ role: "assistant", content: "Rest." });
});
