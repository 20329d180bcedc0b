import { expect, test } from "@jest/globals";
import {
  answers,
  CARDIAC,
  choosePatient,
  conversation,
  converse,
  createPatient,
  enter,
  messageField,
  press,
  pressInMenu,
  service,
  setUpPlayground,
} from "./playground.ts";
import { expectShown, expectText, expectUncovered, SIZES } from "./visitor.ts";

setUpPlayground();

const RECORD = {
  name: "Robin Example",
  allergies: "penicillin",
  conditions: ["atrial fibrillation", "hypertension"],
  medications: [
    { name: "warfarin", dosage: "5 mg", frequency: "daily" },
    { name: "lisinopril", dosage: "10 mg", frequency: "daily" },
  ],
};

test.each(SIZES)(
  "at %i by %i, allergies, medications and whom to call are in view while one writes, and cover nothing",
  async (width, height) => {
    const { page } = await enter({ viewport: { width, height } });
    await choosePatient(page, await createPatient(RECORD));
    service.model.script = () => ({ content: "[[level: none]]\nOne line.\n\nAnd another." });
    await converse(page, CARDIAC);
    const pinned = page.getByRole("region", { name: "Whom to call" });
    const inView = async () => {
      for (const value of ["penicillin", "warfarin 5 mg daily", "lisinopril 10 mg daily"]) {
        await expectUncovered(page.locator("#record").getByText(value));
      }
      await expectUncovered(page.getByRole("link", { name: "Call 911" }).filter({ visible: true }).first());
      await expectUncovered(messageField(page).or(page.locator("#person-message")).filter({ visible: true }));
      await expectUncovered(page.locator(".write [type=submit]").filter({ visible: true }));
    };
    await messageField(page).focus();
    await inView();
    await expectUncovered(conversation(page).locator(".alert .label"));
    service.model.script = () => ({ content: `[[level: none]]\n${"One line.\n\n".repeat(30)}The last one.` });
    await converse(page, "And then?");
    await expectUncovered(pinned.getByRole("link", { name: "Call 911" }));
    expect(await pinned.getByRole("link").getAttribute("href")).toBe("tel:911");
    await inView();
    await expectUncovered(answers(page).getByText("The last one."));
    const [line, log] = await Promise.all([pinned.boundingBox(), conversation(page).boundingBox()]);
    expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual((log?.y ?? 0) + 1);
    await pressInMenu(page, "thread", "Take over as a person");
    await press(page, "Take over the thread");
    await expectShown(page.getByRole("radio", { name: "Person", checked: true }));
    await inView();
  },
);

test("a long list says how long it is, and hides no other one", async () => {
  const { page } = await enter({ viewport: { width: 390, height: 420 } });
  const allergies = Array.from({ length: 40 }, (_, index) => `allergy ${index}`).join(", ");
  await choosePatient(page, await createPatient({ ...RECORD, allergies }));
  await expectUncovered(page.locator("#record").getByText("allergy 0", { exact: true }));
  await expectUncovered(page.locator("#record").getByText("Allergies (40)"));
  await expectUncovered(page.locator("#record").getByText("warfarin 5 mg daily"));
});

test("a message that is too long is kept, and says so instead of being sent", async () => {
  const { page, requests } = await enter();
  await messageField(page).focus();
  await page.evaluate("document.execCommand('insertText', false, 'x'.repeat(18_000))"); // as pasting does
  const limit = page.getByText("18,000 characters; at most 16,000 can be sent. Shorten the message.");
  await expectShown(limit);
  expect((await messageField(page).inputValue()).length).toBe(18_000);
  for (const send of [() => page.keyboard.press("Enter"), () => press(page, "Send")]) {
    await send();
    expect((await messageField(page).inputValue()).length).toBe(18_000);
  }
  expect(requests.filter(({ url }) => url.endsWith("/chat"))).toEqual([]);
  await messageField(page).fill("x".repeat(16_000));
  expect(await limit.isVisible()).toBe(false);
  await press(page, "Send");
  await expectText(answers(page), /answer to: x+$/);
});
