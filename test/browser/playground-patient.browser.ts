import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { echo } from "../helpers/model/scripted-model.ts";
import { API_KEY } from "../helpers/service/service.ts";
import {
  answers,
  choosePatient,
  conversation,
  converse,
  count,
  createPatient,
  dialog,
  enter,
  field,
  focused,
  lookUp,
  messageField,
  patient,
  pauseAnswer,
  press,
  say,
  service,
  setUpPlayground,
} from "./playground.ts";
import {
  expectAccessible,
  expectKeptNowhere,
  expectNoOverflow,
  expectShown,
  expectText,
  failedLoad,
  PHONE,
  type Visitor,
} from "./visitor.ts";

setUpPlayground();

/** The bodies of all patients that a page has created. */
const creations = (requests: Visitor["requests"]) =>
  requests.filter(({ url }) => url.endsWith("/patients")).map(({ body }) => body);

describe("the choice of a patient", () => {
  test("creates a sample patient once, and finds it again", async () => {
    for (const created of [1, 0]) {
      const { page, requests } = await enter();
      await press(page, "Choose a patient");
      await page.getByRole("button", { name: /Robert Example/ }).click();
      await expectText(page.locator("#record"), /warfarin 5 mg daily/);
      expect(creations(requests)).toHaveLength(created);
    }
  });

  test("of another, or of none, closes the conversation and ends its thread's answer", async () => {
    const { page, requests } = await enter();
    const [first, second] = [
      await createPatient({ name: "First Example" }),
      await createPatient({ name: "Second Example" }),
    ];
    await choosePatient(page, first);
    const resolve = pauseAnswer("Words for the first patient, and more of them.", 3);
    await say(page, "I am the first");
    await expectText(answers(page), /Words/);
    await choosePatient(page, second);
    expect(await conversation(page).textContent()).toBe("");
    await expectText(page.locator("#thread-id"), /^none yet$/);
    expect(await page.evaluate("sessionStorage.getItem('playground')")).toBe(JSON.stringify({ patientId: second }));
    resolve();
    service.model.script = echo;
    await converse(page, "I am the second");
    await expectText(conversation(page), /^Thread \d{5} begins, about Second Example\.PatientI am the second/);
    expect(await conversation(page).textContent()).not.toContain("first");
    const created = requests.filter(({ url }) => url.endsWith("/threads")).map(({ body }) => body);
    expect(created).toEqual([first, second].map((patientId) => JSON.stringify({ patientId })));

    await messageField(page).fill("A draft for the second.");
    await expectShown(page.locator("#traffic > li", { hasText: "POST /chat" }));
    await press(page, "Switch patient");
    await press(page, "Continue without a patient");
    await expectText(patient(page), /^No patient$/);
    expect(await conversation(page).textContent()).toBe("");
    expect(await messageField(page).inputValue()).toBe("");
    expect(await page.locator("#traffic > li").count()).toBe(0);

    await messageField(page).fill("A draft before anyone was chosen.");
    await choosePatient(page, first);
    expect(await messageField(page).inputValue()).toBe("A draft before anyone was chosen.");
  });
});

