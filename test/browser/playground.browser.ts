import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { echo } from "../helpers/model/scripted-model.ts";
import { API_KEY, startTestService, type TestService } from "../helpers/service/service.ts";
import { startLine } from "./line.ts";
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
  type Visitor,
  visit,
} from "./visitor.ts";

const CARDIAC = "crushing chest pain and my left arm is numb, sweating";
const SUICIDAL = "I want to kill myself";

let service: TestService;
let browser: Browser;
let root: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), launch()]);
  root = new URL("/", service.baseUrl).href;
});
afterEach(() => {
  service.model.script = echo;
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

const messageField = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const conversation = (page: Page): Locator => page.getByRole("log");
const answers = (page: Page): Locator => page.locator(".message.assistant");
const remaining = async (page: Page) => (await page.getByRole("timer").textContent()) ?? "";

/** Opens the playground and types the key. */
async function enter(options: BrowserContextOptions & { url?: string; key?: string } = {}): Promise<Visitor> {
  const { url = root, key = API_KEY, ...context } = options;
  const visitor = await visit(browser, url, context);
  await visitor.page.getByLabel("API key").fill(key);
  return visitor;
}

/** Says something and waits for the end of what comes of it. */
async function converse(page: Page, message: string): Promise<void> {
  await messageField(page).fill(message);
  await press(page, "Send");
  await expectIdle(page);
}

const expectIdle = (page: Page) => page.locator("#send:not([disabled])").waitFor();

/** The counts of the messages in the thread, as the page shows them. */
const count = (page: Page) => page.locator("#message-count");

/** The bodies and keys of all chats that a page has sent. */
const idempotencyKeys = ({ requests }: Visitor) =>
  requests.filter(({ url }) => url.endsWith("/chat")).map(({ headers }) => headers["idempotency-key"]);

describe("a conversation", () => {
  test("is about a patient made on the spot, streamed, and counted", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await page.getByText("Make one, or find one by phone number").click();
    await page.getByLabel("Name", { exact: true }).fill("Alex Example");
    await page.getByLabel("Phone number, any notation").fill("(555) 010-0001");
    await page.getByLabel("Age", { exact: true }).fill("40");
    await page.getByLabel("Gender").fill("female");
    await page.getByLabel("Conditions, separated by commas").fill("asthma, hay fever");
    await page.getByLabel("Allergies").fill("penicillin");
    await press(page, "Make or find the patient");
    await expectText(page.locator("#patient"), /^Alex Example, 15550100001\. /);
    await press(page, "Open a thread");
    await expectText(conversation(page), /Thread \d{5} begins, about the patient/);
    await expectText(count(page), /^0$/);

    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "[[level: none]]\nWith asthma, ask your pharmacist first.",
      beforeWord: (index) => (index > 4 ? release : Promise.resolve()),
    });
    await messageField(page).fill("Can I take ibuprofen for a headache?");
    await page.keyboard.press("Enter");
    await expectText(answers(page), /With asthma,/);
    expect(await answers(page).textContent()).not.toContain("pharmacist first");
    await expectShown(page.getByRole("button", { name: "Stop" }));
    resolve();
    await expectText(answers(page), /With asthma, ask your pharmacist first\.$/);
    await expectText(count(page), /^2$/);
    const prompt = JSON.stringify(service.model.requests.at(-1)?.body.messages);
    expect(prompt).toContain("hay fever");

    await expectText(page.locator("#polite"), /^Assistant: With asthma, ask your pharmacist first\.$/);
    await converse(page, "And how often?");
    await expectText(count(page), /^4$/);
    await expectKeptNowhere(visitor, API_KEY);
    await leave(visitor);
  });

  test("finds the patient who has the phone number, and one by id", async () => {
    const visitor = await enter();
    const { page } = visitor;
    const body = { name: "Sam Example", phone_number: "5550100002" };
    const { id } = (await service.call("POST", "/patients", { body })).body.patient;
    await page.getByText("Make one, or find one by phone number").click();
    await page.getByLabel("Phone number, any notation").fill("+1 555.010.0002");
    await press(page, "Make or find the patient");
    await expectText(page.locator("#patient"), new RegExp(`^Sam Example, 15550100002\\. .*${id}$`));
    await page.getByText("Find one by id").click();
    await page.getByLabel("Patient id").fill("7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11");
    await press(page, "Find the patient");
    await expectText(conversation(page), /The service answers 404: Patient not found\./);
    await page.getByLabel("Patient id").fill(id);
    await press(page, "Find the patient");
    await press(page, "Open a thread");
    await expectText(conversation(page), /begins, about the patient/);
    await leave(visitor, [failedLoad(409, "Conflict"), failedLoad(404, "Not Found")]);
  });

  test("can be had by keyboard alone, and with a phone's width", async () => {
    const visitor = await visit(browser, root, { viewport: PHONE });
    const { page } = visitor;
    const tabTo = async (id: string) => {
      for (
        let presses = 0;
        (await page
          .locator(":focus")
          .getAttribute("id")
          .catch(() => null)) !== id;
        presses++
      ) {
        expect(presses).toBeLessThan(20);
        await page.keyboard.press("Tab");
      }
    };
    await page.keyboard.press("Tab");
    await expectShown(page.locator(":focus", { hasText: "Skip to the conversation" }));
    await tabTo("api-key");
    await page.keyboard.type(API_KEY);
    await tabTo("open-thread");
    await page.keyboard.press("Enter");
    await expectText(count(page), /^0$/);
    await tabTo("message");
    await page.keyboard.type("one line");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("and another");
    await page.keyboard.press("Enter");
    await expectText(answers(page), /answer to: one line\nand another$/);
    await leave(visitor);
  });

  test("can be stopped, and Retry brings the answer under the same key, asked for and stored once", async () => {
    const visitor = await enter();
    const { page } = visitor;
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "First words, and the rest.",
      beforeWord: (index) => (index > 1 ? release : Promise.resolve()),
    });
    const asked = service.model.requests.length;
    await messageField(page).fill("hello");
    await press(page, "Send");
    await expectText(answers(page), /First/);
    await press(page, "Stop");
    await expectText(conversation(page), /Stopped\. The service finishes the turn by itself/);
    expect(await page.locator(":focus").textContent()).toBe("Retry");
    resolve();
    await page.keyboard.press("Enter");
    await expectText(answers(page), /^AssistantFirst words, and the rest\.$/);
    await expectText(count(page), /^2$/);
    expect(await answers(page).count()).toBe(1);
    expect(service.model.requests.length - asked).toBe(1);
    expect(new Set(idempotencyKeys(visitor)).size).toBe(1);
    expect(idempotencyKeys(visitor)).toHaveLength(2);
    await leave(visitor);
  });

  test("can be stopped while its thread is being opened, and sent again", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await page.getByText("Make one, or find one by phone number").click();
    await page.getByLabel("Phone number, any notation").fill("555 010 0077");
    await press(page, "Make or find the patient");
    await expectText(page.locator("#patient"), /15550100077/);
    service.model.script = () => ({ hang: true }); // the opening question
    await messageField(page).fill("hello");
    await press(page, "Send");
    await press(page, "Stop");
    await expectText(conversation(page), /Stopped before a thread was open\. Nothing was sent\./);
    expect(await messageField(page).inputValue()).toBe("hello");
    service.model.script = echo;
    await press(page, "Send");
    await expectText(answers(page).last(), /answer to: hello$/);
    await leave(visitor);
  });

  test("can be sent again after an exception in the page", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await page.evaluate(
      "const random = crypto.getRandomValues; crypto.getRandomValues = () => { crypto.getRandomValues = random; throw new Error('no entropy'); };",
    );
    await messageField(page).fill("hello");
    await press(page, "Send");
    await expectText(count(page), /^0$/);
    await messageField(page).fill("hello again");
    await press(page, "Send");
    await expectText(answers(page).last(), /answer to: hello again$/);
    await leave(visitor, ["no entropy"]);
  });

  test("is shown as it goes over the wire, and copied as curl, without the key", async () => {
    const visitor = await enter({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = visitor;
    await converse(page, "hello");
    const entry = page.locator("#traffic > li", { has: page.locator("summary", { hasText: "POST /chat" }) });
    await expectText(entry.locator("summary"), /POST \/chat 200, \d+ ms$/);
    await entry.locator("summary").click();
    await expectShown(entry.getByText(/^POST \/chat\nx-api-key: \$API_KEY\n.*"message":"hello"/s));
    await expectShown(entry.getByText("event: done"));
    await entry.getByRole("button").click();
    await expectText(entry.getByRole("button"), /^Copied$/);
    const command = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(command).toMatch(/^curl -N "\$BASE_URL"\/chat \\\n {2}-H "X-API-Key: \$API_KEY"/);
    expect(command + (await page.content())).not.toContain(API_KEY);
    await leave(visitor);
  });

  test("ends with its thread, when that is deleted", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await converse(page, "hello");
    await press(page, "Delete it");
    await expectText(conversation(page), /Thread deleted successfully\. Nothing of it is kept\./);
    expect(await page.locator(":focus").textContent()).toBe("Open a thread");
    await leave(visitor);
  });

  test("is gone with the page", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await converse(page, "hello");
    await page.reload();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(await conversation(page).textContent()).toBe("");
    await leave(visitor);
  });
});

