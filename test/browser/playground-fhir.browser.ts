import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { dialog, enter, patient, press, service, setUpPlayground } from "./playground.ts";
import { expectAccessible, expectNoOverflow, expectText, failedLoad, PHONE } from "./visitor.ts";

setUpPlayground();

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
  await page.getByLabel("File").setInputFiles(file);
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
  await choose(page, fileOf({ ...PERSON, birthDate: 7 }));
  await expectText(page.getByRole("alert"), /The service answers 400: .*Bundle\.entry\[0\]\.resource\.birthDate/);
  expect(await page.locator("#fhir-report").textContent()).toBe("");
});
