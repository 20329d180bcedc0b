import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  answers,
  CARDIAC,
  choosePatient,
  conversation,
  converse,
  createPatient,
  dialog,
  enter,
  field,
  lookUp,
  patient,
  press,
  pressInMenu,
  SUICIDAL,
  service,
  setUpPlayground,
} from "./playground.ts";
import {
  expectAccessible,
  expectNoOverflow,
  expectShown,
  expectText,
  failedLoad,
  PHONE,
  screenshot,
  WINDOWS,
} from "./visitor.ts";

setUpPlayground();

describe("the page fits", () => {
  /** What is not completely within the window. */
  const outside = (page: Page, selectors: string[]) =>
    page.evaluate(
      `${JSON.stringify(selectors)}.filter((selector) => {
        const { top, bottom, left, right } = document.querySelector(selector).getBoundingClientRect();
        return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth || bottom === top;
      })`,
    );

  test("with nothing below the fold at 1280 by 900, however long the record and the conversation", async () => {
    const { page } = await enter({ viewport: { width: 1280, height: 900 } });
    const parts = [".top", ".chart", ".thread", "#composer", "#send", "#prompts", "#wire"];
    expect(await outside(page, parts)).toEqual([]);
    await choosePatient(
      page,
      await createPatient({
        name: "Long Example",
        conditions: Array.from({ length: 40 }, (_, index) => `condition ${index}`),
        allergies: Array.from({ length: 40 }, (_, index) => `allergy ${index}`).join(", "),
      }),
    );
    service.model.script = () => ({ content: "One line.\n\n".repeat(40) });
    await converse(page, "hello");
    await converse(page, CARDIAC);
    expect(await outside(page, [...parts, "#record", "#expires-in", "#patient-more"])).toEqual([]);
    expect(await page.evaluate("[document.documentElement.scrollHeight, scrollY]")).toEqual([900, 0]);
  });

  test("on paper, with the patient and the whole conversation, and without anything to operate", async () => {
    const { page } = await enter();
    await choosePatient(page, await createPatient({ name: "Pat Example" }));
    service.model.script = () => ({ content: "One line.\n\n".repeat(80) });
    await converse(page, "hello");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("header, nav, button, textarea, #wire").filter({ visible: true }).count()).toBe(0);
    expect(await patient(page).isVisible()).toBe(true);
    const cut =
      "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('#conversation'))";
    expect(await page.evaluate(cut)).toBe(0);
    expect((await answers(page).boundingBox())?.height).toBeGreaterThan(900);
  });
});

test.each(WINDOWS)(
  "everything is within reach of everyone, on a $device in a $colorScheme scheme",
  async ({ colorScheme, viewport }) => {
    const { page } = await enter({ colorScheme, viewport, expectedErrors: [failedLoad(500, "Internal Server Error")] });
    await expectAccessible(page);
    service.model.script = () => ({ status: 401 });
    await converse(page, `A word too long for a phone: ${"x".repeat(200)}`);
    service.model.script = () => ({ content: "[[level: none]]\nI am here, and will go on with you." });
    await converse(page, "Can I take ibuprofen for a headache?");
    await converse(page, SUICIDAL);
    await converse(page, CARDIAC);
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
    await expectAccessible(page);
    for (let times = 0; times < 2; times++) {
      await page.locator((await page.locator("#wire").isVisible()) ? "#wire-close" : "#wire-toggle").click();
      await expectAccessible(page);
    }
    await press(page, "Choose a patient");
    await expectAccessible(page);
    await dialog(page, "Choose a patient").getByRole("button", { name: "Close" }).click();
    const conditions = Array.from({ length: 40 }, (_, index) => `condition ${index}`);
    await choosePatient(page, await createPatient({ name: "Kit Example", conditions, allergies: "latex" }));
    await expectAccessible(page);
    await expectNoOverflow(page);
  },
);

