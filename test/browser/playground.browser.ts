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
const answers = (page: Page): Locator => page.locator(".message.assistant .content");
const remaining = async (page: Page) => (await page.getByRole("timer").textContent()) ?? "";

/** Opens the playground and types the key. */
async function enter(options: BrowserContextOptions & { url?: string; key?: string } = {}): Promise<Visitor> {
  const { url = root, key = API_KEY, ...context } = options;
  const visitor = await visit(browser, url, context);
  await visitor.page.getByLabel("API key").fill(key);
  return visitor;
}

const patient = (page: Page): Locator => page.locator("#patient");

/** Chooses a patient by ID. */
async function choosePatient(page: Page, id: string): Promise<void> {
  await page.getByRole("button", { name: /^(Choose a|Switch) patient$/ }).click();
  await page.evaluate('document.querySelector("#find-patient").closest("details").open = true');
  await page.getByLabel("Patient ID").fill(id);
  await press(page, "Find the patient");
  await page.locator("dialog").waitFor({ state: "hidden" });
}

/** Creates a patient with the usual record, and returns the ID. */
async function createPatient(fields: Record<string, unknown>): Promise<string> {
  const body = { age: 40, gender: "female", ...fields };
  return (await service.call("POST", "/patients", { body })).body.patient.id;
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
    await press(page, "Choose a patient");
    await page.getByText("Create a patient, or find one by phone number").click();
    await page.getByLabel("Name", { exact: true }).fill("Alex Example");
    await page.getByLabel("Phone number, any format").fill("(555) 010-0001");
    await page.getByLabel("Age", { exact: true }).fill("40");
    await page.getByLabel("Gender").fill("female");
    await page.getByLabel("Conditions, separated by commas").fill("asthma, hay fever");
    await page.getByLabel("Allergies").fill("penicillin");
    await press(page, "Create or find the patient");
    await expectText(patient(page), /^Alex Example$/);
    await press(page, "New thread");
    await expectText(conversation(page), /Thread \d{5} begins, about Alex Example\./);
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
    await expectText(page.locator(".message.assistant"), /^AssistantWith asthma/);
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
    await press(page, "Choose a patient");
    await page.getByText("Create a patient, or find one by phone number").click();
    await page.getByLabel("Phone number, any format").fill("+1 555.010.0002");
    await press(page, "Create or find the patient");
    await expectText(patient(page), /^Sam Example$/);
    await expectText(page.locator("#demographics"), /^15550100002$/);
    await press(page, "Switch patient");
    await page.getByText("Find a patient by ID").click();
    await page.getByLabel("Patient ID").fill("7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11");
    await press(page, "Find the patient");
    await expectText(page.getByRole("alert"), /The service answers 404: Patient not found\./);
    await page.getByLabel("Patient ID").fill(id);
    await press(page, "Find the patient");
    await press(page, "New thread");
    await expectText(conversation(page), /begins, about Sam Example\./);
    expect(visitor.requests.at(-1)?.body).toBe(JSON.stringify({ patientId: id }));
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
    await expectText(answers(page), /^First words, and the rest\.$/);
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
    await press(page, "Choose a patient");
    await page.getByText("Create a patient, or find one by phone number").click();
    await page.getByLabel("Phone number, any format").fill("555 010 0077");
    await press(page, "Create or find the patient");
    await expectText(page.locator("#demographics"), /15550100077/);
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
    await page.locator("#send:enabled").waitFor();
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
    await press(page, "Delete");
    await expectText(conversation(page), /Thread deleted successfully\. Nothing of it is kept\./);
    expect(await page.locator(":focus").textContent()).toBe("New thread");
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
    await press(page, "New thread");
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
      await expectText(conversation(page), /begins, about no patient\.$/);
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
    await expectText(alert, level === "emergency" ? /^Emergency/ : /^Crisis/);
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
    await choosePatient(page, id);
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
    await expectText(caution, /^CautionCaution: the record lists an allergy to penicillin/);
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
    await expectText(conversation(page), /Enter the API key first/);
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
    await press(page, "Delete");
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
      await expectText(answers(page), /^First words, and the rest\.$/);
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
    await press(page, "New thread");
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

describe("the patient is in view:", () => {
  test("the header is the record, and the thread names its patient", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await choosePatient(
      page,
      await createPatient({
        name: "Noor Example",
        age: 52,
        conditions: ["asthma", JSON.stringify({ name: "migraine", symptoms: ["aura"] })],
        medications: [{ name: "metformin", dosage: "500 mg", frequency: "twice a day" }],
        allergies: "penicillin, latex",
      }),
    );
    await expectText(patient(page), /^Noor Example$/);
    await expectText(page.locator("#demographics"), /^52 years · female$/);
    const facts = page.locator("#record");
    await expectText(facts, /Allergiespenicillinlatex/);
    await expectText(facts, /Conditionsasthmamigraine/);
    await expectText(facts, /Medicationsmetformin 500 mg twice a day/);
    await converse(page, "hello");
    await expectText(page.locator("#thread-patient"), /^Noor Example$/);
    await leave(visitor);
  });

  test("sample patients are created once, and found again", async () => {
    for (const errors of [[], [failedLoad(409, "Conflict")]]) {
      const visitor = await enter();
      const { page } = visitor;
      await press(page, "Choose a patient");
      await page.getByRole("button", { name: /Robert Example/ }).click();
      await expectText(page.locator("#record"), /warfarin 5 mg daily/);
      await leave(visitor, errors);
    }
  });

  test("switching to another patient, or to none, closes the conversation and its thread's answer", async () => {
    const visitor = await enter();
    const { page } = visitor;
    const [first, second] = [
      await createPatient({ name: "First Example" }),
      await createPatient({ name: "Second Example" }),
    ];
    await choosePatient(page, first);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "Words for the first patient, and more of them.",
      beforeWord: (index) => (index > 2 ? release : Promise.resolve()),
    });
    await messageField(page).fill("I am the first");
    await press(page, "Send");
    await expectText(answers(page), /Words/);
    await choosePatient(page, second);
    expect(await conversation(page).textContent()).toBe("");
    await expectText(page.locator("#thread-id"), /^none yet$/);
    expect(new URL(page.url()).hash).toBe("");
    resolve();
    service.model.script = echo;
    await converse(page, "I am the second");
    await expectText(conversation(page), /^Thread \d{5} begins, about Second Example\.YouI am the second/);
    expect(await conversation(page).textContent()).not.toContain("first");
    const created = visitor.requests.filter(({ url }) => url.endsWith("/threads")).map(({ body }) => body);
    expect(created).toEqual([first, second].map((patientId) => JSON.stringify({ patientId })));

    await press(page, "Switch patient");
    await press(page, "Continue without a patient");
    await expectText(patient(page), /^No patient$/);
    expect(await conversation(page).textContent()).toBe("");
    await leave(visitor);
  });
});

