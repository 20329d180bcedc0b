import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { API_KEY } from "../helpers/service/service.ts";
import { answers, conversation, converse, enter, service, setUpPlayground } from "./playground.ts";
import { expectAccessible, expectInView, expectNoOverflow, expectShown, expectText, PHONE } from "./visitor.ts";

setUpPlayground();

const HOURS = {
  title: "Opening hours",
  text: "We are open Monday to Friday.\n\n## Holidays\n\nOn public holidays, the clinic is **closed**.",
  url: "https://clinic.example.com/hours",
};

const QUESTION = "Are you open on public holidays?";

const sources = (page: Page) => page.locator(".message.assistant .sources");

test("a citation opens its passage, with title and link, also after a reload", async () => {
  await service.call("PUT", "/sources/hours", { body: HOURS });
  service.model.script = () => ({ content: "[[level: none]]\nNo, we are closed then [1]. See a doctor [7]." });
  const { page, requests } = await enter({ viewport: PHONE });
  await converse(page, QUESTION);
  for (const reload of [async () => {}, () => page.reload()]) {
    await reload();
    await expectText(answers(page), /^No, we are closed then \[1\]\. See a doctor\.Sources\[1\] Opening hours/);
    const passage = sources(page).getByText("On public holidays, the clinic is closed.");
    expect(await passage.isVisible()).toBe(false);
    await answers(page).getByRole("button", { name: "Source [1]" }).click();
    await expectInView(passage);
    expect(await page.locator(":focus").textContent()).toBe("[1] Opening hours");
    expect(await passage.locator("strong").textContent()).toBe("closed");
    const link = sources(page).getByRole("link", { name: HOURS.url });
    await expectShown(link);
    expect(await link.getAttribute("href")).toBe(HOURS.url);
    expect(await link.getAttribute("rel")).toBe("noreferrer");
  }
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(requests.filter(({ method, url }) => method === "PUT" && url.includes("/sources"))).toEqual([]);
  await service.call("DELETE", "/sources/hours");
});

test("the sample prompt stores its source with the first use, and only on the machine of npm start", async () => {
  const { page, requests } = await enter();
  const stored = () => requests.filter(({ method, url }) => method === "PUT" && url.includes("/sources/")).length;
  service.model.script = () => ({ content: "[[level: none]]\nClosed [1]." });
  const prompt = page.getByRole("button", { name: /^Sources: / });
  for (const count of [1, 2]) {
    await prompt.click();
    await sources(page)
      .nth(count - 1)
      .waitFor();
    await page.locator("#send:not([disabled])").waitFor();
    expect(stored()).toBe(1);
  }
  await expectText(conversation(page), /The source “Opening hours” was stored/);
  await service.call("DELETE", "/sources/opening-hours");
  const { page: elsewhere } = await enter({ key: API_KEY });
  expect(await elsewhere.getByRole("button", { name: /^Record: / }).count()).toBe(1);
  expect(await elsewhere.getByRole("button", { name: /^Sources: / }).count()).toBe(0);
});