describe("the end of a thread", () => {
  test("is counted down to, and put off by a message", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await press(page, "Open a thread");
    await expectText(page.getByRole("timer"), /^29:5[0-7]$/);
    const before = await remaining(page);
    await converse(page, "hello");
    expect((await remaining(page)) > before).toBe(true);
    await leave(visitor);
  });

  test("comes: the service's 404 is shown, and a new thread begins with nothing", async () => {
    const short = await startTestService({ THREAD_IDLE_SECONDS: "2" });
    try {
      const visitor = await enter({ url: new URL("/", short.baseUrl).href });
      const { page } = visitor;
      await converse(page, "hello");
      await expectText(conversation(page), /The service answers 404: Thread not found or expired\./);
      await expectText(page.locator("#urgent"), /Thread \d{5} is gone with everything in it/);
      expect(await remaining(page)).toBe("–");
      await press(page, "Open a new thread");
      await expectText(conversation(page), /begins, without a patient\. It knows nothing of what is above\./);
      await expectText(count(page), /^0$/);
      await leave(visitor, [failedLoad(404, "Not Found")]);
    } finally {
      await short.stop();
    }
  });
});

describe("an alert stands out, and is heard at once:", () => {
  test.each([
    ["an emergency", CARDIAC, "emergency", /Call 911 now/],
    ["a crisis", SUICIDAL, "crisis", /call or text 988/],
  ])("%s", async (_, message, level, whom) => {
    const visitor = await enter();
    const { page } = visitor;
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = async () => {
      await release;
      return { content: "[[level: none]]\nI am here." };
    };
    await messageField(page).fill(message);
    await press(page, "Send");
    const alert = page.getByRole("group", { name: `${level}: whom to call` });
    await expectText(alert, whom);
    await expectText(page.locator("#urgent"), whom);
    await expectText(alert, level === "emergency" ? /⚠ Emergency/ : /♥ Crisis/);
    resolve();
    await expectText(answers(page), /I am here\.$/);
    expect(await alert.textContent()).not.toContain("I am here.");
    await leave(visitor);
  });

  test("a caution, as prominently; also when the answer is repeated", async () => {
    const visitor = await enter();
    const { page } = visitor;
    const body = {
      name: "Kim Example",
      phone_number: "5550100009",
      age: 40,
      gender: "female",
      allergies: "penicillin",
    };
    const { id } = (await service.call("POST", "/patients", { body })).body.patient;
    await page.getByText("Find one by id").click();
    await page.getByLabel("Patient id").fill(id);
    await press(page, "Find the patient");
    await expectText(page.locator("#patient"), /Kim Example/);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "[[level: none]]\nAsk about amoxicillin.",
      beforeWord: (index) => (index > 3 ? release : Promise.resolve()),
    });
    await messageField(page).fill("What is used for a sore throat?");
    await press(page, "Send");
    await expectText(answers(page), /Ask/);
    await press(page, "Stop");
    await expectText(conversation(page), /Stopped\./);
    resolve();
    await press(page, "Retry");
    const caution = page.getByRole("group", { name: "caution: ask before taking this drug" });
    await expectText(caution, /^⚠ CautionCaution: the record lists an allergy to penicillin/);
    await expectText(page.locator("#urgent"), /allergy to penicillin/);
    expect(await caution.textContent()).not.toContain("Ask about");
    await expectText(answers(page), /Ask about amoxicillin\./);
    await leave(visitor);
  });

  test("also when the model is down", async () => {
    const visitor = await enter();
    const { page } = visitor;
    service.model.script = () => ({ status: 401 });
    await converse(page, CARDIAC);
    await expectText(page.getByRole("group", { name: "emergency: whom to call" }), /Call 911 now/);
    await expectText(count(page), /^2$/);
    await leave(visitor);
  });
});

