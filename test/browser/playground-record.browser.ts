import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { echo } from "../helpers/model/scripted-model.ts";
import { startTestService } from "../helpers/service/service.ts";
import {
  answers,
  choosePatient,
  conversation,
  converse,
  createPatient,
  dialog,
  enter,
  field,
  focused,
  messageField,
  patient,
  pauseAnswer,
  press,
  pressInMenu,
  say,
  service,
  setUpPlayground,
} from "./playground.ts";
import { endVisits, expectShown, expectText, failedLoad, type Visitor } from "./visitor.ts";

/** A little more than the pause between two looks at a thread. */
const LOOK_MILLISECONDS = 3_500;

setUpPlayground();

const MIGRAINE = JSON.stringify({ name: "migraine", symptoms: ["aura"] });

/** Opens the playground with a patient who was just created. */
async function enterWith(fields: Record<string, unknown>, ...expectedErrors: string[]) {
  const id = await createPatient(fields);
  const visitor = await enter({ expectedErrors });
  await choosePatient(visitor.page, id);
  return { visitor, page: visitor.page, id };
}

const read = async (id: string) => (await service.call("GET", `/patients/${id}`)).body.patient;

/** The patches that a page has sent. */
const patches = ({ requests }: Visitor, id: string) =>
  requests
    .filter(({ url, body }) => url.endsWith(`/patients/${id}`) && body !== null)
    .map(({ body, headers }) => ({ body: JSON.parse(body ?? ""), ifMatch: headers["if-match"] }));