describe("an answer is shown", () => {
  test("with its Markdown, from which nothing dangerous remains", async () => {
    const visitor = await enter();
    const { page } = visitor;
    service.model.script = () => ({
      content: [
        "# Headache\n\nTake **one** tablet:\n\n1. with *food*\n2. with water\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        '<img src="x" onerror="window.broken = 1"><script>window.broken = 1</script><style>* { display: none }</style>',
        '<a href="https://example.org/?said">this</a> [or this](javascript:window.broken=1) <form><input></form>',
        '![image](https://example.org/pixel) <svg onload="window.broken = 1"></svg> <p onclick="x()" style="color: red">end</p>',
      ].join("\n\n"),
    });
    await converse(page, "hello");
    const answer = answers(page).locator(".text");
    await expectText(answer.locator("strong").first(), /^Headache$/);
    expect(await answer.locator("ol > li").allTextContents()).toEqual(["with food", "with water"]);
    expect(await answer.locator("td").allTextContents()).toEqual(["1", "2"]);
    const made = await page.evaluate(
      `[...new Set([...document.querySelectorAll(".text *")].flatMap(({ tagName, attributes }) =>
        [tagName, ...[...attributes].map(({ name }) => name)]))].sort()`,
    );
    expect(made).toEqual(["LI", "EM", "OL", "P", "STRONG", "TABLE", "TBODY", "TD", "TH", "THEAD", "TR", "dir"].sort());
    await expectText(answer, /<img src="x" onerror=/); // as text
    expect(await page.evaluate("window.broken")).toBeUndefined();
    await leave(visitor);
  });

  test("after a sign that it is being written, with what the safety layer found", async () => {
    const visitor = await enter();
    const { page } = visitor;
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = async () => {
      await release;
      return { content: "[[level: none]]\nI am here." };
    };
    await messageField(page).fill("hello");
    await press(page, "Send");
    await expectShown(page.locator(".typing"));
    expect(await page.locator(".typing").textContent()).toBe("The assistant is answering.");
    resolve();
    await expectText(answers(page), /^I am here\.$/);
    await expectText(page.locator(".message.assistant .footer"), /^Safety check: nothing found/);
    expect(await page.locator(".typing").count()).toBe(0);
    const chat = visitor.requests.find(({ url }) => url.endsWith("/chat"));
    expect(JSON.parse(chat?.body ?? "")).toMatchObject({ include: ["safety"] });
    await converse(page, CARDIAC);
    await expectText(
      page.locator(".message.assistant .footer").last(),
      /^Safety check: emergency \(cardiac\), certain, decided by (a rule|the classifier)/,
    );
    await leave(visitor);
  });

  test("with numbers that can be called", async () => {
    const visitor = await enter();
    const { page } = visitor;
    service.model.script = () => ({ content: "[[level: none]]\nOr call (555) 010-0001." });
    await converse(page, CARDIAC);
    const alert = page.getByRole("group", { name: "emergency: whom to call" });
    expect(await alert.getByRole("link", { name: "911", exact: true }).getAttribute("href")).toBe("tel:911");
    expect(await alert.getByRole("link", { name: "Call 911" }).getAttribute("href")).toBe("tel:911");
    await expectText(answers(page), /010-0001/);
    expect(await page.getByRole("link", { name: "(555) 010-0001" }).getAttribute("href")).toBe("tel:5550100001");
    await leave(visitor);
  });

  test("from right to left where that is its direction", async () => {
    const visitor = await enter();
    const { page } = visitor;
    service.model.script = () => ({ content: "نعم، يمكنك ذلك.\n\n- مع الطعام\n\nEnglish." });
    await page.getByRole("button", { name: /^العربية/ }).click();
    await expectText(answers(page), /English\.$/);
    const directions = (selector: string) =>
      page.evaluate(
        `[...document.querySelectorAll("${selector}")].map((element) => getComputedStyle(element).direction)`,
      );
    expect(await directions(".message.user .text")).toEqual(["rtl"]);
    expect(await directions(".message.assistant .text > *")).toEqual(["rtl", "rtl", "ltr"]);
    expect(await directions(".message.assistant .text li")).toEqual(["rtl"]);
    await leave(visitor);
  });
});