describe("what goes wrong is told, with what to do:", () => {
  test("no key, and a wrong one", async () => {
    const visitor = await enter({ key: "" });
    const { page } = visitor;
    await converse(page, "hello");
    await expectText(conversation(page), /Type the API key first/);
    expect(await page.locator(":focus").getAttribute("id")).toBe("api-key");
    await page.getByLabel("API key").fill("some-other-key");
    await press(page, "Send");
    await expectText(conversation(page), /The service answers 401: Unauthorized - Invalid API key\./);
    await page.getByLabel("API key").fill(API_KEY);
    await press(page, "Send");
    await expectText(answers(page), /answer to: hello/);
    await leave(visitor, [failedLoad(401, "Unauthorized")]);
  });

  test("a model that is down, and up again", async () => {
    const visitor = await enter();
    const { page } = visitor;
    service.model.script = () => ({ status: 401 });
    await converse(page, "hello");
    await expectText(
      page.locator("#urgent"),
      /The service answers 500: Failed to process chat request\. Nothing was stored/,
    );
    service.model.script = echo;
    await press(page, "Retry");
    await expectText(answers(page), /answer to: hello$/);
    await expectText(count(page), /^2$/);
    expect(new Set(idempotencyKeys(visitor)).size).toBe(1);
    await leave(visitor, [failedLoad(500, "Internal Server Error")]);
  });

  test("a model that fails after its first words, which are taken back", async () => {
    const visitor = await enter();
    const { page } = visitor;
    service.model.script = () => ({ content: "Words that do not count at all.", breakAfter: 3 });
    await converse(page, "hello");
    await expectText(conversation(page), /Failed to process chat request\. Nothing was stored/);
    expect(await conversation(page).textContent()).not.toContain("Words that");
    await leave(visitor);
  });

  test("a message whose thread is gone when it is to be sent again", async () => {
    const visitor = await enter();
    const { page } = visitor;
    service.model.script = () => ({ status: 401 });
    await converse(page, "hello");
    await expectShown(page.getByRole("button", { name: "Retry" }));
    await press(page, "Delete it");
    await expectText(conversation(page), /Thread deleted successfully/);
    await press(page, "Retry");
    await expectText(conversation(page), /The thread of this message is gone/);
    expect(await messageField(page).inputValue()).toBe("hello");
    service.model.script = echo;
    await page.keyboard.press("Enter");
    await expectText(answers(page), /answer to: hello$/);
    await leave(visitor, [failedLoad(500, "Internal Server Error")]);
  });

  test("a connection that breaks in mid-answer, and Retry brings the whole", async () => {
    const line = await startLine(root);
    try {
      const visitor = await enter({ url: line.url });
      const { page } = visitor;
      const { promise: release, resolve } = Promise.withResolvers<void>();
      service.model.script = () => ({
        content: "First words, and the rest.",
        beforeWord: (index) => (index > 1 ? release : Promise.resolve()),
      });
      await messageField(page).fill("hello");
      await press(page, "Send");
      await expectText(answers(page), /First/);
      line.cut();
      await expectText(
        conversation(page),
        /The connection was lost before the answer was complete\. .* Idempotency-Key/,
      );
      resolve();
      await press(page, "Retry");
      await expectText(answers(page), /^AssistantFirst words, and the rest\.$/);
      await expectText(count(page), /^2$/);
      expect(new Set(idempotencyKeys(visitor)).size).toBe(1);
      await leave(visitor, ["Failed to load resource: net::ERR_CONNECTION_RESET"]);
    } finally {
      line.stop();
    }
  });

  test("a service that cannot be reached", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await press(page, "Open a thread");
    await expectText(count(page), /^0$/);
    await page.context().setOffline(true);
    await converse(page, "hello");
    await expectText(conversation(page), /The service cannot be reached\./);
    await page.context().setOffline(false);
    await press(page, "Retry");
    await expectText(answers(page), /answer to: hello$/);
    await leave(visitor, ["Failed to load resource: net::ERR_INTERNET_DISCONNECTED"]);
  });
});

