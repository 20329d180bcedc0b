import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, expect } from "@jest/globals";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { eventually } from "../helpers/eventually.ts";
import type { Chromium } from "./chromium.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENSHOTS = join(import.meta.dirname, "screenshots");

/** GitHub shows images up to some megabytes; these are to load at once. */
const SCREENSHOT_BYTES = 150 * 1024;

/** A phone's narrowest usual width, in CSS pixels, and a laptop's. */
export const PHONE = { width: 360, height: 740 };
export const LAPTOP = { width: 1360, height: 850 };

/** A name of this machine that its pages do not recognize, but that the browser trusts as it trusts HTTPS. */
const DEPLOYED = "deployed.localhost";

/** The windows in which the pages must be accessible: colors do not depend on the device, nor the layout on colors. */
export const WINDOWS = [
  { device: "laptop", colorScheme: "light", viewport: LAPTOP },
  { device: "phone", colorScheme: "dark", viewport: PHONE },
] as const;

/** Someone who opens a page in a window of their own, and what went wrong there. */
export interface Visitor {
  page: Page;
  /** What the browser's console has as errors, a failed request's status included; and exceptions. */
  errors: string[];
  /** Everything the page has asked for. */
  requests: { method: string; url: string; headers: Record<string, string>; body: string | null }[];
}

export interface VisitOptions extends BrowserContextOptions {
  /**
   * The kinds of {@link Visitor.errors} at the end of the test; none by default. How often each came is left open: a
   * page that asks again before the test ends, on a busy machine, is told the same again.
   */
  expectedErrors?: string[];
}

/** The visits of the test that runs. */
const visits: { visitor: Visitor; expectedErrors: string[] }[] = [];

/**
 * Ends each visit of a test: nothing went wrong but what was meant to, and nobody else was asked for anything. A test
 * that stops its service calls it before, because pages go on asking.
 */
export async function endVisits(): Promise<void> {
  for (const { visitor, expectedErrors } of visits.splice(0)) {
    const { page, errors, requests } = visitor;
    const { origin } = new URL(page.url());
    await page.context().close();
    expect(requests.map(({ url }) => new URL(url).origin).filter((other) => other !== origin)).toEqual([]);
    expect(new Set(errors)).toEqual(new Set(expectedErrors));
  }
}

export function endVisitsAfterEachTest(): void {
  afterEach(endVisits);
}

export async function launch(): Promise<Browser> {
  const { executablePath, env } = JSON.parse(process.env.TEST_CHROMIUM ?? "{}") as Chromium;
  return chromium.launch({
    executablePath,
    args: ["--headless=shell"],
    env: { ...(process.env as Record<string, string>), ...env },
  });
}

/** The address under which a local service's pages are as they would be deployed: without the key of `npm start`. */
export function deployed(url: string): string {
  const address = new URL(url);
  address.hostname = DEPLOYED;
  return address.href;
}

export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visitor> {
  const { expectedErrors = [], ...contextOptions } = options;
  const context = await browser.newContext({ viewport: LAPTOP, locale: "en-US", ...contextOptions });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000); // a cold start takes seconds on a busy machine
  const visitor: Visitor = { page, errors: [], requests: [] };
  visits.push({ visitor, expectedErrors });
  page.on("console", (message) => message.type() === "error" && visitor.errors.push(message.text()));
  page.on("pageerror", (error) => visitor.errors.push(error.message));
  page.on("request", (request) =>
    visitor.requests.push({
      method: request.method(),
      url: request.url(),
      headers: request.headers(),
      body: request.postData(),
    }),
  );
  await page.goto(url);
  return visitor;
}

/** What the browser's console says of a request that was answered so. */
export function failedLoad(status: number, text: string): string {
  return `Failed to load resource: the server responded with a status of ${status} (${text})`;
}

/** Evaluates an expression about an element, `node`, in the page. Playwright calls functions, and no text of one. */
export function withNode(element: Locator, expression: string): Promise<unknown> {
  return element.evaluate(new Function("node", `return ${expression}`) as (node: unknown) => unknown);
}