describe("a patient can be", () => {
  test("created on the spot: the conversation is about that patient, streamed, and counted", async () => {
    const { page, requests } = await enter();
    await press(page, "Choose a patient");
    await press(page, "Create a patient");
    await field(page, "Name").fill("Alex Example");
    await field(page, "Phone number").fill("(555) 010-0001");
    await field(page, "Age").fill("40");
    await field(page, "Gender").fill("female");
    await field(page, "Conditions").fill("asthma\nhay fever");
    await field(page, "Allergies").fill("penicillin");
    await press(page, "Create the patient");
    await expectText(patient(page), /^Alex Example$/);
    await press(page, "New thread");
    await expectText(conversation(page), /Thread \d{5} begins, about Alex Example\./);
    await expectText(count(page), /^0$/);

    const resolve = pauseAnswer("With asthma, ask your pharmacist first.", 3);
    await messageField(page).fill("What can I take for a headache?"); // without a drug, and so without a caution
    await page.keyboard.press("Enter");
    await expectText(answers(page), /With asthma,/);
    expect(await answers(page).textContent()).not.toContain("pharmacist first");
    await expectShown(page.getByRole("button", { name: "Stop" }));
    resolve();
    await expectText(answers(page), /With asthma, ask your pharmacist first\.$/);
    await expectText(page.locator(".message.assistant"), /^AssistantWith asthma/);
    await expectText(count(page), /^2$/);
    const prompt = JSON.stringify(service.model.requests.at(-1)?.body.messages);
    expect(prompt).toContain("hay fever");

    await expectText(page.locator("#polite"), /^Assistant: With asthma, ask your pharmacist first\.$/);
    await converse(page, "And how often?");
    await expectText(count(page), /^4$/);
    await expectKeptNowhere({ page, requests }, API_KEY);
  });

  test("found by phone number, whatever its format, and by ID", async () => {
    const { page, requests } = await enter({ expectedErrors: [failedLoad(404, "Not Found")] });
    const body = { name: "Sam Example", phone_number: "5550100002" };
    const { id } = (await service.call("POST", "/patients", { body })).body.patient;
    await lookUp(page, "+1 555.010.0002");
    await expectText(patient(page), /^Sam Example$/);
    await expectText(page.locator("#demographics"), /^\+1 555 010 0002$/);
    expect(creations(requests)).toEqual([]);
    await press(page, "Switch patient");
    await page.getByText("Find a patient by ID").click();
    await page.getByLabel("Patient ID").fill("7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11");
    await press(page, "Find by ID");
    await expectText(page.getByRole("alert"), /The service answers 404: Patient not found\./);
    await page.getByLabel("Patient ID").fill(id);
    await press(page, "Find by ID");
    await press(page, "New thread");
    await expectText(conversation(page), /begins, about Sam Example\./);
    expect(requests.findLast(({ url }) => url.endsWith("/threads"))?.body).toBe(JSON.stringify({ patientId: id }));
  });

  test("looked up without being created; creating one is another step", async () => {
    const { page, requests } = await enter({ expectedErrors: [failedLoad(400, "Bad Request")] });
    const search = async () =>
      (await service.call("POST", "/patients/search", { body: { phone_number: "5550100003" } })).body.patients;
    await lookUp(page, "555 010 0003");
    await expectText(page.getByRole("alert"), /^No patient has this phone number\. Nobody was created\./);
    expect([await search(), creations(requests)]).toEqual([[], []]);
    await press(page, "Create a patient with this number");
    await expectShown(dialog(page, "Create a patient"));
    expect(await field(page, "Phone number").inputValue()).toBe("+1 555 010 0003");
    expect(await search()).toEqual([]);
    await field(page, "Name").fill("Lou Example");
    await press(page, "Create the patient");
    await expectText(patient(page), /^Lou Example$/);
    expect(await search()).toMatchObject([{ name: "Lou Example", phone_number: "15550100003" }]);
    await press(page, "Switch patient");
    expect(await page.getByLabel("Phone number, any format").inputValue()).toBe("");
    await page.getByLabel("Phone number, any format").fill("12");
    await page.keyboard.press("Enter");
    await expectText(
      page.getByRole("alert"),
      /^The service answers 400: phone_number must have 10 digits, or 11 with the country code;/,
    );
  });

  test("created only if nobody has the phone number; who has it is said, and can be chosen", async () => {
    await createPatient({ name: "Owner Example", phone_number: "5550100004" });
    const { page } = await enter({ expectedErrors: [failedLoad(409, "Conflict")] });
    await press(page, "Choose a patient");
    await press(page, "Create a patient");
    await field(page, "Name").fill("Other Example");
    await field(page, "Phone number").fill("555-010-0004");
    await press(page, "Create the patient");
    await expectText(page.getByRole("alert"), /^Owner Example has this phone number already\. Nothing was saved\./);
    await expectText(patient(page), /^No patient$/);
    expect(await field(page, "Name").inputValue()).toBe("Other Example");
    await press(page, "Choose Owner Example");
    await expectText(patient(page), /^Owner Example$/);
  });
});

