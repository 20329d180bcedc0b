import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { echo } from "../helpers/model/scripted-model.ts";
import { API_KEY, startTestService } from "../helpers/service/service.ts";
import {
  answers,
  browser,
  choosePatient,
  conversation,
  converse,
  count,
  createPatient,
  enter,
  expectStored,
  field,
  focused,
  idempotencyKeys,
  messageField,
  patient,
  pauseAnswer,
  press,
  pressInMenu,
  remaining,
  root,
  say,
  service,
  setUpPlayground,
  stopLooking,
} from "./playground.ts";
import {
  deployed,
  endVisits,
  expectInView,
  expectKeptNowhere,
  expectShown,
  expectText,
  failedLoad,
  PHONE,
  visit,
  withNode,
} from "./visitor.ts";

setUpPlayground();

describe("a conversation", () => {
  test("can be had by keyboard alone, and with a phone's width", async () => {
    const { page } = await visit(browser, deployed(root), { viewport: PHONE });
    const tabTo = async (id: string) => {
      for (let presses = 0; (await focused(page).catch(() => null)) !== id; presses++) {
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
    await count(page).filter({ hasText: /^0$/ }).waitFor({ state: "attached" }); // there is no room to show it
    await tabTo("message");
    await page.keyboard.type("one line");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("and another");
    await page.keyboard.press("Enter");
    await expectText(answers(page), /answer to: one line\nand another$/);
  });

  test("shows a long answer without rendering again what has arrived before", async () => {
    const { page } = await enter();
    const paragraph = (_: unknown, index: number) => `Paragraph ${index} ${"has **many** words ".repeat(15)}`;
    const content = Array.from({ length: 60 }, paragraph).join("\n\n");
    const resolve = pauseAnswer(content, 101);
    await say(page, "hello");
    await expectText(answers(page), /Paragraph 1 has/);
    await page.evaluate(`
      first = document.querySelector(".message.assistant .content p");
      rendered = 0;
      new MutationObserver((all) => { rendered += all.filter(({ addedNodes }) => addedNodes.length > 0).length; })
        .observe(document.querySelector(".message.assistant .content"), { childList: true, subtree: true });
    `);
    resolve();
    await page.locator("#send:not([disabled])").waitFor();
    await expectText(answers(page), /Paragraph 59 has many words/);
    expect(await page.evaluate("first.isConnected")).toBe(true);
    // Fewer renderings than pieces: several pieces share a frame.
    expect(await page.evaluate("rendered")).toBeLessThan(content.split(" ").length);
  });

  test("can be stopped: the model's request ends, and what has arrived is shown and stored", async () => {
    const { page, requests } = await enter();
    pauseAnswer("First words, and the rest.", 2);
    await say(page, "hello");
    await expectText(answers(page), /First/);
    await press(page, "Stop");
    await expectText(answers(page), /^First words?,?\s*This answer was stopped\.$/);
    await expectStored(page, 2);
    await expectText(count(page), /^2$/);
    expect(await page.locator(":focus").getAttribute("id")).toBe("message");
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(0);
    expect(requests.filter(({ url }) => url.includes("/turns/"))).toHaveLength(1);
    await converse(page, "again");
    await expectText(count(page), /^4$/);
  });

  test("that cannot be stopped is left alone, and Retry brings the answer under the same key, asked for and stored once", async () => {
    const { page, requests } = await enter({ expectedErrors: ["Failed to load resource: net::ERR_FAILED"] });
    await page.route("**/turns/*", (route) => route.abort());
    const resolve = pauseAnswer("First words, and the rest.", 2);
    const asked = service.model.requests.length;
    await say(page, "hello");
    await expectText(answers(page), /First/);
    await press(page, "Stop");
    await expectText(conversation(page), /Stopped\. The service finishes the turn by itself/);
    expect(await page.locator(":focus").textContent()).toBe("Retry");
    resolve();
    await expectStored(page, 2);
    await page.keyboard.press("Enter");
    await expectText(answers(page), /^First words, and the rest\.$/);
    await expectText(count(page), /^2$/);
    expect(await answers(page).count()).toBe(1);
    expect(service.model.requests.length - asked).toBe(1);
    expect(new Set(idempotencyKeys(requests)).size).toBe(1);
    expect(idempotencyKeys(requests)).toHaveLength(2);
  });

  test("can be stopped while its thread is being opened, and sent again", async () => {
    const { page } = await enter();
    await press(page, "Choose a patient");
    await press(page, "Create a patient");
    await field(page, "Phone number").fill("555 010 0077");
    await press(page, "Create the patient");
    await expectText(page.locator("#demographics"), /\+1 555 010 0077/);
    service.model.script = () => ({ hang: true }); // the opening question
    await say(page, "hello");
    await press(page, "Stop");
    await expectText(conversation(page), /Stopped before a thread was open\. Nothing was sent\./);
    expect(await messageField(page).inputValue()).toBe("hello");
    service.model.script = echo;
    await press(page, "Send");
    await expectText(answers(page).last(), /answer to: hello$/);
  });

  test("takes a double click for one", async () => {
    const { page, requests } = await enter();
    await page.getByRole("button", { name: "New thread" }).dblclick();
    await expectText(count(page), /^0$/);
    await messageField(page).fill("hello");
    await page.getByRole("button", { name: "Send" }).dblclick();
    await expectText(count(page), /^2$/);
    await page.getByRole("button", { name: /^Record: / }).dblclick();
    await expectText(count(page), /^4$/);
    expect(await messageField(page).inputValue()).toBe("");
    expect(requests.filter(({ url }) => url.endsWith("/threads"))).toHaveLength(1);
    expect(await answers(page).count()).toBe(2);
  });

  test("can be sent again after an exception in the page", async () => {
    const { page } = await enter({ expectedErrors: ["no entropy"] });
    await page.evaluate(
      "const random = crypto.getRandomValues; crypto.getRandomValues = () => { crypto.getRandomValues = random; throw new Error('no entropy'); };",
    );
    await say(page, "hello");
    await page.locator("#send:enabled").waitFor();
    await say(page, "hello again");
    await expectText(answers(page).last(), /answer to: hello again$/);
  });
});

describe("while an answer arrives,", () => {
  const top = (page: Page) => withNode(conversation(page), "node.scrollTop") as Promise<number>;
  const toEnd = (page: Page) => page.getByRole("button", { name: "Newest messages" });
  const fromEnd = (page: Page) =>
    withNode(conversation(page), "node.scrollHeight - node.scrollTop - node.clientHeight");

  test("who reads at the end follows it, who reads further up stays there, and a button leads back", async () => {
    const { page } = await enter();
    await stopLooking(page);
    service.model.script = () => ({ content: Array(40).fill("A paragraph.").join("\n\n") });
    await converse(page, "hello");
    expect(await fromEnd(page)).toBeLessThan(20);
    expect(await toEnd(page).isVisible()).toBe(false);

    const { promise, resolve } = Promise.withResolvers<void>();
    const content = Array(40).fill("A paragraph.").join("\n\n");
    service.model.script = () => ({ content, beforeWord: (index) => (index < 10 ? Promise.resolve() : promise) });
    await say(page, "again");
    await expectText(answers(page).last(), /A paragraph/);
    await withNode(conversation(page), "node.scrollTop = 100");
    await expectShown(toEnd(page));
    const before = await top(page);
    resolve();
    await page.locator("#send:not([disabled])").waitFor();
    expect(await top(page)).toBe(before);
    await toEnd(page).click();
    expect(await fromEnd(page)).toBeLessThan(20);
    expect(await toEnd(page).isVisible()).toBe(false);
    expect(await focused(page)).toBe("conversation");
  });

  test("the question is there before its thread is, and back in the field if there is none", async () => {
    const { page } = await enter({ expectedErrors: [failedLoad(503, "Service Unavailable")] });
    const { promise, resolve } = Promise.withResolvers<void>();
    let status = 503;
    await page.route("**/threads", async (route) => {
      await promise;
      await (status === 503 ? route.fulfill({ status, json: { error: "Not now" } }) : route.continue());
    });
    await say(page, "hello");
    await expectText(page.locator(".message.user"), /hello$/);
    expect(await messageField(page).inputValue()).toBe("");
    await messageField(page).fill("and this");
    resolve();
    await expectText(conversation(page), /^The service answers 503: Not now\./);
    expect(await messageField(page).inputValue()).toBe("hello\nand this");
    status = 200;
    await press(page, "Send");
    await expectText(answers(page), /answer to: hello\nand this$/);
    expect(await page.locator(".message.user").count()).toBe(1);
  });

  test("a list in a list has no empty lines", async () => {
    const { page } = await enter();
    service.model.script = () => ({ content: "- one\n  - two\n  - three\n\n- four\n\n  five" });
    await converse(page, "hello");
    const lines = (await withNode(
      answers(page).locator("ul").first(),
      "node.clientHeight / parseFloat(getComputedStyle(node).lineHeight)",
    )) as number;
    expect(lines).toBeGreaterThan(4.9);
    expect(lines).toBeLessThan(8);
  });
});

describe("the end of a thread", () => {
  test("is counted down to, and put off by a message", async () => {
    const { page } = await enter();
    await press(page, "New thread");
    await expectText(page.getByRole("timer"), /^29:5[0-7]$/);
    const before = await remaining(page);
    await converse(page, "hello");
    expect((await remaining(page)) > before).toBe(true);
  });

  test("comes: the service's 404 is shown, and a new thread begins with nothing", async () => {
    const short = await startTestService({ THREAD_IDLE_SECONDS: "2" });
    try {
      const { page } = await enter({
        url: new URL("/", short.baseUrl).href,
        expectedErrors: [failedLoad(404, "Not Found")],
      });
      await converse(page, "hello");
      await expectText(conversation(page), /The service answers 404: Thread not found or expired\./);
      await expectText(page.locator("#urgent"), /Thread \d{5} is gone with everything in it/);
      expect(await remaining(page)).toBe("–");
      await press(page, "Open a new thread");
      await expectText(conversation(page), /begins, about no patient\.$/);
      await expectText(count(page), /^0$/);
      await endVisits();
    } finally {
      await short.stop();
    }
  });
});

describe("after a reload,", () => {
  const comeBack = (page: Page) => comeBackTo(page, /^Enter the API key to continue thread \d{5}\.$/);

  /** Reloads, after which the key and the conversation are gone, and enters the key again. */
  async function comeBackTo(page: Page, note: RegExp): Promise<void> {
    await page.reload();
    await page.locator("#welcome-note", { hasText: note }).waitFor({ state: "attached" });
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(await conversation(page).textContent()).toBe("");
    await page.getByLabel("API key").fill(API_KEY);
    await page.keyboard.press("Enter");
  }

  test("an alert and a caution stand out as before", async () => {
    const { page } = await enter({ key: API_KEY });
    await choosePatient(page, await createPatient({ name: "Rae Example", allergies: "penicillin" }));
    service.model.script = () => ({ content: "Sit down." });
    await converse(page, "My father has crushing chest pain. Can he take amoxicillin?");
    const shown = () => page.locator("#conversation .content").innerHTML();
    await expectShown(page.getByRole("group", { name: /^caution/ }));
    const before = await shown();
    expect(before).toMatch(/alert emergency.*Sit down\..*alert caution/s);
    await comeBack(page);
    await expectShown(page.getByRole("group", { name: /^caution/ }));
    expect(await shown()).toBe(before);
  });

  test("the thread, its patient and its messages are there again, older ones on request", async () => {
    const { page } = await enter({ key: API_KEY });
    await choosePatient(page, await createPatient({ name: "Rae Example" }));
    service.model.script = () => ({ content: "Hello." });
    await converse(page, "hi <b>");
    const threadId = await page.locator("#thread-id").textContent();
    const say = (message: string) => service.call("POST", "/chat", { body: { threadId, message } });
    for (let turn = 0; turn < 10; turn++) {
      await say(`Turn ${turn}`);
    }
    service.model.script = () => ({ content: "Yes, **often**." });
    await say("Again?");
    await comeBack(page);
    await expectText(
      conversation(page),
      /PatientTurn 9AssistantHello\.Safety check: nothing foundWritten by AIPatientAgain\?AssistantYes, often\.Safety check: nothing foundWritten by AIThread \d{5} continues, about Rae Example\.$/,
    );
    expect(await conversation(page).textContent()).toMatch(/^Show earlier messagesPatientTurn 1Assistant/);
    expect(await answers(page).locator("strong").textContent()).toBe("often");
    await expectText(patient(page), /^Rae Example$/);
    await expectText(count(page), /^24$/);
    await press(page, "Show earlier messages");
    await expectText(
      conversation(page),
      /^Patienthi <b>AssistantHello\.Safety check: nothing foundWritten by AIPatientTurn 0AssistantHello\./,
    );
    expect(await page.getByRole("button", { name: "Show earlier messages" }).count()).toBe(0);
    expect(await focused(page)).toBe("conversation");
    service.model.script = echo;
    await converse(page, "And now?");
    await expectText(count(page), /^26$/);
  });

  test("the thread continues with a note when its messages cannot be read", async () => {
    const { page, requests } = await enter({
      key: API_KEY,
      expectedErrors: [failedLoad(500, "Internal Server Error")],
    });
    await page.route("**/threads/*/messages?*", (route) =>
      route.fulfill({ status: 500, json: { error: "Failed to list messages" } }),
    );
    await converse(page, "hello");
    await comeBack(page);
    await expectText(
      conversation(page),
      /^The service answers 500: Failed to list messages\. The earlier messages still count.*continues, about no patient\.$/,
    );
    await converse(page, "And now?");
    await expectText(count(page), /^4$/);
    await expectKeptNowhere({ page, requests }, API_KEY);
  });

  test("a thread that has been deleted meanwhile is forgotten, but not its patient", async () => {
    const { page } = await enter({ key: API_KEY, expectedErrors: [failedLoad(404, "Not Found")] });
    await stopLooking(page);
    await choosePatient(page, await createPatient({ name: "Rae Example" }));
    await converse(page, "hello");
    const threadId = (await page.locator("#thread-id").textContent()) ?? "";
    await service.call("DELETE", `/threads/${threadId}`);
    await comeBack(page);
    await expectText(conversation(page), /The service answers 404: Thread not found or expired\./);
    await expectText(patient(page), /^Rae Example$/);
    await comeBackTo(page, /^$/);
    await expectText(patient(page), /^Rae Example$/);
  });

  test("on the machine of npm start, everything comes back by itself, and after a visit to the reference", async () => {
    const { page } = await enter();
    await choosePatient(page, await createPatient({ name: "Rae Example" }));
    await page.reload();
    await expectText(patient(page), /^Rae Example$/);
    await converse(page, "hello");
    for (const leave of [
      () => page.reload(),
      async () => {
        await page.goto(`${service.baseUrl}/docs`);
        await expectShown(page.getByRole("heading", { name: "API reference" }));
        await page.goBack();
      },
    ]) {
      await leave();
      await expectText(conversation(page), /Patienthello.*Thread \d{5} continues, about Rae Example\.$/);
    }
  });
});

test("a message that is under way when the page is reloaded is announced, and appears with its answer", async () => {
  const { page } = await enter();
  const resolve = pauseAnswer("First words, and the rest.", 2);
  await say(page, "hello");
  await expectText(answers(page), /First/);
  await page.reload();
  await expectText(conversation(page), /A message was under way when this page was left\./);
  resolve();
  await expectText(answers(page), /First words, and the rest\.$/);
  await expectText(page.locator(".message.user"), /hello$/);
  expect(await conversation(page).textContent()).not.toContain("under way");
});

test("what was typed is not lost: the browser asks before the page is left, and the reference opens beside it", async () => {
  const { page } = await enter();
  await messageField(page).click();
  await page.keyboard.type("a draft");
  const [reference] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("link", { name: "Reference" }).click(),
  ]);
  await expectShown(reference.getByRole("heading", { name: "API reference" }));
  await reference.close();
  expect(await messageField(page).inputValue()).toBe("a draft");
  const [question] = await Promise.all([
    page.waitForEvent("dialog").then(async (dialog) => {
      await dialog.dismiss();
      return dialog.type();
    }),
    page.evaluate("setTimeout(() => location.reload())"),
  ]);
  expect(question).toBe("beforeunload");
  expect(await messageField(page).inputValue()).toBe("a draft");
});