test.each(WINDOWS)(
  "the dialogs are within reach of everyone, on a $device in a $colorScheme scheme",
  async ({ colorScheme, viewport }) => {
    const { page } = await enter({
      colorScheme,
      viewport,
      expectedErrors: [failedLoad(400, "Bad Request"), failedLoad(412, "Precondition Failed")],
    });
    const expectUsable = async () => {
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.setViewportSize(viewport);
    };
    const phone = `555 010 1${colorScheme === "dark" ? 1 : 0}${viewport.width % 100}`;
    await lookUp(page, phone);
    await expectText(page.getByRole("alert"), /No patient has this phone number/);
    await expectUsable();
    await press(page, "Create a patient with this number");
    await expectUsable();
    await field(page, "Name").fill(`Ed${"d".repeat(60)} Example`);
    await field(page, "Phone number").fill("12");
    await press(page, "Create the patient");
    await expectText(page.getByRole("alert"), /must have 10 digits/);
    await expectUsable();
    await field(page, "Phone number").fill(phone);
    await press(page, "Create the patient");
    await expectText(patient(page), /^Ed+ Example$/);
    await pressInMenu(page, "patient", "Edit the record");
    await expectUsable();
    const { patients } = (await service.call("POST", "/patients/search", { body: { phone_number: phone } })).body;
    const conditions = Array.from({ length: 20 }, (_, index) => `condition ${index}`);
    await service.call("PATCH", `/patients/${patients[0].id}`, { body: { conditions } });
    await field(page, "Allergies").fill("latex");
    await press(page, "Save changes");
    await expectText(page.getByRole("alert"), /Somebody else has changed this record/);
    await expectShown(page.getByRole("button", { name: "Save changes" }));
    await expectUsable();
    await page.keyboard.press("Escape");
    await pressInMenu(page, "patient", "Erase the patient");
    await expectUsable();
    await press(page, "Erase for good");
    await expectText(conversation(page), /The patient was erased/);
    await expectUsable();
  },
);

test("a stage's own playground, beside its operations, works as the one at the root, and links to the reference and back", async () => {
  const { page } = await enter({ url: `${service.baseUrl}/playground` });
  await converse(page, "hello");
  await expectText(answers(page), /answer to: hello$/);
  const link = page.getByRole("link", { name: "Reference" });
  const [reference] = await Promise.all([page.waitForEvent("popup"), link.click()]);
  await expectShown(reference.getByRole("heading", { name: "API reference" }));
  await reference.getByRole("link", { name: "Playground" }).click();
  await expectShown(reference.getByRole("heading", { name: "Playground" }));
});

(process.env.TEST_SCREENSHOTS ? describe : describe.skip)("the README shows", () => {
  test("a patient's chart and an emergency", async () => {
    const { page } = await enter({ viewport: { width: 1280, height: 780 } });
    await press(page, "Choose a patient");
    await page.getByRole("button", { name: /Maria Example/ }).click();
    await expectText(patient(page), /^Maria Example$/);
    service.model.script = () => ({ content: "[[level: emergency cardiac]]\nI stay here." });
    await converse(page, "My chest hurts, and my left arm is numb");
    await expectShown(page.getByRole("group", { name: "emergency: whom to call" }));
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur()");
    await screenshot(page, "playground");
  });

  test("a caution, on a phone in the dark", async () => {
    const { page } = await enter({ viewport: PHONE, colorScheme: "dark" });
    await choosePatient(
      page,
      await createPatient({ name: "Maria Example", age: 34, conditions: ["asthma"], allergies: "penicillin" }),
    );
    service.model.script = () => ({
      content:
        "[[level: none]]\nPlease do not. Most coughs are caused by viruses, against which antibiotics do nothing.",
    });
    await converse(page, "Can I take my leftover amoxicillin?");
    await expectShown(page.getByRole("group", { name: "caution: ask before taking this drug" }));
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur()");
    await screenshot(page, "playground-phone");
  });
});
