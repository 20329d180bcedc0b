import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { eventually } from "../helpers/eventually.ts";
import { echo } from "../helpers/model/scripted-model.ts";
import { API_KEY, startTestService, type TestService } from "../helpers/service/service.ts";
import {
  deployed,
  endVisitsAfterEachTest,
  expectText,
  launch,
  type VisitOptions,
  type Visitor,
  visit,
} from "./visitor.ts";

export const CARDIAC = "crushing chest pain and my left arm is numb, sweating";
export const SUICIDAL = "I want to kill myself";

/** The service, the browser and the playground's address, for the tests of one file. */
export let service: TestService;
export let browser: Browser;
export let root: string;

/** Starts the service and the browser before a file's tests, and stops them after. */
export function setUpPlayground(): void {
  endVisitsAfterEachTest();
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
}

export const messageField = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Presses what is in a menu, which has what is done rarely. */
export async function pressInMenu(page: Page, menu: "patient" | "thread", name: string): Promise<void> {
  await page.locator(`#${menu}-more`).click();
  await press(page, name);
}

export const conversation = (page: Page): Locator => page.getByRole("log");
export const answers = (page: Page): Locator => page.locator(".message.assistant .content");
export const patient = (page: Page): Locator => page.locator("#patient");
export const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole("dialog", { name });

/** The count of the messages in the thread, as the page shows it. */
export const count = (page: Page) => page.locator("#message-count");

/** The time until the thread expires, as the page shows it. */
export const remaining = async (page: Page) => (await page.getByRole("timer").textContent()) ?? "";

/** A field of the form in which a patient is created or corrected. */
export const field = (page: Page, label: string): Locator => page.locator("#record-form").getByLabel(label);

/** The ID of the element that has the focus. */
export const focused = (page: Page) => page.locator(":focus").getAttribute("id");

/** Opens the playground with the key of `npm start`; or with another, which is typed, as it would be deployed. */
export async function enter(options: VisitOptions & { url?: string; key?: string } = {}): Promise<Visitor> {
  const { url = root, key, ...context } = options;
  const visitor = await visit(browser, key === undefined ? url : deployed(url), context);
  if (key === undefined) {
    await expectText(visitor.page.locator("#key-help"), /is filled in/);
    expect(await visitor.page.getByLabel("API key").inputValue()).toBe(API_KEY);
  } else {
    await visitor.page.getByLabel("API key").fill(key);
  }
  return visitor;
}

/** Keeps the page from noticing what is done elsewhere; before it has a thread. */
export const stopLooking = (page: Page) => page.evaluate("Object.defineProperty(document, 'hidden', { value: true })");

/** Chooses a patient by ID. */
export async function choosePatient(page: Page, id: string): Promise<void> {
  await page.getByRole("button", { name: /^(Choose a|Switch) patient$/ }).click();
  await page.evaluate('document.querySelector("#find-patient").closest("details").open = true');
  await page.getByLabel("Patient ID").fill(id);
  await press(page, "Find by ID");
  await page.locator("#patients").waitFor({ state: "hidden" });
}

/** Looks a patient up by phone number. */
export async function lookUp(page: Page, phone: string): Promise<void> {
  await page.getByRole("button", { name: /^(Choose a|Switch) patient$/ }).click();
  await page.getByLabel("Phone number, any format").fill(phone);
  await press(page, "Find the patient");
}

/** Creates a patient with the usual record, and returns the ID. */
export async function createPatient(fields: Record<string, unknown>): Promise<string> {
  const body = { age: 40, gender: "female", ...fields };
  return (await service.call("POST", "/patients", { body })).body.patient.id;
}

/** Says something as the patient, also while a person has taken over. */
export async function say(page: Page, message: string): Promise<void> {
  const patientSide = page.getByRole("radio", { name: "Patient" });
  if (await patientSide.isVisible()) {
    await patientSide.check();
  }
  await messageField(page).fill(message);
  await press(page, "Send");
}

/** Makes the model pause after this many words of its answer, until the returned function is called. */
export function pauseAnswer(content: string, words: number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.model.script = () => ({
    content,
    beforeWord: (index) => (index < words ? Promise.resolve() : promise),
  });
  return resolve;
}

/** Waits until the thread of a page has so many messages: before the answer is stored, a second attempt is a 409. */
export async function expectStored(page: Page, messages: number): Promise<void> {
  const path = `/threads/${await page.locator("#thread-id").textContent()}`;
  const read = async () => (await service.call("GET", path)).body.thread.messageCount;
  expect(await eventually(read, (count) => count === messages)).toBe(messages);
}

/** Says something and waits for the end of what comes of it. */
export async function converse(page: Page, message: string): Promise<void> {
  await say(page, message);
  await page.locator("#send:not([disabled])").waitFor();
}

/** The idempotency keys of all chats that a page has sent. */
export const idempotencyKeys = (requests: Visitor["requests"]) =>
  requests.filter(({ url }) => url.endsWith("/chat")).map(({ headers }) => headers["idempotency-key"]);