test("a sample prompt is sent at once", async () => {
  const visitor = await enter();
  const { page } = visitor;
  await page.getByRole("group", { name: "emergency: whom to call" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Emergency: / }).click();
  await expectText(page.getByRole("group", { name: "emergency: whom to call" }), /Call 911 now/);
  await leave(visitor);
});

describe("an alert stays in view during a retry", () => {
  const alert = (page: Page) => page.getByRole("group", { name: "emergency: whom to call" });

  test("after a Stop, and after a failure of the model", async () => {
    const visitor = await enter();
    const { page } = visitor;
    const { promise: release, resolve } = Promise.withResolvers<void>();
    service.model.script = async () => {
      await release;
      return { content: "[[level: none]]\nI am here." };
    };
    await messageField(page).fill(CARDIAC);
    await press(page, "Send");
    await expectText(alert(page), /Call 911 now/);
    await press(page, "Stop");
    await expectShown(page.getByRole("button", { name: "Retry" }));
    await expectText(alert(page), /Call 911 now/);
    await page.route("**/chat", async (route) => {
      await page.evaluate('window.held = document.querySelectorAll(".alert.emergency").length');
      await route.continue();
    });
    await press(page, "Retry");
    await expectShown(page.getByRole("button", { name: "Stop" }));
    expect(await alert(page).count()).toBe(1);
    resolve();
    await expectText(answers(page), /I am here\.$/);
    expect(await page.evaluate("window.held")).toBe(1);
    expect(await alert(page).count()).toBe(1);
    await leave(visitor);
  });

  test("also when the words after it are taken back", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await page.route("**/chat", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: [
          'event: safety\ndata: {"level":"emergency","category":"cardiac","certainty":"certain","decidedBy":"rule","cautions":[]}\n\n',
          'event: delta\ndata: {"text":"Call 911 now.\\n\\n"}\n\nevent: delta\ndata: {"text":"Words that do not count."}\n\n',
          'event: error\ndata: {"success":false,"error":"Failed to process chat request"}\n\n',
        ].join(""),
      }),
    );
    await converse(page, CARDIAC);
    await expectText(conversation(page), /Failed to process chat request\. Nothing was stored/);
    await expectText(alert(page), /Call 911 now/);
    expect(await conversation(page).textContent()).not.toContain("Words that");
    await page.unroute("**/chat");
    service.model.script = () => ({ content: "[[level: none]]\nI am here." });
    await press(page, "Retry");
    await expectText(answers(page), /I am here\.$/);
    expect(await alert(page).count()).toBe(1);
    await leave(visitor);
  });
});

