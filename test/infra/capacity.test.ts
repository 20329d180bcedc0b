import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readSettings } from "../../infra/settings.ts";

/** Chats in progress on average at the load 1× of docs/performance.md: 1,000 IDs, 45 minutes each, ten chats of 4.1 s. */
const IN_PROGRESS = (1_000 / (45 * 60)) * 10 * 4.1;

const { chatConcurrency, requestsPerAddress, methodRequestsPerSecond } = readSettings({
  stage: "prod",
  alarmAddress: "operator@example.test",
  backupCopyVault: "none",
});
const performance = readFileSync(join(import.meta.dirname, "../../docs/performance.md"), "utf8");
const row = (load: string) => performance.split("\n").find((line) => line.startsWith(`| ${load} |`)) ?? "";

/**
 * Erlang's formula B: the share of arrivals that find every slot taken.
 *
 * @param slots how many there are
 * @param load how many would be taken on average if there were enough
 */
function blocked(slots: number, load: number): number {
  let share = 1;
  for (let slot = 1; slot <= slots; slot++) {
    share = (load * share) / (slot + load * share);
  }
  return share;
}

test.each([
  [1, 1, 0.5],
  [2, 1, 0.2],
  [10, 5, 0.0184],
  [20, 15.2, 0.0491],
])("of %i slots at a load of %d, the share of rejected chats is that of published tables", (slots, load, share) => {
  expect(blocked(slots, load)).toBeCloseTo(share, 4);
});

test("prod's shipped settings reject fewer than one chat in a thousand at the load that the documents assume", () => {
  expect(blocked(chatConcurrency, IN_PROGRESS)).toBeLessThan(0.001);
});

test.each([
  ["1×", 1, chatConcurrency],
  ["2×", 2, chatConcurrency],
  ["2×", 2, 50],
  ["10×", 10, chatConcurrency],
  ["10×", 10, 190],
])("docs/performance.md says which share of chats is rejected: %s, %d times with %i slots", (load, times, slots) => {
  const percent = 100 * blocked(slots, times * IN_PROGRESS);
  const shown = percent < 1 ? percent.toFixed(2) : String(Math.round(percent));
  expect(row(load)).toContain(slots === chatConcurrency ? `${shown} % of chats` : `(${shown} %)`);
});

test("docs/performance.md has the other limits of prod's settings", () => {
  const perSecond = requestsPerAddress / (5 * 60);
  expect(row("5 to 9× from one address")).toContain(`${Math.round(perSecond)} requests per second of one address`);
  expect(row("27×")).toContain(`${methodRequestsPerSecond} chats per second`);
  expect(methodRequestsPerSecond / (IN_PROGRESS / 4.1)).toBeCloseTo(27, 0);
});
