import { once } from "node:events";
import { request } from "node:http";
import { afterEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { API_KEY } from "../helpers/service/service.ts";
import { choosePatient, converse, createPatient, enter, press, root, service, setUpPlayground } from "./playground.ts";
import {
  expectAccessible,
  expectKeptNowhere,
  expectNoOverflow,
  expectShown,
  expectText,
  failedLoad,
  WINDOWS,
} from "./visitor.ts";

setUpPlayground();

test("a conversation is shown as it goes over the wire, and copied as curl, without the key", async () => {
  const { page } = await enter({ permissions: ["clipboard-read", "clipboard-write"] });
  await converse(page, "hello");
  const entry = page.locator("#traffic > li", { has: page.locator("summary", { hasText: "POST /chat" }) });
  await expectText(entry.locator("summary"), /POST \/chat 200, \d+ ms$/);
  await entry.locator("summary").click();
  await expectShown(entry.getByText(/^POST \/chat\nx-api-key: \$API_KEY\n.*"message": "hello"/s));
  await expectShown(entry.getByText("event: done"));
  await entry.getByRole("button").click();
  await expectText(entry.getByRole("button"), /^Copied$/);
  const command = String(await page.evaluate("navigator.clipboard.readText()"));
  expect(command).toMatch(
    /^curl -N "\$BASE_URL"\/chat \\\n {2}-H "X-API-Key: \$API_KEY" .* -H 'idempotency-key: \w.* -d '.*"message":"hello".*'$/s,
  );
  expect(command + (await page.content())).not.toContain(API_KEY);
});

test("the requests can be closed and opened", async () => {
  const { page } = await enter();
  const wire = page.getByRole("complementary", { name: "Requests and responses" });
  await expectShown(wire);
  await wire.getByRole("button", { name: "Close" }).click();
  await wire.waitFor({ state: "hidden" });
  expect(await page.locator(":focus").getAttribute("id")).toBe("wire-toggle");
  await converse(page, "hello");
  await page.getByRole("button", { name: "Requests 3", expanded: false }).click();
  await expectShown(wire);
  await expectShown(wire.getByText("POST /chat", { exact: true }));
  await page.keyboard.press("Escape");
  await wire.waitFor({ state: "hidden" });
  expect(await page.locator(":focus").getAttribute("id")).toBe("wire-toggle");
});

const deliveries = (page: Page) => page.locator("#deliveries > li");
const notice = (page: Page) => page.locator("#inbox-notice");
const webhooks = async () => (await service.call("GET", "/webhooks")).body.webhooks;

afterEach(async () => {
  const options = { method: "DELETE", headers: { "sec-fetch-site": "same-origin" } };
  await once(request(new URL("/webhook-inbox?webhook", root), options).end(), "response");
  for (const { id } of await webhooks()) {
    await service.call("DELETE", `/webhooks/${id}`);
  }
});

/** Opens the playground's inbox, and creates its webhook. */
async function enterInbox(options: Parameters<typeof enter>[0] = {}) {
  const visitor = await enter(options);
  const { page } = visitor;
  if (!(await page.locator("#wire").isVisible())) {
    await page.locator("#wire-toggle").click();
  }
  await page.getByRole("tab", { name: /^Webhook inbox/ }).click();
  await press(page, "Create the webhook");
  await expectText(notice(page), /^The webhook exists\./);
  return visitor;
}

test("the inbox shows what the service sends to its webhook, verified, without the secret; it can be deleted", async () => {
  const { page, requests } = await enterInbox();
  await press(page, "Send a test event");
  await expectText(deliveries(page), /^webhook\.test .* signature valid/);
  await converse(page, "Can I talk to a real person?");
  const event = deliveries(page).filter({ hasText: "handoff.requested" });
  await event.locator("summary").click();
  const threadId = await page.locator("#thread-id").textContent();
  await expectText(event.locator("pre"), new RegExp(`webhook-id: evt_\\w+\\n.*"threadId": "${threadId}"`, "s"));
  await expectText(page.locator("#inbox-count"), /^2$/);
  await expectText(page.locator(".message.assistant"), /is being told/);

  await page.getByRole("tab", { name: "Requests" }).click();
  await page.evaluate('for (const details of document.querySelectorAll("#traffic details")) details.open = true');
  await expectText(page.locator("#traffic"), /\$WEBHOOK_SECRET/);
  expect(/whsec_[\w+/]{20}/.test(await page.content())).toBe(false);
  await expectKeptNowhere({ page, requests }, "whsec_");

  await page.getByRole("tab", { name: /^Webhook inbox/ }).click();
  await press(page, "Delete the webhook");
  await expectText(notice(page), /^The webhook is deleted\.$/);
  expect(await deliveries(page).count()).toBe(0);
  expect(await webhooks()).toEqual([]);
});

test("messages are still there after a reload, and leave with the patient", async () => {
  const { page } = await enterInbox();
  await choosePatient(page, await createPatient({ name: "Ina Example" }));
  await press(page, "Send a test event");
  await expectShown(deliveries(page));
  await page.reload();
  await page.getByRole("tab", { name: /^Webhook inbox/ }).click();
  await expectText(deliveries(page), /webhook\.test/);
  await expectText(page.locator("#patient"), /^Ina Example$/);
  await choosePatient(page, await createPatient({ name: "Next Example" }));
  await expectText(page.locator("#inbox-count"), /^0$/);
  expect(await deliveries(page).count()).toBe(0);
});

test("a webhook whose secret is lost is replaced, and one that somebody else has deleted can be created again", async () => {
  const { page } = await enterInbox({ expectedErrors: [failedLoad(404, "Not Found")] });
  const [first] = await webhooks();
  await page.evaluate('fetch("/webhook-inbox?webhook", { method: "DELETE" })'); // as the end of the service does
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === "PUT"), // the notice is the same as before
    press(page, "Create the webhook"),
  ]);
  const [second, ...others] = await webhooks();
  expect(others).toEqual([]);
  expect(second.id).not.toBe(first.id);
  await service.call("DELETE", `/webhooks/${second.id}`);
  await press(page, "Send a test event");
  await expectText(notice(page), /The service answers 404: Webhook not found\./);
  await press(page, "Create the webhook");
  await expectText(notice(page), /^The webhook exists\./);
});

test("only the local service has an inbox; its tab is chosen by keyboard", async () => {
  const { page: deployed } = await enter({ key: "some-key" });
  await expectShown(deployed.locator("#traffic"));
  expect(await deployed.getByRole("tablist").count()).toBe(0);
  const { page } = await enter();
  await page.getByRole("tab", { name: "Requests", selected: true }).focus();
  await page.keyboard.press("ArrowRight");
  await expectShown(page.getByRole("tabpanel", { name: /^Webhook inbox/ }));
  expect(await page.locator("#traffic").isVisible()).toBe(false);
  await page.keyboard.press("ArrowRight");
  await expectShown(page.locator("#traffic"));
});

test.each(WINDOWS)("the inbox is within reach of everyone, on a $device in a $colorScheme scheme", async (window) => {
  const { page } = await enterInbox(window);
  await press(page, "Send a test event");
  await deliveries(page).locator("summary").click();
  await expectAccessible(page);
  await expectNoOverflow(page);
});
