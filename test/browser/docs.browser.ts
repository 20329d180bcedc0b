import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { API_KEY, startTestService, type TestService } from "../helpers/service/service.ts";
import {
  deployed,
  endVisitsAfterEachTest,
  expectAccessible,
  expectInView,
  expectKeptNowhere,
  expectNoOverflow,
  expectShown,
  expectText,
  expectUncovered,
  failedLoad,
  LAPTOP,
  launch,
  PHONE,
  screenshot,
  visit,
  WINDOWS,
  withNode,
} from "./visitor.ts";

endVisitsAfterEachTest();

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

/** Shows an operation's page, and returns the form on it. */
async function formOf(page: Page, operation: string): Promise<Locator> {
  const [method, path] = operation.split(" ");
  const form = `form[data-method="${method}"][data-path="${path}"]`;
  await page.evaluate(`location.hash = document.querySelector('${form}').closest(".page").querySelector("h3").id`);
  const shown = page.locator(form);
  await expectShown(shown);
  return shown;
}

/** Shows the pages one after the other, as they are without JavaScript. */
const showAllPages = (page: Page) =>
  page.evaluate('for (const each of document.querySelectorAll(".page, .group")) each.hidden = false');

/** The operations with a form, in the page's order. */
const operations = async (page: Page) =>
  (await page.locator("form.try h4").allTextContents()).map((title) => title.replace("Try ", ""));

const send = (form: Locator) => form.getByRole("button", { name: "Send" }).click();

/** Sends a form's request, and waits for the end of its response, which has this status. */
async function sendAndExpect(form: Locator, status = /^Status 20[01]/): Promise<void> {
  await send(form);
  await form.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  await expectText(form.getByRole("status"), status);
}

