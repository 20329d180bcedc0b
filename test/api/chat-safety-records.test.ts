import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "@jest/globals";
import { variableOf } from "../../local/service.ts";
import { documentClient } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { patientKey } from "../../shared/dynamo/keys.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import { CARDIAC, EMERGENCY_TEXT, HARMLESS } from "../helpers/safety-messages.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const OVERDOSE = "I took 50 tylenol pills because I want to die";
const QUESTION = "Can I take ibuprofen?";
const HOSTILE = { toString: 1, valueOf: null, toJSON: "x", constructor: null };

/** Alters a patient's stored item, as a version of the service that knew other limits may have left it. */
async function store(patientId: string, fields: Record<string, unknown>) {
  const TableName = variableOf(readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? ""), "PATIENTS_TABLE");
  const client = documentClient(service.dynamoDbEndpoint);
  const names = Object.keys(fields);
  await client.send(
    new UpdateCommand({
      TableName,
      Key: patientKey(LOCAL_TENANT, patientId),
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, fields[name]])),
    }),
  );
  client.destroy();
}

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** What callers may store, and what an earlier version may have stored. */
const STORED: [string, object][] = [
  ["members of an object that are not functions", { notes: [{ status: HOSTILE, name: HOSTILE }] }],
  ["a serialized condition with such members", { conditions: [JSON.stringify({ name: HOSTILE, symptoms: HOSTILE })] }],
  ["a serialized condition that is nested deep", { conditions: [`{"name":${nested(7_900)}}`] }],
  ["a list of as many values as there may be", { notes: [{ status: Array.from({ length: 4_900 }, () => [1]) }] }],
  ["as many Han characters as there may be", { notes: [{ text: "哮喘阿司匹林".repeat(5_000) }] }],
];
const OLDER: [string, Record<string, unknown>][] = [
  ["130,000 numbers", { notes: JSON.stringify([{ status: Array.from({ length: 130_000 }, () => 1) }]) }],
  ["100,000 Han characters", { notes: JSON.stringify([{ text: "哮喘阿司匹林".repeat(17_000) }]) }],
];
const UNREADABLE: [string, Record<string, unknown>][] = [
  ["notes that are not JSON", { notes: "{" }],
  ["a clinical list of nothing", { clinical: "[null]" }],
];

describe("a record of a patient in danger", () => {
  test.each(STORED)("with %s takes nothing away from an alert, nor from a caution", async (_, fields) => {
    const { id: patientId } = await service.newPatient({ ...fields, allergies: "aspirin" });
    await answersBoth(patientId);
  });

  test.each(OLDER)("that has had %s since there was no limit is read, too", async (_, fields) => {
    const { id: patientId } = await service.newPatient({ allergies: "aspirin" });
    await store(patientId, fields);
    await answersBoth(patientId);
  });

  test.each(UNREADABLE)("with %s takes nothing away from an alert", async (_, fields) => {
    const { id: patientId } = await service.newPatient({ allergies: "aspirin" });
    const threadId = await service.newThread({ patientId });
    await store(patientId, fields);
    await answersEmergency(threadId);
    const { status, body } = await service.chat({ message: HARMLESS, patientId });
    expect({ status, body }).toEqual({
      status: 500,
      body: { success: false, error: "Failed to process chat request" },
    });
  });

  test("is no reason for a failure if the request brings it", async () => {
    for (const fields of [{ conditions: [{ status: HOSTILE }] }, { allergies: [{ status: HOSTILE, name: HOSTILE }] }]) {
      const { status, body } = await service.chat({ message: OVERDOSE, patientData: fields });
      expect({ status, response: body.response }).toEqual({
        status: 200,
        response: expect.stringMatching(EMERGENCY_TEXT),
      });
    }
  });

  async function answersBoth(patientId: string) {
    await answersEmergency(await service.newThread({ patientId }));
    const { status, body } = await service.chat({ message: QUESTION, patientId, include: ["parts"] });
    expect(status).toBe(200);
    expect(body.parts).toContainEqual(expect.objectContaining({ kind: "caution", basis: "allergy" }));
  }

  async function answersEmergency(threadId: string) {
    for (const [index, message] of [OVERDOSE, CARDIAC].entries()) {
      const { status, body } = await service.chat({ message, threadId });
      expect({ status, response: body.response }).toEqual({
        status: 200,
        response: expect.stringMatching(EMERGENCY_TEXT),
      });
      expect((await service.thread(threadId)).messageCount).toBe(2 * (index + 1));
    }
  }
});

describe("a text, a list or an object of a record that is longer than any honest one", () => {
  const manyValues = { readings: Array.from({ length: 10_001 }, () => 1) };
  const rejected: [string, object, string, string][] = [
    ["a list in a note", { notes: [manyValues] }, "notes.0", "must have at most 10000 values"],
    ["refill_info", { refill_info: manyValues }, "refill_info", "must have at most 10000 values"],
    [
      "a text in a note",
      { notes: [{ text: "药".repeat(32_001) }] },
      "notes.0",
      "must not have a text of more than 32000 characters",
    ],
    [
      "a name in a note",
      { notes: [{ ["a".repeat(32_001)]: 1 }] },
      "notes.0",
      "must not have a text of more than 32000 characters",
    ],
    ["a condition", { conditions: ["药".repeat(16_001)] }, "conditions.0", "must have at most 16000 characters"],
    [
      "a dosage",
      { medications: [{ name: "a", dosage: "1".repeat(2_001) }] },
      "medications.0.dosage",
      "must have at most 2000 characters",
    ],
    ["a name", { name: "a".repeat(2_001) }, "name", "must have at most 2000 characters"],
  ];
  test.each(rejected)("is a 400 that names the limit: %s", async (_, fields, path, message) => {
    const patient = { name: "Pat Example", ...fields };
    const { status, body } = await service.call("POST", "/patients", { body: patient });
    expect({ status, details: body.details }).toEqual({ status: 400, details: [{ path, message }] });
    const { id } = await service.newPatient();
    const patched = await service.call("PATCH", `/patients/${id}`, { body: fields });
    expect({ status: patched.status, details: patched.body.details }).toEqual({
      status: 400,
      details: [{ path, message }],
    });
  });

  test.each([
    ["category_note", { category_note: "药".repeat(16_001) }],
    ["height", { height: "1".repeat(2_001) }],
  ])("is a 400 in patientData, too: %s", async (field, patientData) => {
    const { status, body } = await service.chat({ message: HARMLESS, patientData });
    expect({ status, path: body.details?.[0].path }).toEqual({ status: 400, path: `patientData.${field}` });
  });
});