describe("after a reload,", () => {
  /** Reloads, and enters the key again. */
  async function comeBack(page: Page): Promise<void> {
    await page.reload();
    await expectText(page.locator("#welcome"), /Enter the API key to continue thread \d{5}\./);
    await page.getByLabel("API key").fill(API_KEY);
    await page.keyboard.press("Enter");
  }

  const answerHistory = (page: Page, pages: Record<string, unknown>) =>
    page.route("**/threads/*/messages?*", (route) => {
      const before = new URL(route.request().url()).searchParams.get("before") ?? "";
      return route.fulfill({ json: { success: true, ...(pages[before] as object) } });
    });
  const message = (id: string, role: string, content: string) => ({
    id,
    role,
    content,
    createdAt: "2026-01-31T10:00:00.000Z",
  });

  test("the thread, its patient and its messages are there again, older ones on request", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await choosePatient(page, await createPatient({ name: "Rae Example" }));
    await converse(page, "hello");
    await answerHistory(page, {
      "": { messages: [message("4", "assistant", "Yes, **often**."), message("3", "user", "Again?")], hasMore: true },
      "3": { messages: [message("2", "assistant", "Hello."), message("1", "user", "hi <b>")], hasMore: false },
    });
    await comeBack(page);
    await expectText(conversation(page), /YouAgain\?AssistantYes, often\.Thread \d{5} continues, about Rae Example\.$/);
    expect(await answers(page).locator("strong").textContent()).toBe("often");
    await expectText(patient(page), /^Rae Example$/);
    await expectText(count(page), /^2$/);
    await press(page, "Show earlier messages");
    await expectText(conversation(page), /^Youhi <b>AssistantHello\.YouAgain/);
    expect(await page.getByRole("button", { name: "Show earlier messages" }).count()).toBe(0);
    await converse(page, "And now?");
    await expectText(count(page), /^4$/);
    await leave(visitor);
  });

  test("the thread continues with a note where the service has no history", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await page.route("**/threads/*/messages?*", (route) =>
      route.fulfill({ status: 404, json: { error: "Not found" } }),
    );
    await converse(page, "hello");
    await comeBack(page);
    await expectText(
      conversation(page),
      /^This service does not return earlier messages\..*continues, about no patient\.$/,
    );
    await converse(page, "And now?");
    await expectText(count(page), /^4$/);
    await expectKeptNowhere(visitor, API_KEY);
    await leave(visitor, [failedLoad(404, "Not Found")]);
  });

  test("a thread that has been deleted meanwhile is forgotten", async () => {
    const visitor = await enter();
    const { page } = visitor;
    await converse(page, "hello");
    const threadId = (await page.locator("#thread-id").textContent()) ?? "";
    await service.call("DELETE", `/threads/${threadId}`);
    await comeBack(page);
    await expectText(conversation(page), /The service answers 404: Thread not found or expired\./);
    expect(new URL(page.url()).hash).toBe("");
    await leave(visitor, [failedLoad(404, "Not Found")]);
  });
});