describe("the reference is read", () => {
  test("with the base URL of the page in the commands of the guides", async () => {
    const { page } = await visit(browser, `${url}#guide-authentication`);
    const authentication = page.locator(".guide", { has: page.locator("#guide-authentication") });
    await expectText(authentication.locator("pre").first(), new RegExp(`BASE_URL=${service.baseUrl} `));
    expect(await page.locator("#base-url").textContent()).toBe(service.baseUrl);
    expect(await page.locator("main").textContent()).not.toContain("127.0.0.1:3000/v1");
  });

  test("with JavaScript turned off, but for the forms", async () => {
    const { page } = await visit(browser, url, { javaScriptEnabled: false });
    await expectShown(page.getByRole("heading", { name: "Get a thread" }));
    await expectShown(page.getByText("A thread is a conversation that the service keeps for you"));
    expect(await page.locator("form").count()).toBeGreaterThan(0);
    expect(await page.getByRole("button").count()).toBe(0);
  });

  test("with the network cut after it has loaded", async () => {
    const expectedErrors = ["Failed to load resource: net::ERR_INTERNET_DISCONNECTED"];
    const { page } = await visit(browser, url, { expectedErrors });
    await page.context().setOffline(true);
    await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Safety" }).click();
    await expectInView(page.getByRole("heading", { name: "Safety" }));
    const form = await formOf(page, "GET /openapi.json");
    await send(form);
    await expectText(form.getByRole("status"), /^No whole answer came: the service cannot be reached/);
    await page.context().setOffline(false);
    await sendAndExpect(form, /^Status 200/);
  });

  test("by keyboard: past the contents, and from them to an operation, and past its text to its form", async () => {
    const { page } = await visit(browser, url);
    await page.keyboard.press("Tab");
    await expectShown(page.locator(":focus", { hasText: "Skip to the content" }));
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").getAttribute("id")).toBe("api-key");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator("#content:target").waitFor({ state: "attached" }); // Chromium goes there after the key press has ended
    await page.keyboard.press("Tab");
    await expectShown(page.locator("#start :focus", { hasText: "client" })); // the first link of the content
    await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Ask the assistant" }).focus();
    await page.keyboard.press("Enter");
    await expectShown(page.locator("h3:focus", { hasText: "Ask the assistant" }));
    for (const key of ["Tab", "Tab"]) {
      await page.keyboard.press(key);
    }
    await expectShown(page.locator(":focus", { hasText: "Skip to the form" }));
    await page.keyboard.press("Enter");
    await expectShown(page.locator(":focus", { hasText: "Try POST /chat" }));
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").getAttribute("id")).toMatch(/^chat-/);
  });

  test("with lines of at most 80 characters and no raw Markdown", async () => {
    const { page } = await visit(browser, url);
    await showAllPages(page);
    const prose = "main :is(p, dd, li, summary)";
    expect((await page.locator(prose).allInnerTexts()).filter((text) => /`|\*\*/.test(text))).toEqual([]);
    const longest =
      await page.evaluate(`Math.max(...[...document.querySelectorAll("main p:not(:has(*))")].map((node) => {
      const lines = {};
      for (let index = 0; index < (node.firstChild?.length ?? 0); index++) {
        const range = new Range();
        range.setStart(node.firstChild, index);
        range.setEnd(node.firstChild, index + 1);
        const { top } = range.getBoundingClientRect();
        lines[top] = (lines[top] ?? 0) + 1;
      }
      return Math.max(0, ...Object.values(lines));
    }))`);
    expect(longest).toBeGreaterThan(50);
    expect(longest).toBeLessThanOrEqual(80);
    await expectShown(page.getByRole("heading", { name: "Retries", level: 4 }));
  });
});

describe("an operation can be tried", () => {
  test("with the key that was typed: a patient is created", async () => {
    const { page, requests } = await visit(browser, url);
    await page.getByLabel("API key").fill(API_KEY);
    const form = await formOf(page, "POST /patients");
    await form.getByLabel("Example").selectOption("A phone number");
    await sendAndExpect(form, /^Status 201/);
    await expectText(form.locator(".answer"), /"phone_number": "1\d{3}55501\d\d"/);
    expect(requests.at(-1)?.headers["x-api-key"]).toBe(API_KEY);
    await expectKeptNowhere({ page, requests }, API_KEY);
  });

  test("only with a key: without one, its field has the focus, and with a wrong one, the 401 is shown", async () => {
    const { page, requests } = await visit(browser, url, {
      expectedErrors: [failedLoad(401, "Unauthorized")],
    });
    const form = await formOf(page, "GET /threads/{id}");
    await page.getByLabel("API key").fill(""); // which the page of a local service has filled in
    const sent = requests.length;
    await send(form);
    await expectText(form.getByRole("status"), /^Enter the API key first, at the top of this page\.$/);
    expect(await page.locator(":focus").getAttribute("id")).toBe("api-key");
    expect(requests).toHaveLength(sent);
    await page.keyboard.type("some-other-key");
    await send(form);
    await expectText(form.locator(".answer"), /"error": "Unauthorized - Invalid API key"/);
    await expectText(form.getByRole("status"), /^Status 401/);
  });

  test("as a stream: words are there before the answer is whole, and it can be stopped", async () => {
    const { page } = await visit(browser, url);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "First words, and later ones.",
      beforeWord: (index) => (index > 1 ? release : Promise.resolve()),
    });
    await page.getByLabel("API key").fill(API_KEY);
    const form = await formOf(page, "POST /chat");
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
  });

  test("and its refused fields are marked, those of the body at the body", async () => {
    const { page } = await visit(browser, url, { expectedErrors: [failedLoad(400, "Bad Request")] });
    await page.getByLabel("API key").fill(API_KEY);
    const form = await formOf(page, "GET /threads/{id}/messages");
    await form.getByText("Parameters and headers that may be left out").click();
    await form.getByLabel("limit").fill("1000");
    await sendAndExpect(form, /^Status 400/);
    expect(await form.locator("[aria-invalid=true]").evaluateAll((fields) => fields.map((field) => field.id))).toEqual([
      expect.stringMatching(/limit$/),
    ]);
    const patients = await formOf(page, "POST /patients");
    await patients.getByLabel("Body").fill('{"name": 1}');
    await sendAndExpect(patients, /^Status 400/);
    await expectShown(patients.locator("textarea[aria-invalid=true]"));
    await patients.getByLabel("Body").fill('{"name": "Ann"}');
    await sendAndExpect(patients, /^Status 201/);
    expect(await patients.locator("[aria-invalid=true]").count()).toBe(0);
  });

  test("and copied as a curl command that lacks the key", async () => {
    const { page } = await visit(browser, url, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByLabel("API key").fill(API_KEY);
    const form = await formOf(page, "POST /chat");
    await form.getByText("Headers that may be left out").click();
    await form.getByLabel("Idempotency-Key").fill("key-1");
    await form.getByText("This request as curl").click();
    await form.getByRole("button", { name: "Copy as curl" }).click();
    await expectText(form.getByRole("status"), /^Copied/);
    const command = await page.evaluate("navigator.clipboard.readText()");
    expect(command).toContain('-H "X-API-Key: $API_KEY"');
    expect(command).toContain("-H 'Idempotency-Key: key-1'");
    expect(command).toContain("Can I take ibuprofen");
    expect(command).not.toContain(API_KEY);
  });
});

describe("the examples, sent as they are", () => {
  test("succeed from the top of the page to its end without another button: what was deleted is created again", async () => {
    const { page } = await visit(browser, url);
    await expectKeyFilledIn(page);
    const offers: string[] = [];
    for (const name of await operations(page)) {
      const form = await formOf(page, name);
      if (await form.locator(".needs").isVisible()) {
        offers.push(`${name}: ${await form.locator(".needs").textContent()}`);
      }
      await sendAndExpect(form);
    }
    expect(offers).toEqual([
      "POST /chat: What had this ID was deleted. Send does first what the button does. Create a thread first",
    ]);
  });

  test("open a thread for a patient that was deleted, and give feedback after both are", async () => {
    const { page } = await visit(browser, url);
    await expectKeyFilledIn(page);
    for (const operation of [
      "POST /patients",
      "DELETE /patients/{id}",
      "POST /threads",
      "DELETE /threads/{id}",
      "PUT /threads/{id}/messages/{messageId}/feedback",
    ]) {
      const form = await formOf(page, operation);
      if (operation === "POST /threads") {
        await form.getByLabel("Example").selectOption("Linked by id");
      }
      await sendAndExpect(form);
    }
  });

  test("succeed on a fresh page, each by itself, if what it needs is created first by its button", async () => {
    const failed: string[] = [];
    const { page } = await visit(browser, url);
    await expectKeyFilledIn(page);
    const needy = await page.locator("form.try:has(.needs:not([hidden])) h4").allTextContents();
    expect(needy.length).toBeGreaterThan(12);
    for (const name of needy.map((title) => title.replace("Try ", ""))) {
      await page.reload();
      await expectKeyFilledIn(page);
      const form = await formOf(page, name);
      await createWhatIsNeeded(form);
      await send(form);
      await expectText(form.getByRole("status"), /^Status \d+/);
      const status = (await form.getByRole("status").textContent()) ?? "";
      if (!/^Status 20[01]/.test(status)) {
        failed.push(`${name}: ${status}`);
      }
    }
    expect(failed).toEqual([]);
  });

  test("give feedback on another thread's answer while a person has taken over the first thread", async () => {
    const { page } = await visit(browser, url);
    await expectKeyFilledIn(page);
    for (const [operation, created] of [
      ["PUT /threads/{id}/handoff", ["Create a thread first"]],
      ["POST /threads/{id}/messages", []],
      ["PUT /threads/{id}/messages/{messageId}/feedback", ["Create a thread first", "Ask the assistant first"]],
      ["POST /threads/{id}/messages", ["Take over the thread first"]],
      ["DELETE /threads/{id}/handoff", []],
    ] as const) {
      const form = await formOf(page, operation);
      expect(await createWhatIsNeeded(form)).toEqual(created);
      await sendAndExpect(form);
    }
    expect(await (await formOf(page, "POST /threads/{id}/messages")).locator(".why").textContent()).toBe(
      "Nobody has taken over the thread.",
    );
  });

  test.each(["POST /chat", "GET /threads/{id}/messages"])(
    "give feedback on the answer that %s is about",
    async (operation) => {
      const { page } = await visit(browser, url);
      await expectKeyFilledIn(page);
      const form = await formOf(page, operation);
      await createWhatIsNeeded(form);
      if (operation !== "POST /chat") {
        const chat = await formOf(page, "POST /chat");
        await chat.getByLabel("Stream the answer").check();
        await send(chat);
        await expectText(chat.locator(".answer"), /event: done/);
      }
      await formOf(page, operation);
      await sendAndExpect(form, /^Status 200/);
      const feedback = await formOf(page, "PUT /threads/{id}/messages/{messageId}/feedback");
      await feedback.locator(".needs[hidden]").waitFor({ state: "attached" });
      await sendAndExpect(feedback);
    },
  );

  test("test a webhook with the truth about its receiver, which only the local service lets run on this machine", async () => {
    const { page } = await visit(browser, url);
    await expectKeyFilledIn(page);
    const form = await formOf(page, "POST /webhooks/{id}/test");
    expect(await createWhatIsNeeded(form)).toEqual(["Create a webhook first"]);
    await send(form);
    await expectText(form.locator(".answer"), /"accepted": (true|false)/);
    const { page: elsewhere } = await visit(browser, deployed(url), {
      expectedErrors: [failedLoad(401, "Unauthorized")],
    });
    await expectText((await formOf(elsewhere, "POST /webhooks")).locator(".needs"), /^The URL is an example/);
    const test = await formOf(elsewhere, "POST /webhooks/{id}/test");
    await test.getByRole("button", { name: "Create a webhook first" }).click();
    await expectText(test.getByRole("status"), /^Status 401, after \d+ ms\. Unauthorized - Invalid API key$/);
  });

  test("put the ids into the samples", async () => {
    const { page } = await visit(browser, url);
    await expectKeyFilledIn(page);
    const form = await formOf(page, "POST /threads");
    await sendAndExpect(form, /^Status 201/);
    const threadId = /"threadId": "(\d{5})"/.exec((await form.locator(".answer").textContent()) ?? "")?.[1];
    await formOf(page, "GET /threads/{id}");
    const sample = page.locator("section.operation:visible").locator(".sample").first();
    await expectText(sample, new RegExp(`/threads/${threadId}`));
    const chat = await formOf(page, "POST /chat");
    expect(await chat.locator(".command").textContent()).toContain(`"threadId": "${threadId}"`);
  });
});

/** @returns the names of the buttons that were pressed until the form needed nothing any more */
async function createWhatIsNeeded(form: Locator): Promise<string[]> {
  const create = form.locator("button[name=create]");
  const pressed: string[] = [];
  while (await create.isVisible()) {
    const name = (await create.textContent()) ?? "";
    await create.click();
    await create.filter({ hasNotText: name }).or(form.locator(".needs[hidden]")).first().waitFor({ state: "attached" });
    pressed.push(name);
  }
  return pressed;
}

async function expectKeyFilledIn(page: Page): Promise<void> {
  await page.locator("#playground:not([hidden])").waitFor();
  expect(await page.getByLabel("API key").inputValue()).toBe(API_KEY);
}

describe("the samples", () => {
  test("change their language for all operations, are highlighted, and are copied, as the code of guides is", async () => {
    const { page } = await visit(browser, url, { permissions: ["clipboard-read", "clipboard-write"] });
    expect(await page.evaluate("[...CSS.highlights].map(([name, ranges]) => [name, ranges.size > 50])")).toEqual(
      ["name", "string", "word"].map((name) => [name, true]),
    );
    const samples = page.locator(".samples");
    const shown = () => page.locator(".sample:not([hidden]) figcaption").allTextContents();
    expect(await shown()).toEqual(Array(await samples.count()).fill("curl"));
    await samples.first().getByRole("button", { name: "Python", exact: true }).click();
    expect(await shown()).toEqual(Array(await samples.count()).fill("Python"));
    await samples.first().getByRole("button", { name: "JavaScript", exact: true }).click();
    await samples.first().getByRole("button", { name: "Copy JavaScript" }).click();
    await expectText(samples.first().getByRole("button", { name: "Copy JavaScript" }), /^Copied$/);
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      await samples.first().locator("[data-language=JavaScript] code").textContent(),
    );
    const command = page.locator("#start pre").first();
    await command.getByRole("button", { name: "Copy the code" }).click();
    await expectText(command, /^Copied/);
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await command.locator("code").textContent());
  });

  test("stay beside the fields, each of which has a link to itself", async () => {
    const { page } = await visit(browser, `${url}#createPatient.medications.dosage`, {
      viewport: { width: 1280, height: 600 },
    });
    const field = page.locator("dt:target", { hasText: "dosage" });
    await expectUncovered(field);
    await expectUncovered(page.locator(".sample:visible").getByRole("button", { name: "Copy curl" }));
    expect(await field.getByRole("link").getAttribute("href")).toBe("#createPatient.medications.dosage");
  });
});

