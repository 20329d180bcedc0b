import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  answers,
  choosePatient,
  conversation,
  converse,
  count,
  createPatient,
  dialog,
  enter,
  focused,
  pauseAnswer,
  press,
  pressInMenu,
  say,
  service,
  setUpPlayground,
  stopLooking,
} from "./playground.ts";
import {
  expectAccessible,
  expectNoOverflow,
  expectShown,
  expectText,
  failedLoad,
  PHONE,
  type Visitor,
  WINDOWS,
} from "./visitor.ts";

setUpPlayground();

const HELD = /^Ana has taken over this conversation .* the AI does not answer/;

const panel = (page: Page) => page.getByRole("region", { name: "A person has taken over" });
const personField = (page: Page) => page.getByLabel("Message as a person");
const personMessages = (page: Page) => page.locator(".message.person");
const threadId = async (page: Page) => (await page.locator("#thread-id").textContent()) ?? "";

async function takeOver(page: Page, name: string): Promise<void> {
  await pressInMenu(page, "thread", "Take over as a person");
  await page.getByLabel("Name, as the patient sees it").fill(name);
  await press(page, "Take over the thread");
  await expectShown(panel(page));
}

describe("a person", () => {
  let visitor: Visitor;
  beforeEach(async () => {
    visitor = await enter({ expectedErrors: [] });
    await choosePatient(visitor.page, await createPatient({ name: "Hal Example" }));
    await converse(visitor.page, "hello");
  });

  test("takes over, writes, and gives back; meanwhile the fixed text answers, and afterwards the model knows what was said", async () => {
    const { page } = visitor;
    await takeOver(page, "Ana");
    await expectText(panel(page), /Ana has taken over/);
    expect(await focused(page)).toBe("person-message");
    await page.keyboard.type("Hello, **this** is Ana.");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("Shall I call you?");
    await page.keyboard.press("Enter");
    await expectText(personMessages(page), /^Anaa person.*Hello, \*\*this\*\* is Ana/);
    await expectText(count(page), /^3$/);
    expect(await personField(page).inputValue()).toBe("");

    const asked = service.model.requests.length;
    await converse(page, "Yes please");
    await expectText(answers(page).last(), HELD);
    await expectText(page.locator(".thumbs").last(), /^Fixed text of the service$/);
    expect(service.model.requests).toHaveLength(asked);

    await press(page, "Give back");
    await expectText(conversation(page), /Ana has given the thread back\./);
    expect([await panel(page).isVisible(), await focused(page)]).toEqual([false, "message"]);
    await converse(page, "and now?");
    await expectText(answers(page).last(), /answer to: and now\?$/);
    expect(JSON.stringify(service.prompt())).toContain("Shall I call you?");
  });

  test("still holds the thread after a reload, which shows the messages of each in their own way", async () => {
    const { page } = visitor;
    await takeOver(page, "Ana");
    await personField(page).fill("مرحبا");
    await press(page, "Reply");
    await expectText(personMessages(page), /مرحبا/);
    await page.reload();
    await expectText(panel(page), /Ana has taken over/);
    await expectText(
      conversation(page),
      /continues, about Hal Example\.Ana has taken over\. The assistant does not answer/,
    );
    await expectText(personMessages(page), /^Anaa personمرحبا$/);
    const direction = 'getComputedStyle(document.querySelector(".message.person .text")).direction';
    expect(await page.evaluate(direction)).toBe("rtl");
    await press(page, "Give back");
    await panel(page).waitFor({ state: "hidden" });
    await page.reload();
    await expectText(conversation(page), /continues, about Hal Example/);
    expect(await panel(page).isVisible()).toBe(false);
  });

  test("leaves with the patient: neither the hold nor what was typed is shown with another one", async () => {
    const { page } = visitor;
    await takeOver(page, "Ana");
    await personField(page).fill("A draft for Hal.");
    await choosePatient(page, await createPatient({ name: "Next Example" }));
    expect(await panel(page).isVisible()).toBe(false);
    expect(await personField(page).inputValue()).toBe("");
    expect(await page.evaluate("sessionStorage.getItem('playground')")).not.toContain("Ana");
  });
});