/** Waits until an element is where the reader looks. */
export async function expectInView(element: Locator): Promise<void> {
  await expectShown(element);
  const look = () =>
    withNode(
      element,
      "new Promise((resolve) => new IntersectionObserver(([entry]) => resolve(entry.isIntersecting)).observe(node))",
    );
  expect(await eventually(look, (isInView) => isInView === true)).toBe(true);
}

/**
 * The sizes in which what is about safety must be in view, each the smallest with its layout: a phone, a phone with an
 * open keyboard, a tablet, and a laptop.
 */
export const SIZES = [
  [320, 640],
  [390, 420],
  [768, 1024],
  [1280, 800],
] as const;

/** Puts a keyboard over the lower half of the page, as iOS does, which Chromium cannot: the window stays as it is. */
export const coverLowerHalf = (page: Page) =>
  page.evaluate(
    `Object.defineProperty(visualViewport, "height", { value: innerHeight / 2 });
    visualViewport.dispatchEvent(new Event("resize"));`,
  );

/** Waits until an element is within the window as a whole, with nothing in front of it. */
export async function expectUncovered(element: Locator): Promise<void> {
  await expectShown(element);
  const look = () =>
    withNode(
      element,
      `(() => {
        const { top, bottom, left, right } = node.getBoundingClientRect();
        const isWithin = top >= 0 && left >= 0 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
        const isInFront = node.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
        return isWithin && isInFront ? "" : JSON.stringify({ top, bottom, left, right, isInFront });
      })()`,
    );
  expect(await eventually(look, (hidden) => hidden === "")).toBe("");
}

/** Waits until an element's text fits. */
export async function expectText(element: Locator, text: RegExp): Promise<void> {
  await element.filter({ hasText: text }).waitFor();
}

/** Waits until an element can be seen. */
export async function expectShown(element: Locator): Promise<void> {
  await element.waitFor({ state: "visible" });
}

/** Holds the page as it is now to axe's rules, all of them: WCAG 2.2 AA and good practice. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const violations = await page.evaluate(
    `axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary)))`,
  );
  expect(violations).toEqual([]);
}

/**
 * Nothing is wider than the window, whatever it is in; on a phone not even when it is enlarged to a width of 320 CSS
 * pixels (WCAG 2.2, success criterion 1.4.10).
 */
export async function expectNoOverflow(page: Page): Promise<void> {
  if (page.viewportSize()?.width === PHONE.width) {
    await expectNothingWider(page);
    await page.setViewportSize({ width: 320, height: 640 });
  }
  await expectNothingWider(page);
}

async function expectNothingWider(page: Page): Promise<void> {
  const wide = await page.evaluate(
    `[...document.body.querySelectorAll("*")]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 && element.checkVisibility())
      .map((element) => element.outerHTML.slice(0, 120))`,
  );
  expect(wide).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(page.viewportSize()?.width);
}

/** Neither the address nor anything that outlives the page has this text; and nothing outlives the tab. */
export async function expectKeptNowhere({ page, requests }: Omit<Visitor, "errors">, text: string): Promise<void> {
  expect(requests.filter(({ url }) => url.includes(text))).toEqual([]);
  expect(page.url()).not.toContain(text);
  const [session, ...kept] = (await page.evaluate(
    `(async () => [JSON.stringify(sessionStorage), { ...localStorage }, document.cookie, history.state,
      await caches.keys(), await indexedDB.databases(), await navigator.serviceWorker.getRegistrations()])()`,
  )) as unknown[];
  expect(session).not.toContain(text);
  expect(kept).toEqual([{}, "", null, [], [], []]);
}

/** Writes an image for the README, when asked to: otherwise each run would change files of the project. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.TEST_SCREENSHOTS) {
    const image = await page.screenshot({ animations: "disabled" });
    expect(image.length).toBeLessThan(SCREENSHOT_BYTES);
    writeFileSync(join(SCREENSHOTS, `${name}.png`), image);
  }
}