describe("a correction", () => {
  test("sends what was changed and nothing else, and the conversation goes on", async () => {
    const { visitor, page, id } = await enterWith({
      name: "Noor Example",
      phone_number: "5550200001",
      conditions: [MIGRAINE, "diabetes, type 2"],
      medications: [{ name: "metformin", dosage: "500 mg", frequency: "daily" }],
      allergies: "penicillin",
    });
    await expectText(page.locator("#demographics"), /^40 years · female · \+1 555 020 0001$/);
    await expectText(
      page.locator("#record"),
      /Allergiespenicillin.*metformin 500 mg daily.*Conditionsmigrainediabetes/,
    );
    await converse(page, "hello");
    const etag = (await service.call("GET", `/patients/${id}`)).headers.get("etag");
    await pressInMenu(page, "patient", "Edit the record");
    expect(await focused(page)).toBe("name");
    await field(page, "Name").fill("  Noor   Sample ");
    await field(page, "Gender").fill("");
    await field(page, "Allergies").fill("penicillin, latex");
    await field(page, "Conditions").fill("migraine\ndiabetes, type 2\n\nasthma");
    await field(page, "Medications").fill("metformin, 850 mg, daily");
    await press(page, "Save changes");
    await expectText(patient(page), /^Noor Sample$/);
    await expectText(page.locator("#demographics"), /^40 years · \+1 555 020 0001$/);
    await expectText(
      page.locator("#record"),
      /Allergiespenicillinlatex.*metformin 850 mg daily.*diabetes, type 2asthma/,
    );
    expect(patches(visitor, id)).toEqual([
      {
        ifMatch: etag,
        body: {
          name: "Noor Sample",
          gender: null,
          allergies: "penicillin, latex",
          conditions: [MIGRAINE, "diabetes, type 2", "asthma"],
          medications: [{ name: "metformin", dosage: "850 mg", frequency: "daily" }],
        },
      },
    ]);
    expect(await read(id)).toMatchObject({ age: 40, gender: null, phone_number: "15550200001" });
    expect(await focused(page)).toBe("patient-more");
    await converse(page, "Which allergies do I have?");
    await expectText(answers(page).last(), /answer to: Which allergies/);
    expect(JSON.stringify(service.model.requests.at(-1)?.body.messages)).toContain("latex");
    await pressInMenu(page, "patient", "Edit the record");
    await field(page, "Age").fill("");
    await page.getByRole("button", { name: "Save changes" }).dblclick();
    await expectText(page.locator("#demographics"), /^\+1 555 020 0001$/);
    expect(
      patches(visitor, id)
        .slice(1)
        .map(({ body }) => body),
    ).toEqual([{ age: null }]);
  });

  test("that is refused has its field marked, until it is saved", async () => {
    const { page } = await enterWith({ name: "Noor Example" }, failedLoad(400, "Bad Request"));
    await pressInMenu(page, "patient", "Edit the record");
    await field(page, "Age").fill("0.123456789");
    await field(page, "Phone number").fill("12");
    await press(page, "Save changes");
    await expectShown(page.locator("#phone[aria-invalid=true]"));
    expect(await focused(page)).toBe("phone");
    expect(await page.locator("#record-form [aria-invalid=true]").count()).toBe(1);
    await field(page, "Phone number").fill("");
    await press(page, "Save changes");
    await dialog(page, "Edit the record").waitFor({ state: "hidden" });
    expect(await page.locator("#record-form [aria-invalid=true]").count()).toBe(0);
  });

  test("is not sent when nothing was changed, nor after Escape or Cancel", async () => {
    const { visitor, page, id } = await enterWith({ name: "Ona Example", allergies: " latex,  nuts " });
    const form = dialog(page, "Edit the record");
    await pressInMenu(page, "patient", "Edit the record");
    await press(page, "Save changes");
    await form.waitFor({ state: "hidden" });
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => form.getByRole("button", { name: "Cancel" }).click(),
    ]) {
      await pressInMenu(page, "patient", "Edit the record");
      await field(page, "Allergies").fill("none");
      await close();
      await form.waitFor({ state: "hidden" });
      expect(await focused(page)).toBe("patient-more");
    }
    await pressInMenu(page, "patient", "Edit the record");
    expect(await field(page, "Allergies").inputValue()).toBe("latex, nuts");
    expect(patches(visitor, id)).toEqual([]);
  });

  test("of a record that somebody else has changed is not saved, shows the current one, and keeps what was typed", async () => {
    const { visitor, page, id } = await enterWith(
      { name: "Max Example", allergies: "penicillin", conditions: ["asthma"], medications: [{ name: "albuterol" }] },
      failedLoad(412, "Precondition Failed"),
    );
    await pressInMenu(page, "patient", "Edit the record");
    await service.call("PATCH", `/patients/${id}`, {
      body: { allergies: "latex", conditions: ["gout"], gender: null },
    });
    await field(page, "Allergies").fill("penicillin, nuts");
    await field(page, "Medications").fill("");
    await press(page, "Save changes");
    await expectText(page.getByRole("alert"), /^Somebody else has changed this record\./);
    expect(await page.getByRole("alert").getByRole("listitem").allTextContents()).toEqual([
      "Gender: empty",
      "Allergies: latex",
      "Conditions: gout",
    ]);
    await expectText(page.locator("#record"), /^Allergieslatex.*albuterol.*gout$/);
    expect(await field(page, "Allergies").inputValue()).toBe("penicillin, nuts");
    expect(await field(page, "Conditions").inputValue()).toBe("gout");
    expect(await read(id)).toMatchObject({ allergies: "latex" });
    await press(page, "Save changes");
    await expectText(page.locator("#record"), /^Allergiespenicillinnuts.*None recorded.*gout$/);
    expect(patches(visitor, id).map(({ body }) => body)).toEqual([
      { allergies: "penicillin, nuts", medications: null },
      { allergies: "penicillin, nuts", medications: null },
    ]);
    expect(await read(id)).toMatchObject({ conditions: ["gout"], gender: null, medications: [] });
  });

  test("that the service refuses is not saved, and the form says why", async () => {
    await createPatient({ name: "Owner Example", phone_number: "5550200002" });
    const { page, id } = await enterWith(
      { name: "Ray Example", phone_number: "5550200003" },
      failedLoad(409, "Conflict"),
      failedLoad(400, "Bad Request"),
    );
    await pressInMenu(page, "patient", "Edit the record");
    await field(page, "Phone number").fill("(555) 020-0002");
    await press(page, "Save changes");
    await expectText(page.getByRole("alert"), /^Owner Example has this phone number already\. Nothing was saved\.$/);
    expect(await read(id)).toMatchObject({ phone_number: "15550200003" });
    await field(page, "Name").fill("");
    await field(page, "Phone number").fill("");
    await press(page, "Save changes");
    await expectText(page.getByRole("alert"), /Failed to update patient \(a name or a phone_number is required\)\.$/);
    await field(page, "Phone number").fill("555 020 0004");
    await press(page, "Save changes");
    await expectText(page.locator("#demographics"), /\+1 555 020 0004$/);
    await expectText(patient(page), /^Patient without a name$/);
  });
});

