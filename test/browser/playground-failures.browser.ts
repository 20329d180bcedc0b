import { describe, expect, test } from "@jest/globals";
import { echo } from "../helpers/model/scripted-model.ts";
import { API_KEY } from "../helpers/service/service.ts";
import { startLine } from "./line.ts";
import {
  answers,
  conversation,
  converse,
  count,
  enter,
  idempotencyKeys,
  messageField,
  pauseAnswer,
  press,
  pressInMenu,
  root,
  say,
  service,
  setUpPlayground,
} from "./playground.ts";
import { expectShown, expectText, expectUncovered, failedLoad } from "./visitor.ts";

setUpPlayground();

describe("the page says what to do about", () => {
  test("a missing or wrong key", async () => {
    const { page } = await enter({ key: "", expectedErrors: [failedLoad(401, "Unauthorized")] });
    await converse(page, "hello");
    await expectText(conversation(page), /Enter the API key first/);
    expect(await page.locator(":focus").getAttribute("id")).toBe("api-key");
    await page.getByLabel("API key").fill("some-other-key");
    await press(page, "Send");
    await expectText(conversation(page), /The service answers 401: Unauthorized - Invalid API key\./);
    await page.getByLabel("API key").fill(API_KEY);
    await press(page, "Send");
    await expectText(answers(page), /answer to: hello/);
    expect(await conversation(page).textContent()).not.toContain("Enter the API key");
  });

  test("a model that is down, with a Retry at each message that failed, and the ID of its request", async () => {
    const { page, requests } = await enter({ expectedErrors: [failedLoad(500, "Internal Server Error")] });
    service.model.script = () => ({ status: 401 });
    await converse(page, "hello");
    await expectText(
      page.locator("#urgent"),
      /The service answers 500: Failed to process chat request\. .*call 911.* Its x-request-id is \S+\. Nothing was stored/,
    );
    const retries = page.locator(".message.user + .notice").getByRole("button", { name: "Retry" });
    await expectUncovered(retries);
    await converse(page, "good morning");
    await expectUncovered(retries.last());
    expect(await retries.count()).toBe(2);
    service.model.script = echo;
    await retries.first().click();
    await expectText(
      page.locator(".message.user", { hasText: "hello" }).locator("+ .assistant .content"),
      /answer to: hello$/,
    );
    await page.locator("#send:not([disabled])").waitFor();
    await retries.click();
    await expectText(answers(page).last(), /answer to: good morning$/);
    await expectText(count(page), /^4$/);
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(0);
    expect(new Set(idempotencyKeys(requests)).size).toBe(2);
  });

  test("a message whose thread is gone before it is sent again", async () => {
    const { page } = await enter({ expectedErrors: [failedLoad(500, "Internal Server Error")] });
    service.model.script = () => ({ status: 401 });
    await converse(page, "hello");
    await expectShown(page.getByRole("button", { name: "Retry" }));
    await pressInMenu(page, "thread", "Delete the thread");
    await expectText(conversation(page), /Thread deleted successfully\. Nothing of it is kept\./);
    expect(await page.locator(":focus").textContent()).toBe("New thread");
    await press(page, "Retry");
    await expectText(conversation(page), /The thread of this message is gone/);
    expect(await messageField(page).inputValue()).toBe("hello");
    service.model.script = echo;
    await page.keyboard.press("Enter");
    await expectText(answers(page), /answer to: hello$/);
  });

  test("a connection that breaks in the middle of an answer, and a service that cannot be reached", async () => {
    const line = await startLine(root);
    try {
      const { page, requests } = await enter({
        url: line.url,
        expectedErrors: ["CONNECTION_RESET", "INTERNET_DISCONNECTED"].map(
          (name) => `Failed to load resource: net::ERR_${name}`,
        ),
      });
      const resolve = pauseAnswer("First words, and the rest.", 2);
      await say(page, "hello");
      await expectText(answers(page), /First/);
      line.cut();
      await expectText(
        conversation(page),
        /The connection was lost before the answer was complete\. .* Idempotency-Key/,
      );
      await page.context().setOffline(true);
      await press(page, "Retry");
      await expectText(conversation(page), /The service cannot be reached\./);
      resolve();
      await page.context().setOffline(false);
      await press(page, "Retry");
      await expectText(answers(page), /^First words, and the rest\.$/);
      await expectText(count(page), /^2$/);
      expect(new Set(idempotencyKeys(requests)).size).toBe(1);
    } finally {
      line.stop();
    }
  });
});
