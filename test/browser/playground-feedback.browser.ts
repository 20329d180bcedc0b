import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  choosePatient,
  conversation,
  converse,
  createPatient,
  enter,
  patient,
  press,
  SUICIDAL,
  service,
  setUpPlayground,
  stopLooking,
} from "./playground.ts";
import {
  expectAccessible,
  expectInView,
  expectKeptNowhere,
  expectNoOverflow,
  expectShown,
  expectText,
  failedLoad,
  WINDOWS,
} from "./visitor.ts";

setUpPlayground();

const thumb = (page: Page, name: "Good answer" | "Bad answer", pressed = false) =>
  page.getByRole("button", { name, pressed });
const summary = (page: Page) => page.locator(".reasons summary");

/** The feedback that the service has on the patient's last answer. */
async function stored(patientId: string) {
  const { body } = await service.call("GET", `/patients/${patientId}/export`);
  return body.threads.at(-1).messages[0].feedback;
}

/** Opens the playground, and a conversation with one answer about a patient who was just created. */
async function enterWithAnswer() {
  const id = await createPatient({ name: "Fay Example" });
  const visitor = await enter();
  await choosePatient(visitor.page, id);
  await converse(visitor.page, "hello");
  return { ...visitor, id };
}

test("an answer can be good, and then not rated any more, by keyboard too", async () => {
  const { page, id } = await enterWithAnswer();
  await thumb(page, "Good answer").focus();
  await page.keyboard.press("Enter");
  await expectShown(thumb(page, "Good answer", true));
  expect(await stored(id)).toMatchObject({ rating: "good", reasons: [], comment: null });
  expect(await summary(page).isVisible()).toBe(false);
  await page.keyboard.press("Enter");
  await expectShown(thumb(page, "Good answer"));
  expect(await stored(id)).toBeUndefined();
});

describe("an answer that is bad", () => {
  test("has reasons and a comment; a reload brings back the rating and the reasons, and keeps the comment nowhere", async () => {
    const { page, requests, id } = await enterWithAnswer();
    await thumb(page, "Good answer").click();
    await expectShown(thumb(page, "Good answer", true));
    await thumb(page, "Bad answer").click();
    await page.getByRole("checkbox", { name: "Too long" }).check();
    await page.getByRole("checkbox", { name: "Unclear" }).check();
    await page.getByRole("textbox", { name: /^Comment/ }).fill("It hurts here.");
    await press(page, "Save");
    await expectText(summary(page), /^Bad: unclear, too long$/);
    const feedback = { rating: "bad", reasons: ["unclear", "too-long"], comment: "It hurts here." };
    expect(await stored(id)).toMatchObject(feedback);
    expect(await page.locator(":focus").textContent()).toBe("Bad: unclear, too long");
    await expectKeptNowhere({ page, requests }, "It hurts here.");

    await page.reload();
    await expectShown(thumb(page, "Bad answer", true));
    await expectText(summary(page), /^Bad: unclear, too long$/);
    await thumb(page, "Bad answer", true).click();
    await expectShown(thumb(page, "Bad answer"));
    expect(await stored(id)).toBeUndefined();
    expect(await summary(page).isVisible()).toBe(false);
  });

  test("opens its form in view, with the focus in it", async () => {
    const { page } = await enter();
    await converse(page, "hello\n".repeat(40));
    await thumb(page, "Bad answer").click();
    await expectInView(page.getByRole("button", { name: "Save" }));
    expect(await page.locator(":focus").getAttribute("value")).toBe("incorrect");
  });

  test("is forgotten with its patient", async () => {
    const { page } = await enterWithAnswer();
    await thumb(page, "Bad answer").click();
    await expectShown(thumb(page, "Bad answer", true));
    await choosePatient(page, await createPatient({ name: "Next Example" }));
    await expectText(patient(page), /^Next Example$/);
    expect(await page.evaluate("sessionStorage.getItem('playground')")).not.toContain("bad");
  });
});

test("feedback on a thread that is gone says so", async () => {
  const { page } = await enter({ expectedErrors: [failedLoad(404, "Not Found")] });
  await stopLooking(page);
  await converse(page, "hello");
  await service.call("DELETE", `/threads/${await page.locator("#thread-id").textContent()}`);
  await thumb(page, "Good answer").click();
  await expectText(conversation(page), /Thread not found or expired.* is gone with everything in it/);
  await expectShown(thumb(page, "Good answer"));
});

test("answers say whether an AI has written them, also the opening question and those that are read again", async () => {
  const { page } = await enter();
  const marks = () => page.locator(".thumbs").allTextContents();
  const { id } = (await service.call("POST", "/patients", { body: { name: "Ira Example" } })).body.patient;
  await choosePatient(page, id);
  await converse(page, "hello");
  service.model.script = () => ({ status: 401 });
  await converse(page, SUICIDAL);
  const expected = ["Written by AI", "Written by AI", "Fixed text of the service"];
  expect(await marks()).toEqual(expected);
  await page.reload();
  await expectText(conversation(page), /continues, about Ira Example/);
  expect(await marks()).toEqual(expected);
});

test.each(WINDOWS)("is within reach of everyone, on a $device in a $colorScheme scheme", async (window) => {
  const { page } = await enter(window);
  await converse(page, "hello");
  await thumb(page, "Good answer").click();
  await expectShown(thumb(page, "Good answer", true));
  await expectAccessible(page);
  await thumb(page, "Bad answer").click();
  await page.getByRole("checkbox", { name: "Unsafe" }).check();
  await expectAccessible(page);
  await expectNoOverflow(page);
});
