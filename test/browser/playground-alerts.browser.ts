import { describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import {
  answers,
  CARDIAC,
  choosePatient,
  conversation,
  converse,
  createPatient,
  enter,
  expectStored,
  messageField,
  pauseAnswer,
  press,
  pressInMenu,
  SUICIDAL,
  say,
  service,
  setUpPlayground,
} from "./playground.ts";
import { coverLowerHalf, expectShown, expectText, expectUncovered, SIZES } from "./visitor.ts";

setUpPlayground();

const RECORD = {
  name: "Robin Example",
  allergies: "penicillin",
  conditions: ["atrial fibrillation", "hypertension"],
  medications: [
    { name: "warfarin", dosage: "5 mg", frequency: "daily" },
    { name: "lisinopril", dosage: "10 mg", frequency: "daily" },
  ],
};

test.each(SIZES)(
  "at %i by %i, allergies, medications and whom to call are in view while one writes, and cover nothing",
  async (width, height) => {
    const { page } = await enter({ viewport: { width, height } });
    await choosePatient(page, await createPatient(RECORD));
    service.model.script = () => ({ content: "[[level: none]]\nOne line.\n\nAnd another." });
    await converse(page, CARDIAC);
    const pinned = page.getByRole("region", { name: "Whom to call" });
    const inView = async () => {
      for (const value of ["penicillin", "warfarin 5 mg daily", "lisinopril 10 mg daily"]) {
        await expectUncovered(page.locator("#record").getByText(value));
      }
      await expectUncovered(page.getByRole("link", { name: "Call 911" }).filter({ visible: true }).first());
      await expectUncovered(messageField(page).or(page.locator("#person-message")).filter({ visible: true }));
      await expectUncovered(page.locator(".write [type=submit]").filter({ visible: true }));
    };
    await messageField(page).focus();
    await inView();
    await expectUncovered(conversation(page).locator(".alert .label"));
    service.model.script = () => ({ content: `[[level: none]]\n${"One line.\n\n".repeat(30)}The last one.` });
    await converse(page, "And then?");
    await expectUncovered(pinned.getByRole("link", { name: "Call 911" }));
    expect(await pinned.getByRole("link").getAttribute("href")).toBe("tel:911");
    await inView();
    await expectUncovered(answers(page).getByText("The last one."));
    const [line, log] = await Promise.all([pinned.boundingBox(), conversation(page).boundingBox()]);
    expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual((log?.y ?? 0) + 1);
    await pressInMenu(page, "thread", "Take over as a person");
    await press(page, "Take over the thread");
    await expectShown(page.getByRole("radio", { name: "Person", checked: true }));
    await inView();
  },
);

test("after an emergency and a crisis, both numbers stay in view", async () => {
  const { page } = await enter();
  service.model.script = () => ({ content: `[[level: none]]\n${"One line.\n\n".repeat(30)}The last one.` });
  for (const message of [CARDIAC, SUICIDAL, "And then?"]) {
    await converse(page, message);
  }
  const links = page.getByRole("region", { name: "Whom to call" }).getByRole("link");
  for (const number of ["911", "988"]) {
    await expectUncovered(links.filter({ hasText: number }));
  }
  expect(await links.count()).toBe(2);
  await conversation(page).locator(".alert.crisis .call").scrollIntoViewIfNeeded();
  await expectText(links, /911/); // the crisis's own button is in view
});

test("a keyboard over the page hides nothing of that", async () => {
  const { page } = await enter({ viewport: { width: 390, height: 844 } });
  await choosePatient(page, await createPatient(RECORD));
  await converse(page, CARDIAC);
  await messageField(page).focus();
  await coverLowerHalf(page);
  const uncovered = async (element: Locator) => {
    await expectUncovered(element);
    const { y, height } = (await element.boundingBox()) ?? { y: 0, height: 1_000 };
    expect(y + height).toBeLessThanOrEqual(844 / 2);
  };
  await uncovered(page.locator("#record").getByText("warfarin 5 mg daily"));
  await uncovered(page.getByRole("link", { name: "Call 911" }).filter({ visible: true }).first());
  await uncovered(page.getByRole("button", { name: "Send" }));
});

test("on a phone, the conversation begins within 195 of 844 px, below the whole record", async () => {
  const { page } = await enter({ viewport: { width: 390, height: 844 } });
  await choosePatient(page, await createPatient(RECORD));
  await converse(page, "Can I take ibuprofen?");
  await expectUncovered(page.locator("#record").getByText("hypertension"));
  expect((await conversation(page).boundingBox())?.y).toBeLessThan(195);
});

test("a long list says how long it is, and hides no other one", async () => {
  const { page } = await enter({ viewport: { width: 390, height: 420 } });
  const allergies = Array.from({ length: 40 }, (_, index) => `allergy ${index}`).join(", ");
  await choosePatient(page, await createPatient({ ...RECORD, allergies }));
  await expectUncovered(page.locator("#record").getByText("allergy 0", { exact: true }));
  await expectUncovered(page.locator("#record").getByText("Allergies (40)"));
  await expectUncovered(page.locator("#record").getByText("warfarin 5 mg daily"));
});

test("a message that is too long is kept, and says so instead of being sent", async () => {
  const { page, requests } = await enter();
  await messageField(page).focus();
  await page.evaluate("document.execCommand('insertText', false, 'x'.repeat(18_000))"); // as pasting does
  const limit = page.getByText("18,000 characters; at most 16,000 can be sent. Shorten the message.");
  await expectShown(limit);
  expect((await messageField(page).inputValue()).length).toBe(18_000);
  for (const send of [() => page.keyboard.press("Enter"), () => press(page, "Send")]) {
    await send();
    expect((await messageField(page).inputValue()).length).toBe(18_000);
  }
  expect(requests.filter(({ url }) => url.endsWith("/chat"))).toEqual([]);
  await messageField(page).fill("x".repeat(16_000));
  expect(await limit.isVisible()).toBe(false);
  await press(page, "Send");
  await expectText(answers(page), /answer to: x+$/);
});

/** Makes the model wait with its answer until the returned function is called. */
function holdAnswer(): () => void {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  service.model.script = async () => {
    await released;
    return { content: "[[level: none]]\nI am here, or at (555) 010-0001." };
  };
  return release;
}

describe("an alert stands out and is announced at once", () => {
  test.each([
    ["an emergency", CARDIAC, /Call 911 now/, "911"],
    ["a crisis", SUICIDAL, /call or text 988/, "988"],
  ])("when it is %s, with numbers that can be called", async (kind, message, whom, number) => {
    const level = kind.split(" ").at(-1);
    const { page } = await enter();
    const release = holdAnswer();
    await say(page, message);
    const alert = page.getByRole("group", { name: `${level}: whom to call` });
    await expectText(alert, whom);
    await expectText(page.locator("#urgent"), whom);
    await expectText(alert, level === "emergency" ? /^Emergency/ : /^Crisis/);
    expect(await alert.getByRole("link", { name: number }).first().getAttribute("href")).toBe(`tel:${number}`);
    release();
    await expectText(answers(page), /I am here, or at \(555\) 010-0001\.$/);
    expect(await alert.textContent()).not.toContain("(555)");
    expect(await page.getByRole("link", { name: "(555) 010-0001" }).getAttribute("href")).toBe("tel:5550100001");
  });

  test("when it is a caution, even in a repeated answer", async () => {
    const { page } = await enter({ expectedErrors: ["Failed to load resource: net::ERR_FAILED"] });
    await page.route("**/turns/*", (route) => route.abort());
    const id = await createPatient({ name: "Kim Example", phone_number: "5550100009", allergies: "penicillin" });
    await choosePatient(page, id);
    const resolve = pauseAnswer("Ask about amoxicillin.", 2);
    await say(page, "What is used for a sore throat?");
    await expectText(answers(page), /Ask/);
    await press(page, "Stop");
    await expectText(conversation(page), /Stopped\./);
    resolve();
    await expectStored(page, 2);
    await press(page, "Retry");
    const caution = page.getByRole("group", { name: "caution: ask before taking this drug" });
    await expectText(caution, /^Caution: the record lists an allergy to penicillin/);
    await expectText(page.locator("#urgent"), /allergy to penicillin/);
    expect(await caution.textContent()).not.toContain("Ask about");
    await expectText(answers(page), /Ask about amoxicillin\./);
  });
});

describe("an alert stays in view during a retry", () => {
  const alert = (page: Page) => page.getByRole("group", { name: "emergency: whom to call" });

  test("after a Stop by the service, which ends the answer below it", async () => {
    const { page } = await enter();
    holdAnswer();
    await say(page, CARDIAC);
    await expectText(alert(page), /Call 911 now/);
    await press(page, "Stop");
    await expectText(answers(page), /This answer was stopped\./);
    await expectText(alert(page), /Call 911 now/);
    expect(await alert(page).count()).toBe(1);
  });

  test("after a Stop of which the service hears nothing, and after a failure of the model", async () => {
    const { page } = await enter({ expectedErrors: ["Failed to load resource: net::ERR_FAILED"] });
    await page.route("**/turns/*", (route) => route.abort());
    const release = holdAnswer();
    await say(page, CARDIAC);
    await expectText(alert(page), /Call 911 now/);
    await press(page, "Stop");
    await expectShown(page.getByRole("button", { name: "Retry" }));
    await expectText(alert(page), /Call 911 now/);
    await page.route("**/chat", async (route) => {
      await page.evaluate('window.held = document.querySelectorAll("#conversation .alert.emergency").length');
      await route.continue();
    });
    await press(page, "Retry");
    await expectShown(page.getByRole("button", { name: "Stop" }));
    expect(await alert(page).count()).toBe(1);
    release();
    await expectText(answers(page), /I am here/);
    expect(await page.evaluate("window.held")).toBe(1);
    expect(await alert(page).count()).toBe(1);
  });

  test("after words that are taken back", async () => {
    const { page } = await enter();
    await page.route("**/chat", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: [
          'event: safety\ndata: {"level":"emergency","category":"cardiac","certainty":"certain","decidedBy":"rule","cautions":[]}\n\n',
          'event: part\ndata: {"part":0,"kind":"alert","level":"emergency","category":"cardiac"}\n\n',
          'event: delta\ndata: {"part":0,"text":"Call 911 now."}\n\n',
          'event: part\ndata: {"part":1,"kind":"words"}\n\n',
          'event: delta\ndata: {"part":1,"text":"Words that do not count."}\n\n',
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
  });
});

describe("an answer is shown", () => {
  test("with its Markdown, from which nothing dangerous remains", async () => {
    const { page } = await enter();
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
  });

  test("after a sign that it is being written, with what the safety layer found", async () => {
    const { page, requests } = await enter();
    const release = holdAnswer();
    await say(page, "hello");
    await expectShown(page.locator(".typing"));
    expect(await page.locator(".typing").textContent()).toBe("The assistant is answering.");
    release();
    await expectText(answers(page), /^I am here/);
    await expectText(page.locator(".message.assistant .footer"), /^Safety check: nothing found/);
    await page.locator(".typing").waitFor({ state: "detached" }); // when all has arrived
    const chat = requests.find(({ url }) => url.endsWith("/chat"));
    expect(JSON.parse(chat?.body ?? "")).toMatchObject({ include: ["parts", "evidence", "ids", "handoff", "sources"] });
  });

  test("from right to left where that is its direction", async () => {
    const { page } = await enter();
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
  });
});