describe("on the page,", () => {
  test("search finds the sections that have all words, those that have them in their titles first", async () => {
    const { page } = await visit(browser, url);
    const entries = page.getByRole("navigation", { name: "Contents" }).getByRole("link");
    const titles = await entries.allTextContents();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("idempotency-key retry");
    await expectText(page.locator("#search-result"), /^\d+ sections$/);
    expect(await entries.filter({ visible: true }).allTextContents()).toContain("Retries");
    expect(await entries.filter({ visible: true }).count()).toBeLessThan(titles.length / 2);
    for (const [words, section, snippet] of [
      ["rate limit", "Limits", /Rate limits depend/],
      ["allergy", "Create a patient", /allerg/],
      ["webhook secret", "Events and webhooks", /secret/],
      ["handoff", "A person in the conversation", /handoff/],
      ["thread-not-held", "Errors", /thread-not-held/],
      ["thread-not-held", "Write as a person", /thread-not-held/],
      ["consent", "Consent", /consent/],
      ["sse", "Streaming", /server-sent/],
      ["hmac", "Events and webhooks", /signature/],
      ["sdk", "Client libraries", /SDK|client/],
      ["pagination", "List a thread's messages", /hasMore|cursor/],
      ["gdpr", "Erase a patient", /erase|deleted/i],
    ] as const) {
      await page.getByRole("searchbox", { name: "Search" }).fill(words);
      await expectText(
        page.locator("#contents li", { hasText: new RegExp(`^${section}`) }).locator(".snippet"),
        snippet,
      );
    }
    for (const [words, anchor] of [
      ["rate limit", "#guide-limits"],
      ["webhook secret", "#operation-rotateWebhook"],
      ["feedback", "#operation-giveFeedback"],
      ["post /chat", "#operation-chat"],
      ["search", "#operation-searchPatients"],
    ]) {
      await page.getByRole("searchbox", { name: "Search" }).fill(words ?? "");
      await page.keyboard.press("Enter");
      await page.waitForURL(({ hash }) => hash === anchor);
    }
    await page.getByRole("searchbox", { name: "Search" }).fill("delete a thread");
    const found = await entries.filter({ visible: true }).allTextContents();
    expect([found[0], found.length > 2]).toEqual(["Delete a thread", true]);
    await page.getByRole("searchbox", { name: "Search" }).fill("cors");
    const aboutCors = await entries.filter({ visible: true }).allTextContents();
    expect([aboutCors.includes("Authentication"), aboutCors.includes("Errors")]).toEqual([true, false]);
    await page.getByRole("searchbox", { name: "Search" }).fill("idempot zzz");
    await expectText(page.locator("#search-result"), /^No section has all of these words\. These have some:$/);
    expect(await entries.filter({ visible: true }).allTextContents()).toContain("Retries");
    const marks = await page.locator("#results mark").allTextContents();
    expect(marks.length).toBeGreaterThan(2);
    expect(marks.filter((word) => !/^idempot\p{L}+$/iu.test(word))).toEqual([]);
    await page.getByRole("searchbox", { name: "Search" }).fill("zzz");
    await expectText(page.locator("#search-result"), /^No section has this\. Try the beginning of a word/);
    expect(await page.locator("#results li").count()).toBe(0);
    await page.getByRole("searchbox", { name: "Search" }).fill("");
    expect(await entries.filter({ visible: true }).allTextContents()).toEqual(titles);
  });

  test("the contents lead to each section, which has a link to itself, and mark the one being read", async () => {
    const { page } = await visit(browser, url, { viewport: { width: 1280, height: 600 } });
    await screenshot(page, "docs");
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.getByRole("link", { name: "Streaming" }).click();
    await page.getByRole("link", { name: "Link to Streaming" }).click();
    await page.waitForURL(({ hash }) => hash === "#guide-streaming");
    await expectText(contents.locator("[aria-current]"), /^Streaming$/);
    await page.goto(`${url}#operation-createWebhook`);
    await expectText(contents.locator("[aria-current]"), /^Create a webhook$/);
    await expectInView(contents.locator("[aria-current]"));
    await contents.getByRole("link", { name: "Create a patient", exact: true }).click();
    await expectInView(page.getByRole("heading", { name: "Create a patient", exact: true }));
    await page.getByText("409", { exact: true }).filter({ visible: true }).click(); // folded, as all responses are
    const conflict = "details:visible:has-text('Patient with this phone number already exists')";
    await expectShown(page.locator(conflict).first().locator("pre").first());
  });

  test("the contents are a menu on a phone", async () => {
    const { page } = await visit(browser, url, { viewport: PHONE });
    const contents = page.getByRole("navigation", { name: "Contents" });
    const menu = page.getByRole("button", { name: "Contents" });
    expect(await contents.isVisible()).toBe(false);
    await page.evaluate("location.hash = 'operation-exportPatient'");
    await expectShown(page.getByRole("heading", { name: "Export a patient", exact: true }));
    await menu.click();
    expect(await menu.getAttribute("aria-expanded")).toBe("true");
    await expectAccessible(page);
    await contents.getByRole("link", { name: "Limits" }).click();
    await expectInView(page.getByRole("heading", { name: "Limits" }));
    expect(await contents.isVisible()).toBe(false);
  });

  test("one page is printed, with what is folded and in all languages, in dark letters; and folded again afterwards", async () => {
    const { page } = await visit(browser, `${url}#operation-chat`, { colorScheme: "dark" });
    const folded = page.locator("main details:not([open])");
    const before = await folded.count();
    expect(before).toBeGreaterThan(10);
    await page.emulateMedia({ media: "print" });
    await folded.first().waitFor({ state: "detached" });
    expect(await folded.count()).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect(await page.locator(".page:visible h3").allTextContents()).toEqual(["Ask the assistant"]);
    const samples = page.locator(".page:not([hidden]) .sample");
    expect(await samples.filter({ visible: true }).count()).toBe(await samples.count());
    expect(await page.locator("nav, form, button").filter({ visible: true }).count()).toBe(0);
    await page.emulateMedia({ media: "screen" });
    await folded.nth(before - 1).waitFor({ state: "attached" });
    expect(await folded.count()).toBe(before);
  });

  test("in forced colors, a pressed button differs from the others, and code is plain", async () => {
    const { page } = await visit(browser, url, { forcedColors: "active" });
    const back = (pressed: boolean) =>
      withNode(
        page.locator(`.samples button[aria-pressed="${pressed}"]`).first(),
        "getComputedStyle(node).backgroundColor",
      );
    expect(await back(true)).not.toBe(await back(false));
    expect(await page.evaluate("CSS.highlights.size")).toBe(0);
    await expectAccessible(page);
  });

  test("dark mode is chosen, accessible, and kept", async () => {
    const { page } = await visit(browser, url, { colorScheme: "light" });
    const back = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const press = (name: string) => page.getByRole("button", { name }).click();
    const light = await back();
    await press("Dark mode");
    await expectShown(page.getByRole("button", { name: "Light mode" }));
    expect(await back()).not.toBe(light);
    await expectAccessible(page);
    await page.reload();
    await press("Light mode");
    expect(await back()).toBe(light);
  });
});