describe("the page fits:", () => {
  /** What is not completely within the window. */
  const outside = (page: Page, selectors: string[]) =>
    page.evaluate(
      `${JSON.stringify(selectors)}.filter((selector) => {
        const { top, bottom, left, right } = document.querySelector(selector).getBoundingClientRect();
        return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth || bottom === top;
      })`,
    );

  test("nothing is below the fold at 1280 by 900, however long the record and the conversation", async () => {
    const visitor = await enter({ viewport: { width: 1280, height: 900 } });
    const { page } = visitor;
    const parts = [".top", ".chart", ".thread", "#composer", "#send", "#prompts", "#wire"];
    expect(await outside(page, parts)).toEqual([]);
    await choosePatient(
      page,
      await createPatient({
        name: "Long Example",
        conditions: Array.from({ length: 40 }, (_, index) => `condition ${index}`),
        allergies: Array.from({ length: 40 }, (_, index) => `allergy ${index}`).join(", "),
      }),
    );
    service.model.script = () => ({ content: "One line.\n\n".repeat(40) });
    await converse(page, "hello");
    await converse(page, CARDIAC);
    expect(await outside(page, [...parts, "#record", "#expires-in"])).toEqual([]);
    expect(await page.evaluate("[document.documentElement.scrollHeight, scrollY]")).toEqual([900, 0]);
    await leave(visitor);
  });

  test("on a phone the conversation has most of it, and the requests are put away", async () => {
    const visitor = await enter({ viewport: PHONE });
    const { page } = visitor;
    expect(await page.locator("#wire").isVisible()).toBe(false);
    await choosePatient(page, await createPatient({ name: "Pat Example", allergies: "latex" }));
    await converse(page, "hello");
    expect(await outside(page, [".chart", ".thread", "#composer", "#send"])).toEqual([]);
    const height = (await conversation(page).boundingBox())?.height ?? 0;
    expect(height).toBeGreaterThan(PHONE.height * 0.45);
    await leave(visitor);
  });

  test("the requests can be closed and opened", async () => {
    const visitor = await enter();
    const { page } = visitor;
    const wire = page.getByRole("complementary", { name: "Requests and responses" });
    await expectShown(wire);
    await wire.getByRole("button", { name: "Close" }).click();
    await wire.waitFor({ state: "hidden" });
    expect(await page.locator(":focus").getAttribute("id")).toBe("wire-toggle");
    await converse(page, "hello");
    await page.getByRole("button", { name: "Requests 3", expanded: false }).click();
    await expectShown(wire);
    await expectShown(wire.getByText("POST /chat", { exact: true }));
    await leave(visitor);
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
    for (let times = 0; times < 2; times++) {
      await page.locator((await page.locator("#wire").isVisible()) ? "#wire-close" : "#wire-toggle").click();
      await expectAccessible(page);
    }
    await press(page, "Choose a patient");
    await expectAccessible(page);
    await page.locator("#close-patients").click();
    const conditions = Array.from({ length: 40 }, (_, index) => `condition ${index}`);
    await choosePatient(page, await createPatient({ name: "Kit Example", conditions, allergies: "latex" }));
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

describe("what the README shows:", () => {
  test("a patient's question and an emergency", async () => {
    const visitor = await enter({ viewport: { width: 1280, height: 800 } });
    const { page } = visitor;
    await press(page, "Choose a patient");
    await page.getByRole("button", { name: /Maria Example/ }).click();
    await expectText(patient(page), /^Maria Example$/);
    service.model.script = () => ({
      content: `[[level: none]]
Most adults can. **With asthma**, ask your pharmacist first:

- In some people, ibuprofen makes asthma worse.
- Acetaminophen is often the safer choice.`,
    });
    await converse(page, "Can I take ibuprofen for a headache?");
    service.model.script = () => ({ content: "[[level: emergency cardiac]]\nI stay here." });
    await converse(page, "My chest hurts, and my left arm is numb");
    await expectShown(page.getByRole("group", { name: "emergency: whom to call" }));
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur()");
    await screenshot(page, "playground");
    await leave(visitor);
  });

  test("a caution, on a phone in the dark", async () => {
    const visitor = await enter({ viewport: PHONE, colorScheme: "dark" });
    const { page } = visitor;
    await choosePatient(
      page,
      await createPatient({ name: "Maria Example", age: 34, conditions: ["asthma"], allergies: "penicillin" }),
    );
    service.model.script = () => ({
      content:
        "[[level: none]]\nPlease do not. Most coughs are caused by viruses, against which antibiotics do nothing.",
    });
    await converse(page, "Can I take my leftover amoxicillin?");
    await expectShown(page.getByRole("group", { name: "caution: ask before taking this drug" }));
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur()");
    await screenshot(page, "playground-phone");
    await leave(visitor);
  });
});