test("another tab is offered the thread that one shows", async () => {
  const { page } = await enter();
  await converse(page, "hello");
  const other = await page.context().newPage();
  await other.goto(root);
  await press(other, "Show it here too");
  await expectText(conversation(other), /Patienthello.*continues, about no patient\.$/);
});

test("the patient's live threads are listed, and one of them is reopened", async () => {
  const { page } = await enter();
  await choosePatient(page, await createPatient({ name: "Rae Example" }));
  await pressInMenu(page, "thread", "Other threads");
  await expectText(page.getByRole("alert"), /^Rae Example has no live thread\.$/);
  await page.keyboard.press("Escape");
  await converse(page, "the first");
  const first = await page.locator("#thread-id").textContent();
  await press(page, "New thread");
  await expectText(count(page), /^0$/);
  await pressInMenu(page, "thread", "Other threads");
  const threads = page.locator("#thread-list").getByRole("button");
  await expectText(threads.first(), /^Thread \d{5}\d+ messages/);
  expect(await threads.count()).toBe(2);
  await threads.filter({ hasText: `${first}2 messages` }).click();
  await expectText(
    conversation(page),
    new RegExp(`^Patientthe first.*Thread ${first} continues, about Rae Example\\.$`),
  );
});

test("the offline model's answers say what they are, and show what a real model would receive, also after a reload", async () => {
  const offline = await startTestService({ OPENAI_BASE_URL: "", OPENAI_API_KEY: "" });
  try {
    const { page } = await enter({ url: new URL("/", offline.baseUrl).href });
    await press(page, "Choose a patient");
    await page.getByRole("button", { name: /Maria Example/ }).click();
    await expectText(patient(page), /^Maria Example$/);
    await page.getByRole("button", { name: /^Emergency: / }).click();
    await expectShown(page.getByRole("group", { name: "emergency: whom to call" }));
    await page.locator("#send:not([disabled])").waitFor();
    expect(await page.locator(".alert.caution").count()).toBe(0);
    await page.getByRole("button", { name: /^Record: / }).click();
    await expectText(answers(page).last(), /Your record lists asthma.*A scripted answer: no AI is connected\./s);
    await page.locator("#send:not([disabled])").waitFor();
    const details = page.locator(".model-request");
    await details.last().locator("summary").click();
    await expectText(details.last(), /penicillin.*Can I take ibuprofen for a headache\?$/s);
    await expectInView(details.last().locator("h3").first());
    await page.reload();
    await expectText(page.locator(".thumbs").last(), /^Scripted demonstration answer$/);
    await expectText(details, /penicillin.*Can I take ibuprofen for a headache\?$/s);
    await expectText(page.locator(".safety").last(), /^Safety check: /);

    await stopLooking(page);
    const threadId = await page.locator("#thread-id").textContent();
    await offline.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Ana" } });
    await converse(page, "Can I take ibuprofen for a headache?"); // the same words: only the model's part tells the two apart
    await expectText(answers(page).last(), /Ana has taken over/);
    expect(await details.count()).toBe(1);
    await offline.call("DELETE", `/threads/${threadId}/handoff`);
    await converse(page, "hello");
    expect(await details.count()).toBe(2);

    const received = () => page.evaluate("fetch('/local-model.json').then((response) => response.text())");
    expect(await received()).toContain("penicillin");
    await Promise.all(["hello", "hello"].map((message) => offline.chat({ message })));
    expect(await received()).toBe('{"messages":[]}'); // whose of the two it is cannot be told
    await offline.chat({ message: "hello" });
    expect(await received()).toContain('"hello"');
    await pressInMenu(page, "patient", "Erase the patient");
    await press(page, "Erase for good");
    await expectText(conversation(page), /Nothing about this patient is left on this page\./);
    expect(await received()).toBe('{"messages":[]}');
    await endVisits();
  } finally {
    await offline.stop();
  }
});
