import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { API_KEY, startTestService, type TestService } from "../helpers/service/service.ts";
import {
  expectAccessible,
  expectKeptNowhere,
  expectNoOverflow,
  expectShown,
  expectText,
  failedLoad,
  LAPTOP,
  launch,
  leave,
  PHONE,
  SCHEMES,
  screenshot,
  visit,
} from "./visitor.ts";

let service: TestService;
let browser: Browser;
let url: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), launch()]);
  url = `${service.baseUrl}/docs`;
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

const formOf = (page: Page, operation: string): Locator =>
  page.getByRole("form", { name: `Try ${operation}`, exact: true });
const send = (form: Locator) => form.getByRole("button", { name: "Send" }).click();

describe("the reference is read", () => {
  test("from the list of contents, to a guide and to an operation", async () => {
    const visitor = await visit(browser, url);
    const { page } = visitor;
    await screenshot(page, "docs");
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.getByRole("link", { name: "Thread lifecycle" }).click();
    await expectInView(page.getByRole("heading", { name: "Thread lifecycle" }));
    await contents.getByRole("link", { name: "POST /patients" }).click();
    await expectInView(page.getByRole("heading", { name: "POST /patients Create a patient" }));
    const conflict = page.locator("details", { hasText: "Patient with this phone number already exists" }).first();
    await conflict.locator("summary").click();
    await expectInView(conflict.locator("pre").first());
    await leave(visitor);
  });

  test("with JavaScript turned off, but for the forms", async () => {
    const visitor = await visit(browser, url, { javaScriptEnabled: false });
    const { page } = visitor;
    await expectShown(page.getByRole("heading", { name: "GET /threads/{id} Get a thread" }));
    await expectShown(page.getByText("A thread is a conversation that the service keeps for you"));
    expect(await page.locator("form").count()).toBeGreaterThan(0);
    expect(await page.getByRole("button").count()).toBe(0);
    await page.context().close();
  });

  test("with the network cut after it has loaded", async () => {
    const visitor = await visit(browser, url);
    const { page } = visitor;
    await page.context().setOffline(true);
    await page.getByRole("navigation").getByRole("link", { name: "Safety" }).click();
    await expectInView(page.getByRole("heading", { name: "Safety" }));
    const form = formOf(page, "GET /openapi.json");
    await send(form);
    await expectText(form.getByRole("status"), /^No whole answer came: the service cannot be reached/);
    await page.context().setOffline(false);
    await send(form);
    await expectText(form.getByRole("status"), /^Status 200/);
    await leave(visitor, ["Failed to load resource: net::ERR_INTERNET_DISCONNECTED"]);
  });

  test("by keyboard: past the contents, to the key", async () => {
    const visitor = await visit(browser, url);
    const { page } = visitor;
    await page.keyboard.press("Tab");
    await expectShown(page.locator(":focus", { hasText: "Skip to the content" }));
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").getAttribute("id")).toBe("api-key");
    await leave(visitor);
  });
});

describe("an operation is tried", () => {
  test("with the key that was typed: a patient is created", async () => {
    const visitor = await visit(browser, url);
    const { page, requests } = visitor;
    await page.getByLabel("API key").fill(API_KEY);
    const form = formOf(page, "POST /patients");
    await form.getByLabel("Example").selectOption("A phone number");
    await send(form);
    await expectText(form.getByRole("status"), /^Status 201/);
    await expectText(form.locator(".answer"), /"phone_number": "15551234567"/);
    expect(requests.at(-1)?.headers["x-api-key"]).toBe(API_KEY);
    await expectKeptNowhere(visitor, API_KEY);
    await leave(visitor);
  });

  test("without a key, and with a wrong one: the 401 is shown", async () => {
    const visitor = await visit(browser, url);
    const { page } = visitor;
    const form = formOf(page, "GET /threads/{id}");
    for (const key of ["", "some-other-key"]) {
      await page.getByLabel("API key").fill(key);
      await send(form);
      await expectText(form.locator(".answer"), /"error": "Unauthorized - Invalid API key"/);
      await expectText(form.getByRole("status"), /^Status 401/);
    }
    await leave(visitor, [failedLoad(401, "Unauthorized"), failedLoad(401, "Unauthorized")]);
  });

  test("as a stream: words are there before the answer is whole, and it can be stopped", async () => {
    const visitor = await visit(browser, url);
    const { page } = visitor;
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "First words, and later ones.",
      beforeWord: (index) => (index > 1 ? release : Promise.resolve()),
    });
    await page.getByLabel("API key").fill(API_KEY);
    const form = formOf(page, "POST /chat");
    await form.getByLabel("Body").fill('{"message": "hello"}');
    await form.getByLabel("Stream the answer").check();
    await send(form);
    await expectText(form.locator(".answer"), /data: \{"text":"First"\}/);
    expect(await form.locator(".answer").textContent()).not.toContain("event: done");
    await form.getByRole("button", { name: "Stop" }).click();
    await expectText(form.getByRole("status"), /^Stopped/);
    resolve();
    await send(form);
    await expectText(
      form.locator(".answer"),
      /event: done\ndata: \{"success":true,"response":"First words, and later ones\."/,
    );
    await leave(visitor);
  });

  test("and copied as curl, without the key", async () => {
    const visitor = await visit(browser, url, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = visitor;
    await page.getByLabel("API key").fill(API_KEY);
    const form = formOf(page, "POST /chat");
    await form.getByLabel("Idempotency-Key (may be empty)").fill("key-1");
    await form.getByText("This request as curl").click();
    await form.getByRole("button", { name: "Copy as curl" }).click();
    await expectText(form.getByRole("status"), /^Copied/);
    const command = await page.evaluate("navigator.clipboard.readText()");
    expect(command).toContain('-H "X-API-Key: $API_KEY"');
    expect(command).toContain("-H 'Idempotency-Key: key-1'");
    expect(command).toContain("Can I take ibuprofen");
    expect(command).not.toContain(API_KEY);
    await leave(visitor);
  });
});

describe.each(SCHEMES)("in a %s scheme", (colorScheme) => {
  test.each([
    ["laptop", LAPTOP],
    ["phone", PHONE],
  ])("everything is within reach of everyone, on a %s", async (_, viewport) => {
    const visitor = await visit(browser, url, { colorScheme, viewport });
    const { page } = visitor;
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
    await send(formOf(page, "GET /openapi.json"));
    await expectText(formOf(page, "GET /openapi.json").getByRole("status"), /^Status 200/);
    await expectAccessible(page);
    await expectNoOverflow(page);
    await leave(visitor);
  });
});

/** Waits until an element is where the reader looks. */
async function expectInView(element: Locator): Promise<void> {
  await expectShown(element);
  await element.evaluate(
    "(node) => new Promise((resolve) => new IntersectionObserver(([entry]) => entry.isIntersecting && resolve()).observe(node))",
  );
}
