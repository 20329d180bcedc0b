import { test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { answers, CARDIAC, conversation, count, enter, patient, service, setUpPlayground } from "./playground.ts";
import { expectShown, expectText } from "./visitor.ts";

setUpPlayground();

/** More presses than any two elements of the page are apart. */
const FAR = 90;

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  await expectShown(element);
  for (let presses = 0; presses < FAR; presses++) {
    if (await element.evaluate(isFocused)) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`${FAR} presses of Tab do not reach ${element}.`);
}

const isFocused = new Function("node", "return node === document.activeElement") as (node: unknown) => boolean;

/** Goes to a button and presses it. */
async function activate(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) }).last());
  await page.keyboard.press("Enter");
}

/** Opens a menu and presses what is in it. */
async function activateInMenu(page: Page, menu: "patient" | "thread", name: string): Promise<void> {
  await tabTo(page, page.locator(`#${menu}-more`));
  await page.keyboard.press("Enter");
  await activate(page, name);
}

/** Writes into a field what it is to have. */
async function write(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

/** Asks something, and waits for the end of the answer. */
async function ask(page: Page, text: string): Promise<void> {
  await write(page, page.getByRole("textbox", { name: "Message", exact: true }), text);
  await page.keyboard.press("Enter");
  await page.locator("#send:not([disabled])").waitFor();
}

const BUNDLE = {
  resourceType: "Bundle",
  type: "collection",
  entry: [
    { resource: { resourceType: "Patient", name: [{ text: "Kim Example" }] } },
    {
      resource: {
        resourceType: "AllergyIntolerance",
        patient: { display: "Kim Example" },
        code: { text: "latex" },
      },
    },
  ],
};

test("the whole of it, by keyboard alone: a patient, a file, a consent, sources, an alert, a person, feedback, and the end", async () => {
  const { page } = await enter();

  await activate(page, "Choose a patient");
  await activate(page, "Create a patient");
  await write(page, page.getByLabel("Name", { exact: true }), "Lee Example");
  await page.keyboard.press("Enter");
  await expectText(patient(page), /^Lee Example$/);

  await activate(page, "Switch patient");
  await activate(page, "Import a FHIR file");
  await tabTo(page, page.getByLabel("File", { exact: true }));
  // Enter opens the system's own dialog from here.
  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "kim.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(BUNDLE)),
  });
  await activate(page, "Import the record");
  await expectText(page.locator("#fhir-report"), /latex/);
  await page.keyboard.press("Escape");
  await expectText(patient(page), /^Kim Example$/);

  await activateInMenu(page, "patient", "Edit the record");
  await tabTo(page, page.getByLabel("Consent to chats with an AI"));
  await page.keyboard.press("ArrowDown");
  await write(page, page.getByLabel("Version of the text"), "2026-03");
  await page.keyboard.press("Enter");
  await expectText(page.locator("#demographics"), /consent given \(2026-03\)/);

  service.model.script = () => ({ content: "[[level: none]]\nOn public holidays, the clinic is closed. [1]" });
  await activate(page, /^Sources: /);
  await expectText(answers(page), /clinic is closed\. \[1\]/);
  await page.locator("#send:not([disabled])").waitFor();
  await activate(page, "Source [1]");
  await expectShown(page.locator(".sources blockquote"));
  service.model.script = () => ({ content: "[[level: none]]\nI am here." });
  await ask(page, CARDIAC);
  await expectShown(page.getByRole("group", { name: "emergency: whom to call" }));
  await tabTo(page, page.getByRole("link", { name: "Call 911" }).last());

  await activateInMenu(page, "thread", "Take over as a person");
  await page.keyboard.press("Enter"); // the name is filled in
  await write(page, page.getByLabel("Message as a person"), "Hello, this is Ana.");
  await page.keyboard.press("Enter");
  await expectText(page.locator(".message.person"), /Hello, this is Ana\.$/);
  await activate(page, "Give back");
  await expectText(count(page), /^[5-9]$/);

  await ask(page, "Thank you");
  await activate(page, "Good answer");
  await expectShown(page.getByRole("button", { name: "Good answer", pressed: true }));

  await activateInMenu(page, "patient", "Erase the patient");
  await activate(page, "Erase for good");
  await expectText(conversation(page), /Nothing about this patient is left on this page\.$/);
});
