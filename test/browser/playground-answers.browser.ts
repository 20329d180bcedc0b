import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { API_KEY } from "../helpers/service/service.ts";
import {
  answers,
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
} from "./playground.ts";
import {
  expectAccessible,
  expectInView,
  expectKeptNowhere,
  expectNoOverflow,
  expectShown,
  expectText,
  PHONE,
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
    const next = await createPatient({ name: "Next Example" });
    await choosePatient(page, next);
    await expectText(patient(page), /^Next Example$/);
    expect(await page.evaluate("sessionStorage.getItem('playground')")).toBe(JSON.stringify({ patientId: next }));
  });
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

test.each(WINDOWS)("feedback is within reach of everyone, on a $device in a $colorScheme scheme", async (window) => {
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

const HOURS = {
  title: "Opening hours",
  text: "We are open Monday to Friday.\n\n## Holidays\n\nOn public holidays, the clinic is **closed**.",
  url: "https://clinic.example.com/hours",
};

const QUESTION = "Are you open on public holidays?";

const sources = (page: Page) => page.locator(".message.assistant .sources");

test("a citation opens its passage, with title and link, also after a reload", async () => {
  await service.call("PUT", "/sources/hours", { body: HOURS });
  service.model.script = () => ({ content: "[[level: none]]\nNo, we are closed then [1]. See a doctor [7]." });
  const { page, requests } = await enter({ viewport: PHONE });
  await converse(page, QUESTION);
  for (const reload of [async () => {}, () => page.reload()]) {
    await reload();
    await expectText(answers(page), /^No, we are closed then \[1\]\. See a doctor\.Sources\[1\] Opening hours/);
    const passage = sources(page).getByText("On public holidays, the clinic is closed.");
    expect(await passage.isVisible()).toBe(false);
    await answers(page).getByRole("button", { name: "Source [1]" }).click();
    await expectInView(passage);
    expect(await page.locator(":focus").textContent()).toBe("[1] Opening hours");
    expect(await passage.locator("strong").textContent()).toBe("closed");
    const link = sources(page).getByRole("link", { name: HOURS.url });
    await expectShown(link);
    expect(await link.getAttribute("href")).toBe(HOURS.url);
    expect(await link.getAttribute("rel")).toBe("noreferrer");
  }
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(requests.filter(({ method, url }) => method === "PUT" && url.includes("/sources"))).toEqual([]);
  await service.call("DELETE", "/sources/hours");
});

test("the sample prompt stores its source with the first use, and only on the machine of npm start", async () => {
  const { page, requests } = await enter();
  const stored = () => requests.filter(({ method, url }) => method === "PUT" && url.includes("/sources/")).length;
  service.model.script = () => ({ content: "[[level: none]]\nClosed [1]." });
  const prompt = page.getByRole("button", { name: /^Sources: / });
  for (const count of [1, 2]) {
    await prompt.click();
    await sources(page)
      .nth(count - 1)
      .waitFor();
    await page.locator("#send:not([disabled])").waitFor();
    expect(stored()).toBe(1);
  }
  await expectText(conversation(page), /The source “Opening hours” was stored/);
  await service.call("DELETE", "/sources/opening-hours");
  const { page: elsewhere } = await enter({ key: API_KEY });
  expect(await elsewhere.getByRole("button", { name: /^Record: / }).count()).toBe(1);
  expect(await elsewhere.getByRole("button", { name: /^Sources: / }).count()).toBe(0);
});
