import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { API_KEY } from "../helpers/service/service.ts";
import { expectShown, expectText } from "./visitor.ts";

/** The folder of the example, which has dependencies of its own. */
export const EXAMPLE = join(import.meta.dirname, "..", "..", "examples", "chat-ui");

/** Whether the example's dependencies are installed. */
export const isInstalled = existsSync(join(EXAMPLE, "node_modules"));

const running: ChildProcess[] = [];

/**
 * Starts the example's server, until the end of the file's tests.
 *
 * @returns its address
 */
export async function startExample(baseUrl: string): Promise<string> {
  const env = { ...process.env, BASE_URL: baseUrl, API_KEY, PORT: "0" };
  const server = spawn(process.execPath, [join(EXAMPLE, "server.js")], { env, stdio: ["ignore", "pipe", "inherit"] });
  running.push(server);
  const [url] = await once(createInterface(server.stdout as NodeJS.ReadableStream), "line");
  return url as string;
}

/** Stops the servers after a file's tests. */
export function stopExamplesAfterAllTests(): void {
  afterAll(async () => {
    for (const server of running.splice(0)) {
      server.kill();
      await once(server, "exit");
    }
  });
}

export const answer = (page: Page): Locator => page.getByRole("article", { name: "Assistant" }).last().locator(".said");
export const questions = (page: Page): Promise<string[]> =>
  page.getByRole("article", { name: "You" }).allTextContents();

export async function choose(page: Page, patient: string): Promise<void> {
  await page.getByRole("button", { name: patient }).click();
  await expectShown(page.getByRole("textbox", { name: "Message" }));
}

export async function say(page: Page, message: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.keyboard.press("Enter");
}

/** Waits for the end of an answer. */
export async function expectAnswer(page: Page, text: RegExp): Promise<void> {
  await expectText(answer(page), text);
  await expectShown(page.getByRole("button", { name: "Send" }));
}