describe("an erasure", () => {
  /** Nothing of what is about the patient is on the page, in its fields and address, or stored. */
  async function expectForgotten({ page }: Visitor, words: (string | null)[]): Promise<void> {
    const left = await page.evaluate(`(() => {
      const copy = document.documentElement.cloneNode(true);
      copy.querySelectorAll("script, style").forEach((element) => element.remove());
      const values = [...document.querySelectorAll("input, textarea")].map(({ value }) => value);
      return JSON.stringify([copy.outerHTML, values, location.href, document.cookie, { ...localStorage }, { ...sessionStorage }]);
    })()`);
    expect(words.filter((word) => String(left).includes(word ?? ""))).toEqual([]);
  }

  const erase = async (page: Page, name: RegExp) => {
    await pressInMenu(page, "patient", "Erase the patient");
    await expectShown(dialog(page, name));
    await page.getByRole("button", { name: "Erase for good" }).dblclick();
  };

  test("is confirmed first; then the conversation is closed and nothing about the patient is left", async () => {
    const { visitor, page, id } = await enterWith({
      name: "Quill Example",
      phone_number: "5550300001",
      conditions: ["lupus"],
      allergies: "ceftriaxone",
    });
    await page.route(`**/patients/${id}`, async (route) => {
      const response = await route.fetch();
      await setTimeout(route.request().method() === "DELETE" ? LOOK_MILLISECONDS : 0); // the thread is gone: no look finds that out
      await route.fulfill({ response });
    });
    await converse(page, "My zebra ate my inhaler");
    await press(page, "New thread");
    await converse(page, "My zebra is back");
    const threadId = await page.locator("#thread-id").textContent();
    await messageField(page).fill("A zebra again");

    await pressInMenu(page, "patient", "Erase the patient");
    expect(await page.locator(":focus").textContent()).toBe("Cancel");
    await expectText(page.getByRole("heading"), /^Erase Quill Example\?$/);
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("patient-more");
    await expectText(patient(page), /^Quill Example$/);

    await erase(page, /^Erase Quill Example\?$/);
    await expectText(
      conversation(page),
      /^The patient was erased, with 2 threads and 4 messages\. Nothing about this patient is left on this page\.$/,
    );
    await expectText(page.locator("#polite"), /The patient was erased/);
    await expectText(patient(page), /^No patient$/);
    await expectText(page.locator("#thread-id"), /^none yet$/);
    expect(await focused(page)).toBe("choose-patient");
    await expectForgotten(visitor, ["Quill", "030 0001", "5550300001", "lupus", "ceftriaxone", "zebra", id, threadId]);
    expect((await service.call("GET", `/patients/${id}`)).status).toBe(404);
    await converse(page, "hello");
    await expectText(conversation(page), /begins, about no patient\./);
    await page.reload();
    await expectText(page.locator("#key-help"), /is filled in/);
    await expectForgotten(visitor, ["Quill", "zebra", id, threadId]);
  });

  test("ends an answer that is under way, of which nothing appears later", async () => {
    const { visitor, page, id } = await enterWith({ name: "Quill Example" });
    const resolve = pauseAnswer("Your zebra may stay, and more of it.", 3);
    await say(page, "Where is my zebra?");
    await expectText(answers(page), /zebra/);
    await erase(page, /^Erase Quill Example\?$/);
    await expectText(conversation(page), /^The patient was erased, with 1 thread and 0 messages\./);
    resolve();
    service.model.script = echo;
    await converse(page, "hello");
    await expectForgotten(visitor, ["Quill", "zebra", id]);
  });

  test.each([
    ["Erase the patient", "Erase for good"],
    ["Edit the record", "Save changes"],
  ])("by somebody else is noticed on %s", async (button, confirm) => {
    const { visitor, page, id } = await enterWith({ name: "Quill Example" }, failedLoad(404, "Not Found"));
    await converse(page, "My zebra ate my inhaler");
    await service.call("DELETE", `/patients/${id}`);
    await pressInMenu(page, "patient", button);
    if (button === "Edit the record") {
      await field(page, "Allergies").fill("latex");
    }
    await press(page, confirm);
    await expectText(conversation(page), /^The patient was already erased\./);
    await expectForgotten(visitor, ["Quill", "zebra", "latex", id]);
  });
});

test("where a consent is required, a message without it is kept, and answered once the consent is recorded", async () => {
  const strict = await startTestService({ CONSENT_REQUIRED: "2026-03" });
  try {
    const { page } = await enter({
      url: new URL("/", strict.baseUrl).href,
      expectedErrors: [failedLoad(403, "Forbidden")],
    });
    const { id } = await strict.newPatient({ name: "Rae Example" });
    await choosePatient(page, id);
    await converse(page, "hello");
    await expectText(conversation(page), /403: The patient has not consented.*Record the consent first.*Retry/s);
    await pressInMenu(page, "patient", "Edit the record");
    await field(page, "Consent to chats with an AI").selectOption("Given");
    await field(page, "Version of the text").fill("2026-03");
    await press(page, "Save changes");
    await expectText(page.locator("#demographics"), /consent given \(2026-03\)/);
    await press(page, "Retry");
    await expectText(answers(page), /answer to: hello$/);
    expect((await strict.call("GET", `/patients/${id}`)).body.patient.consent).toMatchObject({
      given: true,
      version: "2026-03",
    });
    await endVisits();
  } finally {
    await strict.stop();
  }
});