test("a lookup by keyboard alone gives the focus to the message, and Escape back to the button", async () => {
  await createPatient({ name: "Key Example", phone_number: "5550100006" });
  const { page } = await enter({ viewport: PHONE });
  await page.locator("#choose-patient").focus();
  await page.keyboard.press("Enter");
  expect(await focused(page)).toBe("lookup-phone");
  await page.keyboard.press("Escape");
  expect(await focused(page)).toBe("choose-patient");
  await page.keyboard.press("Enter");
  await page.keyboard.type("555 010 0006");
  await page.keyboard.press("Enter");
  await expectText(patient(page), /^Key Example$/);
  expect(await focused(page)).toBe("message");
});

const subject = { reference: "urn:uuid:1" };
const status = (code: string) => ({ coding: [{ code }] });
const PERSON = { resourceType: "Patient", name: [{ text: "Fay Example" }] };

/** A file with a Bundle: a patient, and what the record contains. */
function fileOf(person: object, ...resources: object[]) {
  const entry = [{ fullUrl: subject.reference, resource: person }, ...resources.map((resource) => ({ resource }))];
  const bundle = { resourceType: "Bundle", type: "collection", entry };
  return { name: "record.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(bundle)) };
}

const LATEX = { resourceType: "AllergyIntolerance", patient: subject, code: { text: "latex" }, criticality: "high" };
const GOUT = {
  resourceType: "Condition",
  subject,
  code: { text: "gout" },
  verificationStatus: status("refuted"),
};
const SHOT = { resourceType: "Immunization", patient: subject };

async function open(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(Choose a|Switch) patient$/ }).click();
  await press(page, "Import a FHIR file");
}

async function choose(page: Page, file: ReturnType<typeof fileOf>): Promise<void> {
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
  await press(page, "Import the record");
}

test("a FHIR file becomes a patient, and the page says what was taken over, what was not, and why", async () => {
  const { page } = await enter({ viewport: PHONE });
  await open(page);
  await choose(page, fileOf(PERSON, LATEX, GOUT, SHOT));
  await expectText(page.getByRole("alert"), /^The record of Fay Example was imported\.$/);
  await expectText(
    page.locator("#fhir-report"),
    /^Taken over \(1\)allergy: latex \(criticality high\)Ignored \(1\)Condition, Bundle\.entry\[2\]\.resource: was refutedOf types that are not read \(1\)Immunization: 1$/,
  );
  await expectAccessible(page);
  await expectNoOverflow(page);
  await dialog(page, "Import a record from FHIR").getByRole("button", { name: "Close" }).click();
  await expectText(patient(page), /^Fay Example$/);
  await expectText(page.locator("#record"), /^Allergieslatex/);
  expect(await page.locator("#fhir-report").textContent()).toBe("");
});

test("a file about a patient with a known phone number replaces what that patient's record contains, if asked to", async () => {
  const person = { ...PERSON, telecom: [{ system: "phone", value: "+15550140001" }] };
  const body = { name: "Gus Example", phone_number: "5550140001", medications: [{ name: "albuterol" }] };
  const { patient: owner } = (await service.call("POST", "/patients", { body })).body;
  const { page } = await enter({ expectedErrors: [failedLoad(409, "Conflict")] });
  await open(page);
  await choose(page, fileOf(person, LATEX));
  await expectText(page.getByRole("alert"), /^Gus Example has this phone number already\. Nothing was imported\./);
  await press(page, "Replace the clinical list of Gus Example");
  await expectText(
    page.locator("#fhir-report"),
    /^Taken over \(1\)allergy: latex \(criticality high\)Removed, because the file does not have it \(1\)medication: albuterol/,
  );
  const { allergies, medications } = (await service.call("GET", `/patients/${owner.id}`)).body.patient;
  expect([allergies, medications]).toEqual([expect.stringContaining("latex"), []]);
});

test("a file that is no record is refused with the reason, and its path", async () => {
  const { page } = await enter({ expectedErrors: [failedLoad(400, "Bad Request")] });
  await open(page);
  await choose(page, { name: "notes.json", mimeType: "application/json", buffer: Buffer.from("no JSON") });
  await expectText(page.getByRole("alert"), /^The file contains no JSON object\.$/);
  await choose(page, fileOf({ ...PERSON, name: [] }));
  await expectText(
    page.getByRole("alert"),
    /The service answers 400: .*Bundle\.entry\[0\]\.resource.*must have a name/,
  );
  expect(await page.locator("#fhir-report").textContent()).toBe("");
});