describe("the reference has a page for each guide and operation:", () => {
  const headings = (page: Page) => page.locator("main h3").filter({ visible: true }).allTextContents();

  test("the first request is at the top of the first one, and works as printed", async () => {
    const { page } = await visit(browser, url);
    expect(await headings(page)).toEqual([]);
    const heading = page.getByRole("heading", { name: "Your first request" });
    await expectUncovered(heading);
    await expectText(page.locator("#start pre").first(), new RegExp(`BASE_URL=${service.baseUrl} API_KEY=`));
    await expectText(page.locator("#start .sample").first(), /^curlCopycurl "\$BASE_URL"\/chat/);
    const groups = await page.locator("#contents h2").allTextContents();
    expect(groups.slice(0, 3)).toEqual(["Guides", "Patients", "Threads"]);
    // The menu shows the method of an operation; screen readers say its name.
    const link = page.getByRole("link", { name: "Create a patient", exact: true });
    expect(await withNode(link, "getComputedStyle(node, '::before').content")).toMatch(/^"POST"/);
  });

  test.each([["no-such-heading"], ["guide-nothing%22"]])(
    "an address that names nothing (%s) shows the first one and says so",
    async (name) => {
      const { page } = await visit(browser, `${url}#${name}`);
      await expectShown(page.getByText(`There is nothing named “${name}” here.`));
      await expectShown(page.getByRole("heading", { name: "Your first request" }));
      expect(await page.locator(".page:visible").count()).toBe(1);
      await page.evaluate("location.hash = 'guide-limits'");
      await expectShown(page.getByRole("heading", { name: "Limits" }));
      expect(await page.getByText("There is nothing named").count()).toBe(0);
      await page.evaluate("location.hash = 'content'"); // what skips to the content stays on its page
      await expectShown(page.getByRole("heading", { name: "Limits" }));
    },
  );

  test.each([
    [390, 844],
    [820, 1180],
  ])("of an operation, at %i by %i, begins with its sample, a response and its form", async (width, height) => {
    const { page } = await visit(browser, url, { viewport: { width, height } });
    const form = await formOf(page, "POST /chat");
    const top = async (element: Locator) => (await element.boundingBox())?.y ?? Number.NaN;
    const { y = 0, height: endpointHeight = 0 } = (await page.locator(".endpoint:visible").boundingBox()) ?? {};
    expect((await top(page.locator(".sample:visible"))) - y - endpointHeight).toBeLessThan(120); // its languages are above
    const responseTop = await top(page.locator(".result:visible"));
    expect(responseTop).toBeLessThan(await top(form));
    expect(await top(form)).toBeLessThan(await top(page.locator(".about:visible")));
    expect((await page.locator(".page:visible").boundingBox())?.height).toBeLessThan(11_000);
  });

  test("one is shown at a time, named in the title, and left by Back and by the links at its end", async () => {
    const { page } = await visit(browser, `${url}#error-thread-not-held`);
    await expectInView(page.locator("#error-thread-not-held"));
    expect(await headings(page)).toEqual(["Errors"]);
    await page.getByRole("link", { name: "Limits" }).last().click();
    await expectUncovered(page.getByRole("heading", { name: "Limits" }));
    expect(await headings(page)).toEqual(["Limits"]);
    expect(await page.title()).toMatch(/^Limits: API reference/);
    await page.goBack();
    await expectShown(page.getByRole("heading", { name: "Errors" }));
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(15_000);
  });

  test.each([
    ["a phone", "", PHONE],
    ["a phone, at an operation", "#operation-chat", PHONE],
    ["a laptop", "", LAPTOP],
    ["a laptop, at a guide", "#guide-limits", LAPTOP],
  ])("nothing moves while the page loads on %s", async (_, hash, viewport) => {
    const { page } = await visit(browser, `${url}${hash}`, { viewport });
    await expectShown(page.getByRole("button", { name: "Dark mode" }));
    const shift = await page.evaluate(`new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
        .observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(0), 1_000);
    })`);
    expect(shift).toBeLessThan(0.1); // what Core Web Vitals call good
  });

  test("tables break no words on the narrowest phone", async () => {
    const { page } = await visit(browser, `${url}#guide-errors`, { viewport: { width: 320, height: 740 } });
    for (const guide of ["errors", "events", "limits", "fhir", "openai", "clients"]) {
      await page.evaluate(`location.hash = "guide-${guide}"`);
      await expectShown(page.locator(`#guide-${guide}`));
      const broken =
        await page.evaluate(`[...document.querySelectorAll("#guide-${guide} ~ table td")].flatMap((cell) => {
        const texts = document.createNodeIterator(cell, NodeFilter.SHOW_TEXT);
        const found = [];
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          for (const { index, 0: word } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
            const range = new Range();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word);
          }
        }
        return found;
      })`);
      expect([guide, broken]).toEqual([guide, []]);
    }
    await expectNoOverflow(page);
  });
});

test.each(WINDOWS)(
  "everything is within reach of everyone, on a $device in a $colorScheme scheme",
  async ({ colorScheme, viewport }) => {
    const { page } = await visit(browser, url, { colorScheme, viewport });
    await expectAccessible(page);
    const form = await formOf(page, "GET /openapi.json");
    await sendAndExpect(form, /^Status 200/);
    await showAllPages(page);
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
    await expectAccessible(page);
    await expectNoOverflow(page);
  },
);