describe("a thread that was", () => {
  test("taken over by somebody else and written in is shown so by itself, and that it is given back", async () => {
    const { page } = await enter();
    await converse(page, "hello");
    const path = `/threads/${await threadId(page)}`;
    await service.call("PUT", `${path}/handoff`, { body: {} });
    await service.call("POST", `${path}/messages`, { body: { author: "Ana", content: "Ana speaking." } });
    await expectText(
      conversation(page),
      /Patienthello.*Anaa personAna speaking\..*A person has taken over\. The assistant/s,
    );
    await expectText(panel(page), /A person has taken over/);
    await expectText(count(page), /^3$/);
    await personField(page).fill("A draft.");
    await service.call("DELETE", `${path}/handoff`);
    await panel(page).waitFor({ state: "hidden" });
    await expectText(conversation(page), /A person has given the thread back\./);
    expect(await personMessages(page).count()).toBe(1);
    expect(await personField(page).inputValue()).toBe("A draft.");
  });

  test.each(["somebody else", "this page"])(
    "taken over by %s while the assistant answers leaves the answer on the page",
    async (who) => {
      const { page } = await enter();
      await converse(page, "hello");
      const resolve = pauseAnswer("First words, and the rest.", 2);
      await say(page, "what about this?");
      await expectText(answers(page).last(), /First/);
      await (who === "this page"
        ? takeOver(page, "Ana")
        : service.call("PUT", `/threads/${await threadId(page)}/handoff`, { body: { by: "Ana" } }));
      resolve();
      await expectText(answers(page).last(), /First.*Ana has taken over this conversation/s);
    },
  );

  test("given back is refused what the person writes, which stays in the field", async () => {
    const { page } = await enter({ expectedErrors: [failedLoad(409, "Conflict")] });
    await stopLooking(page);
    await press(page, "New thread");
    await expectText(count(page), /^0$/);
    await takeOver(page, "Ana");
    await service.call("DELETE", `/threads/${await threadId(page)}/handoff`);
    await personField(page).fill("hello");
    await press(page, "Reply");
    await expectText(conversation(page), /The service answers 409: No person has taken over this thread\./);
    expect(await panel(page).isVisible()).toBe(false);
    await takeOver(page, "Ana");
    expect(await personField(page).inputValue()).toBe("hello");
  });

  test("deleted cannot be taken over", async () => {
    const { page } = await enter({ expectedErrors: [failedLoad(404, "Not Found")] });
    await stopLooking(page);
    await press(page, "New thread");
    await expectText(count(page), /^0$/);
    await service.call("DELETE", `/threads/${await threadId(page)}`);
    await pressInMenu(page, "thread", "Take over as a person");
    await press(page, "Take over the thread");
    await expectText(conversation(page), /Thread not found or expired\. .* is gone/);
    expect(await dialog(page, "Take over the thread").isVisible()).toBe(false);
    expect(await page.locator("#take-over").isEnabled()).toBe(false);
  });
});

test("a thread that was deleted elsewhere is shown as gone by itself, and what was said stays on the page", async () => {
  const { page } = await enter({ expectedErrors: [failedLoad(404, "Not Found")] });
  await converse(page, "hello");
  await service.call("DELETE", `/threads/${await threadId(page)}`);
  await expectText(conversation(page), /Patienthello.*Thread not found or expired\. .* is gone/s);
});

test("a request for a person is shown and heard", async () => {
  const { page } = await enter();
  await page.getByRole("button", { name: /^Person/ }).click();
  const needed = /A person is needed: the user asked for one\.$/;
  await expectText(page.locator(".message.assistant .handoff"), needed);
  await expectText(page.locator("#polite"), needed);
});

test.each(WINDOWS)(
  "a held thread is within reach of everyone, on a $device in a $colorScheme scheme",
  async (window) => {
    const { page } = await enter(window);
    await page.getByRole("button", { name: /^Person/ }).click();
    await expectShown(page.locator(".handoff"));
    await pressInMenu(page, "thread", "Take over as a person");
    await expectAccessible(page);
    await press(page, "Cancel");
    await takeOver(page, `Ana ${"n".repeat(60)}`);
    await personField(page).fill(`A word too long for a phone: ${"x".repeat(200)}`);
    await press(page, "Reply");
    await expectShown(personMessages(page));
    await converse(page, "hello");
    await expectAccessible(page);
    await expectNoOverflow(page);
  },
);

test("on a phone, most is for the conversation, also of a held thread, and one writes as one of its sides at a time", async () => {
  const { page } = await enter({ viewport: PHONE });
  expect(await page.locator("#wire").isVisible()).toBe(false);
  await choosePatient(page, await createPatient({ name: "Pat Example", allergies: "latex" }));
  await converse(page, "hello");
  const height = async () => (await conversation(page).boundingBox())?.height;
  expect(await height()).toBeGreaterThan(PHONE.height * 0.45);
  await takeOver(page, "Ana");
  expect(await height()).toBeGreaterThan(PHONE.height * 0.3);
  const shown = () => page.locator(".write textarea, .write button").filter({ visible: true }).all();
  const names = async () =>
    Promise.all(
      (await shown()).map((each) => each.getAttribute("placeholder").then((text) => text ?? each.textContent())),
    );
  expect(await names()).toEqual(["Write to the patient …", "Reply"]);
  await personField(page).fill("A draft.");
  await page.getByRole("radio", { name: "Patient" }).check();
  expect(await names()).toEqual(["Ask a health question …", "Send"]);
  await page.getByRole("radio", { name: "Person" }).check();
  expect(await personField(page).inputValue()).toBe("A draft.");
});
