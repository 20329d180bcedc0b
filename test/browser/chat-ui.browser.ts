import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { API_KEY, startTestService } from "../helpers/service/service.ts";
import {
  answer,
  choose,
  EXAMPLE,
  expectAnswer,
  isInstalled,
  questions,
  say,
  startExample,
  stopExamplesAfterAllTests,
} from "./chat-ui.ts";
import {
  browser,
  CARDIAC,
  conversation,
  pauseAnswer,
  press,
  SUICIDAL,
  service,
  setUpPlayground,
} from "./playground.ts";
import {
  coverLowerHalf,
  endVisits,
  expectAccessible,
  expectKeptNowhere,
  expectNoOverflow,
  expectShown,
  expectText,
  expectUncovered,
  failedLoad,
  LAPTOP,
  PHONE,
  SIZES,
  screenshot,
  type VisitOptions,
  type Visitor,
  visit,
  WINDOWS,
} from "./visitor.ts";

const TSC = join(EXAMPLE, "..", "..", "node_modules", "typescript", "bin", "tsc");
const MARIA = "Maria Example";
const ROBERT = "Robert Example";

(isInstalled ? describe : describe.skip)("examples/chat-ui", () => {
  setUpPlayground();
  stopExamplesAfterAllTests();
  let url: string;
  beforeAll(async () => {
    url = await startExample(service.baseUrl);
  });

  /** Opens the page, and a conversation for a patient. */
  async function enter(options: VisitOptions & { url?: string } = {}): Promise<Visitor> {
    const visitor = await visit(browser, options.url ?? url, options);
    await choose(visitor.page, MARIA);
    return visitor;
  }

  const alert = (page: Page) => page.getByRole("alert").filter({ hasText: "Call 911 now" });
  const stored = async (page: Page) => (await (await page.request.get(`${url}/api/chat`)).json()).messages.length;

  test("is correct for the type checker", () => {
    execFileSync(process.execPath, [TSC, "--project", EXAMPLE], { stdio: "inherit" });
  });

  test("streams an answer, after the disclosure, and the browser never has the key", async () => {
    const visitor = await enter();
    const { page, requests } = visitor;
    await expectText(page.getByRole("main"), /^Answers come from an AI and are no substitute for medical care\./);
    const resume = pauseAnswer("First words, and the **rest**.", 2);
    await say(page, "hello");
    await expectText(answer(page), /^First words/);
    expect(await answer(page).textContent()).not.toContain("rest");
    resume();
    await expectAnswer(page, /^First words, and the rest\.$/);
    expect(await questions(page)).toEqual(["hello"]);
    expect(JSON.stringify(requests)).not.toContain(API_KEY);
    await expectKeptNowhere(visitor, "hello");
  });

  test.each([
    ["before its first word", 0, /^hello$/],
    ["after some words", 2, /First words/],
  ])("stopped %s, an answer can be had in full, asked for and stored once", async (_, pieces, shown) => {
    const { page } = await enter();
    const asked = service.model.requests.length;
    const resume = pauseAnswer("First words, and the rest.", pieces);
    await say(page, "hello");
    await expectText(conversation(page), shown);
    await press(page, "Stop");
    await expectText(page.getByRole("status"), /The answer is not complete\./);
    resume();
    await press(page, "Try again");
    await expectAnswer(page, /^First words, and the rest\.$/);
    expect(service.model.requests).toHaveLength(asked + 1);
    expect(await stored(page)).toBe(2);
  });

  test("shows an alert before the model's first word, and keeps it when a retry fails and when it succeeds", async () => {
    const { page } = await enter({ expectedErrors: ["Failed to load resource: net::ERR_FAILED"] });
    const resume = pauseAnswer("I am here.", 0);
    await say(page, CARDIAC);
    await expectShown(alert(page));
    expect(await alert(page).getByRole("link", { name: "911" }).first().getAttribute("href")).toBe("tel:911");
    await press(page, "Stop");
    await page.route("**/api/chat", (route) => route.abort());
    await press(page, "Try again");
    await expectText(page.getByRole("status"), /The server cannot be reached/);
    expect(await alert(page).count()).toBe(1);
    await page.unroute("**/api/chat");
    resume();
    await press(page, "Try again");
    await expectAnswer(page, /Call 911 now.*I am here\.$/s);
    expect(await alert(page).count()).toBe(1);
  });

  test("takes back words that do not count, but not the alert before them", async () => {
    const { page } = await enter();
    await page.route("**/api/chat", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: [
          '{"type":"start"}',
          '{"type":"data-alert","id":"part-1","data":{"level":"emergency","category":null,"text":"Call 911 now."}}',
          '{"type":"text-start","id":"part-2"}',
          '{"type":"text-delta","id":"part-2","delta":"Words that do not count."}',
          '{"type":"error","errorText":"Failed to process chat request"}',
        ]
          .map((data) => `data: ${data}\n\n`)
          .join(""),
      }),
    );
    await say(page, CARDIAC);
    await expectText(page.getByRole("status"), /Failed to process chat request/);
    await expectShown(alert(page));
    expect(await conversation(page).textContent()).not.toContain("Words that");
    await page.unroute("**/api/chat");
    await say(page, "hello");
    await expectAnswer(page, /answer to: hello$/);
    await expectShown(alert(page));
    expect(await conversation(page).textContent()).not.toContain("Words that");
  });

  test("shows a caution apart from the answer, also after a reload", async () => {
    const { page } = await enter();
    await say(page, "Can I take my leftover amoxicillin?");
    const expectCaution = async () => {
      await expectText(page.getByRole("alert"), /^Ask before you take amoxicillin.*allergy to penicillin/);
      await expectAnswer(page, /^answer to: Can I take my leftover amoxicillin\?Ask before/);
    };
    await expectCaution();
    await page.reload();
    await expectCaution();
  });

  test("shows what a person writes within seconds, with the name, and says once who has taken over", async () => {
    const { page } = await enter();
    const threadId = (await (await page.request.get(`${url}/api/chat`)).json()).id;
    await service.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Bob" } });
    await say(page, "hello");
    await expectText(conversation(page), /Bob has taken over/);
    await say(page, "are you there?");
    const body = { author: "Bob", content: "Hello, this is Bob." };
    await service.call("POST", `/threads/${threadId}/messages`, { body });
    const person = page.getByRole("article", { name: "Bob" });
    const notices = async () => (await conversation(page).textContent())?.match(/Bob has taken over/g);
    await expectText(person, /^Bob a person\s*Hello, this is Bob\.$/);
    expect(await notices()).toHaveLength(1);
    await say(page, "thank you");
    await page.reload();
    await expectShown(person);
    expect(await person.count()).toBe(1);
    expect(await notices()).toHaveLength(1);
  });

  test.each(SIZES)("at %i by %i, whom to call and the end of the answer are in view", async (width, height) => {
    const { page } = await enter({ viewport: { width, height } });
    await expectUncovered(page.getByRole("heading", { name: "What would you like to know?" }));
    await expectUncovered(page.getByRole("textbox", { name: "Message" }));
    expect((await page.locator("form").boundingBox())?.y).toBeGreaterThan(height / 2);
    service.model.script = () => ({ content: "[[level: none]]\nI am here." });
    await say(page, CARDIAC);
    await expectAnswer(page, /I am here\.$/);
    const call = page.getByRole("link", { name: "Call 911", exact: true }).filter({ visible: true }).first();
    await expectUncovered(call);
    expect(await call.getAttribute("href")).toBe("tel:911");
    expect(await alert(page).locator("p").count()).toBeGreaterThan(1);
    service.model.script = () => ({ content: `[[level: none]]\n${"One line.\n\n".repeat(30)}The last one.` });
    await say(page, "And then?");
    await expectAnswer(page, /The last one\.$/);
    await expectUncovered(page.getByRole("region", { name: "Whom to call" }).getByRole("link"));
    await press(page, "Newest messages");
    await expectUncovered(answer(page).getByText("The last one."));
    await expectUncovered(page.getByRole("textbox", { name: "Message" }));
    await expectUncovered(page.getByRole("button", { name: "Send" }));
    await coverLowerHalf(page);
    const { y = 0, height: high = 0 } = (await page.getByRole("button", { name: "Send" }).boundingBox()) ?? {};
    expect(y + high).toBeLessThanOrEqual(height / 2);
    await expectUncovered(page.getByRole("region", { name: "Whom to call" }).getByRole("link"));
  });

  test("keeps the number for an emergency and the one for a crisis in view", async () => {
    const { page } = await enter();
    service.model.script = () => ({ content: `[[level: none]]\n${"One line.\n\n".repeat(30)}The last one.` });
    for (const message of [CARDIAC, SUICIDAL]) {
      await say(page, message);
      await expectAnswer(page, /The last one\.$/);
    }
    const links = page.getByRole("region", { name: "Whom to call" }).getByRole("link");
    expect(await links.allTextContents()).toEqual(["Call 911", "Call 988"]);
    await expectUncovered(links.first());
    await expectUncovered(links.last());
  });

  test("makes no link and no image of what a model has written", async () => {
    const { page } = await enter();
    const content =
      "See [this page](https://example.test/?q=said), https://example.test/ and ![a chart](https://example.test/c.png).";
    service.model.script = () => ({ content: `[[level: none]]\n${content}` });
    await say(page, "hello");
    await expectAnswer(page, /^See this page, https:\/\/example\.test\/ and a chart\.$/);
    expect(await answer(page).locator("a, img").count()).toBe(0);
  });

  test("quotes and links the sources of an answer, streamed and loaded", async () => {
    const { page } = await enter();
    const text = "On public holidays, the clinic is closed.";
    const body = { title: "Opening hours", url: "https://clinic.example.com/hours", text };
    await service.call("PUT", "/sources/hours", { body });
    service.model.script = () => ({ content: `[[level: none]]\n${text} [1]` });
    await say(page, "When are you open on public holidays?");
    for (const load of [async () => {}, () => page.reload()]) {
      await load();
      const sources = page.getByRole("region", { name: "Sources" });
      await sources.getByText("[1] Opening hours").click();
      await expectText(sources.locator("blockquote"), /clinic is closed\.$/);
      expect(await sources.getByRole("link").getAttribute("href")).toBe("https://clinic.example.com/hours");
    }
    await service.call("DELETE", "/sources/hours");
  });

  test("stores what the patient thinks of an answer, and takes it back", async () => {
    const { page } = await enter();
    await say(page, "hello");
    await expectAnswer(page, /answer to: hello$/);
    const good = page.getByRole("button", { name: "Good answer" });
    const { id: threadId } = await (await page.request.get(`${url}/api/chat`)).json();
    const { patientId } = (await service.call("GET", `/threads/${threadId}`)).body.thread;
    const stored = async () => {
      const { threads } = (await service.call("GET", `/patients/${patientId}/export`)).body;
      return threads.find((thread: { threadId: string }) => thread.threadId === threadId).messages[0].feedback;
    };
    await good.click();
    await expectText(page.getByRole("status"), /^Thank you\.$/);
    expect(await good.getAttribute("aria-pressed")).toBe("true");
    expect(await stored()).toMatchObject({ rating: "good" });
    await good.click();
    await expectShown(page.getByRole("button", { name: "Good answer", pressed: false }));
    expect(await stored()).toBeUndefined();
  });

  test("asks for a person for whoever does not know how, and calls numbers in any safety text", async () => {
    const { page } = await enter();
    service.model.script = () => ({ content: "[[level: none]]\nCall 1-800-222-1222, not 500 mg, or 555-010-0123." });
    await press(page, "Ask for a person");
    await expectText(page.getByRole("article", { name: "You" }), /^I would like to talk to a person\.$/);
    await expectAnswer(page, /mg/);
    const links = answer(page).getByRole("link");
    expect(await links.allTextContents()).toEqual(expect.arrayContaining(["1-800-222-1222", "555-010-0123"]));
    const threadId = (await (await page.request.get(`${url}/api/chat`)).json()).id;
    expect((await service.call("GET", `/threads/${threadId}/handoff`)).body.request).toMatchObject({ reason: "asked" });
  });

  test("scrolls nothing sideways but a wide table, breaks no word in its head, and compiles no code", async () => {
    const { page } = await enter({ viewport: PHONE });
    const head = "| Medication | Recommendation | Contraindication | Interaction |";
    service.model.script = () => ({
      content: `[[level: none]]\n${head}\n|---|---|---|---|\n| a | b | c | d |\n\n\`\`\`\n${"code ".repeat(40)}\n\`\`\``,
    });
    await say(page, "hello");
    await expectShown(page.getByRole("cell", { name: "a", exact: true }));
    const wide = await page.evaluate(
      `[...document.querySelectorAll("main, body, article, .words")].filter((node) => node.scrollWidth > node.clientWidth).length`,
    );
    expect(wide).toBe(0);
    const heights = await page.evaluate(
      `[...document.querySelectorAll("th")].map((cell) => cell.getBoundingClientRect().height)`,
    );
    expect(new Set(heights as number[]).size).toBe(1);
    expect((heights as number[])[0]).toBeLessThan(40);
    const policy = (await (await page.request.get(url)).headers())["content-security-policy"];
    expect(policy).not.toContain("unsafe");
    await expectAccessible(page);
  });

  test("keeps a question at the top while its answer arrives, and has a way to the end", async () => {
    const { page } = await enter({ viewport: PHONE });
    const resume = pauseAnswer(`[[level: none]]\n${"One line.\n\n".repeat(60)}The last one.`, 20);
    await say(page, "hello");
    await expectText(answer(page), /One line/);
    await expectUncovered(page.getByRole("article", { name: "You" }));
    resume();
    await expectAnswer(page, /The last one\.$/);
    await expectUncovered(page.getByRole("article", { name: "You" }));
    await press(page, "Newest messages");
    await expectUncovered(answer(page).getByText("The last one."));
    expect(await page.getByRole("button", { name: "Newest messages" }).isVisible()).toBe(false);
  });

  test("shows no Markdown that is not complete, and all of it in the end", async () => {
    const { page } = await enter();
    const resume = pauseAnswer("Take **one tablet** with *args.", 3);
    await say(page, "hello");
    await expectText(answer(page), /^Take/);
    expect(await answer(page).textContent()).not.toContain("*");
    resume();
    await expectAnswer(page, /^Take one tablet with \*args\.$/);
  });

  test("keeps a message that is too long, and says so instead of sending it", async () => {
    const { page } = await enter();
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("x".repeat(18_000));
    await expectText(
      page.getByRole("alert"),
      /^18,000 characters; at most 16,000 can be sent\. Shorten the message\.$/,
    );
    await field.press("Enter");
    expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(false);
    expect((await field.inputValue()).length).toBeGreaterThanOrEqual(18_000);
    expect(await questions(page)).toEqual([]);
    await field.fill("hello");
    await field.press("Enter");
    await expectAnswer(page, /answer to: hello$/);
  });

  test("says when the conversation has ended, and begins a new one", async () => {
    const { page } = await enter({ expectedErrors: [failedLoad(404, "Not Found")] });
    await say(page, "hello");
    await expectAnswer(page, /answer to: hello/);
    const { id } = await (await page.request.get(`${url}/api/chat`)).json();
    await service.call("DELETE", `/threads/${id}`);
    await say(page, "still there?");
    await expectText(page.getByRole("status"), /This conversation has ended/);
    await press(page, "Start a new one");
    await expectShown(page.getByRole("button", { name: "Which vitamins do I need in winter?" }));
    expect(await questions(page)).toEqual([]);
  });

  test("receives the answer after a reload in its middle, with its alert, and stores it once", async () => {
    const { page } = await enter();
    const asked = service.model.requests.length;
    const resume = pauseAnswer("I am here with you now.", 4);
    await say(page, CARDIAC);
    await expectText(answer(page), /I am here with$/);
    await page.reload();
    await expectText(conversation(page), new RegExp(CARDIAC));
    resume();
    await expectAnswer(page, /Call 911 now.*I am here with you now\.$/s);
    await expectShown(alert(page));
    await page.reload();
    await expectAnswer(page, /Call 911 now.*I am here with you now\.$/s);
    expect(await alert(page).count()).toBe(1);
    expect(await questions(page)).toEqual([CARDIAC]);
    expect(service.model.requests).toHaveLength(asked + 1);
    expect(await stored(page)).toBe(2);
  });

  describe("two tabs", () => {
    test("add to one conversation, of which each sees everything after a reload", async () => {
      const { page } = await enter();
      const other = await page.context().newPage();
      await other.goto(url);
      await say(page, "from the first tab");
      await say(other, "from the second tab");
      await Promise.all([page, other].map((tab) => expectAnswer(tab, /answer to: from the/)));
      await page.reload();
      await expectShown(page.getByRole("article", { name: "You" }).nth(1));
      expect((await questions(page)).sort()).toEqual(["from the first tab", "from the second tab"]);
    });

    test("never add to the conversation of a patient whom they do not show", async () => {
      const { page } = await enter({ expectedErrors: [failedLoad(404, "Not Found")] });
      const other = await page.context().newPage();
      await other.goto(url);
      await press(other, "Switch patient");
      await choose(other, ROBERT);
      await say(page, "about Maria");
      await expectText(page.getByRole("status"), /This conversation has ended/);
      expect(await stored(other)).toBe(0);
    });
  });

  test("shows text from right to left where that is its direction", async () => {
    const { page } = await enter();
    service.model.script = () => ({ content: "نعم، يمكنك ذلك.\n\n- مع الطعام" });
    await page.getByRole("button", { name: /^هل/ }).click();
    await expectAnswer(page, /الطعام$/);
    await say(page, "أريد أن أموت");
    await expectShown(page.getByRole("alert"));
    await expectAnswer(page, /الطعام$/);
    for (const [element, count] of [
      [".words", 5], // two questions, two answers and the offer to go on talking
      ["li", 2],
      [".notice p", 1],
    ] as const) {
      const directions = await page.evaluate(
        `[...document.querySelectorAll("article ${element}")].map((each) => getComputedStyle(each).direction)`,
      );
      expect({ element, directions }).toEqual({ element, directions: Array(count).fill("rtl") });
    }
  });

  test.each(WINDOWS)("is accessible on a $device in $colorScheme mode", async ({ colorScheme, viewport }) => {
    const { page } = await visit(browser, url, { colorScheme, viewport });
    await expectShown(page.getByRole("button", { name: MARIA }));
    await expectAccessible(page);
    await choose(page, MARIA);
    await expectAccessible(page);
    for (const message of [CARDIAC, "Can I take my leftover amoxicillin?", "x".repeat(200)]) {
      await say(page, message);
      await expectAnswer(page, /answer to: /);
    }
    await expectAccessible(page);
    await expectNoOverflow(page);
  });

  test("asks for the consent that a service requires, and then sends the message", async () => {
    const strict = await startTestService({ CONSENT_REQUIRED: "2026-03" });
    try {
      const { page } = await enter({
        url: await startExample(strict.baseUrl),
        expectedErrors: [failedLoad(403, "Forbidden")],
      });
      await say(page, "hello");
      await expectUncovered(page.getByRole("heading", { name: "Before you chat" }));
      await expectAccessible(page);
      await press(page, "I agree, send my message");
      await expectAnswer(page, /answer to: hello$/);
      expect(await questions(page)).toEqual(["hello"]);
      await endVisits();
    } finally {
      await strict.stop();
    }
  });

  test("answers with the offline model, as in the README's images", async () => {
    const offline = await startTestService({ OPENAI_BASE_URL: "", OPENAI_API_KEY: "" });
    try {
      const address = await startExample(offline.baseUrl);
      for (const [name, options] of [
        ["chat-ui", { viewport: LAPTOP }],
        ["chat-ui-phone", { viewport: PHONE, colorScheme: "dark" }],
      ] as const) {
        const { page } = await enter({ ...options, url: address });
        await say(page, "Can I take my leftover amoxicillin?");
        await expectAnswer(page, /amoxicillin/);
        await say(page, "My chest hurts, and my left arm is numb.");
        await expectAnswer(page, /sit down and rest/);
        await screenshot(page, name);
      }
      await endVisits();
    } finally {
      await offline.stop();
    }
  });
});
