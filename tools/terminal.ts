import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { ApiError } from "../packages/client/client.js";

/** Asks the operator whether to go on, and says so if nothing is changed. */
export async function confirms(question: string): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `);
  const isYes = /^y(es)?$/i.test(answer?.trim() ?? "");
  if (!isYes) {
    process.stdout.write(answer === undefined ? "\nNothing was changed: add --yes.\n" : "Nothing was changed.\n");
  }
  return isYes;
}

/** @returns the answer; undefined if the input has ended before one: there is no terminal */
async function ask(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = once(terminal, "close").then(() => undefined);
  const answer = await Promise.race([terminal.question(question), ended]);
  terminal.close();
  return answer;
}

/** What went wrong: for an invalid body, its fields, and for a service without an answer, why. */
export function textOf(error: unknown): string {
  const { message, cause } = error as Error;
  const faults = error instanceof ApiError ? (error.details ?? []).map((one) => `${one.path} ${one.message}`) : [];
  return faults.length > 0 ? faults.join("; ") : [message, reasonOf(cause)].filter(Boolean).join(": ");
}

/** The first cause of all, such as ECONNREFUSED: `fetch` wraps it in an error that only says that it failed. */
function reasonOf(cause: unknown): string | undefined {
  const { code, message, cause: deeper } = (cause ?? {}) as NodeJS.ErrnoException;
  return deeper === undefined ? (code ?? message) : reasonOf(deeper);
}