describe.each(SCHEMES)("in a %s scheme", (colorScheme) => {
  test.each([
    ["laptop", LAPTOP],
    ["phone", PHONE],
  ])("everything is within reach of everyone, on a %s", async (_, viewport) => {
    const visitor = await enter({ colorScheme, viewport });
    const { page } = visitor;
    await expectAccessible(page);
    service.model.script = () => ({ status: 401 });
    await converse(page, `A word too long for a phone: ${"x".repeat(200)}`);
    service.model.script = () => ({ content: "[[level: none]]\nI am here, and will go on with you." });
    await converse(page, "Can I take ibuprofen for a headache?");
    await converse(page, SUICIDAL);
    await converse(page, CARDIAC);
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
    await expectAccessible(page);
    await expectNoOverflow(page);
    await leave(visitor, [failedLoad(500, "Internal Server Error")]);
  });
});

test("a stage's own playground, beside its operations, works as the one at the root", async () => {
  const visitor = await enter({ url: `${service.baseUrl}/playground` });
  const { page } = visitor;
  await converse(page, "hello");
  await expectText(answers(page), /answer to: hello$/);
  await page.getByRole("link", { name: "API reference" }).click();
  await expectShown(page.getByRole("heading", { name: "API reference" }));
  await leave(visitor);
});

test("a question and an emergency: what the README shows", async () => {
  const visitor = await enter({ viewport: { width: 1280, height: 680 } });
  const { page } = visitor;
  service.model.script = () => ({
    content:
      "[[level: none]]\nMost adults can. With asthma, ask your pharmacist first: in some people ibuprofen makes it worse.",
  });
  await converse(page, "Can I take ibuprofen for a headache?");
  service.model.script = () => ({ content: "[[level: emergency cardiac]]\nI stay here." });
  await converse(page, "My chest hurts, it is crushing and my left arm is numb");
  await expectShown(page.getByRole("group", { name: "emergency: whom to call" }));
  await page.locator("#traffic summary", { hasText: "POST /chat" }).first().click();
  await page.evaluate("scrollTo(0, 0)");
  await screenshot(page, "playground");
  await leave(visitor);
});
