import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { withTestAssembly } from "../helpers/template/with-test-assembly.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const demo = (env: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, ["--import", withTestAssembly(), join(ROOT, "tools", "demo", "demo.ts")], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, OPENAI_API_KEY: "", OPENAI_BASE_URL: "", ...env },
  });

test("npm run demo says in one sentence what prevents it", () => {
  const { status, stderr } = demo({ AI_DISCLOSURE: "silly" });
  expect([status, stderr]).toEqual([1, 'AI_DISCLOSURE is "silly"; it must be thread or answers.\n']);
});

test("npm run demo runs the whole scenario without a real model", () => {
  const { status, stdout, stderr } = demo({});
  expect([status, stderr]).toEqual([0, ""]);
  const story = [
    "The answers in this demo are scripted.",
    "Maria Example, phone 15551234567",
    "> Which vitamins do I need in winter?",
    "vitamin D",
    "[safety: nothing found]",
    "the clinic is closed. [1]",
    "[1] Opening hours: “We are open",
    "Caution: the record lists an allergy to penicillin",
    "[safety: caution: amoxicillin, allergy, because of penicillin]",
    "Call 911 now",
    "[safety: emergency, cardiac, certain, decided by",
    "10 messages",
    "404 Thread not found or expired",
    "The patient stays: Maria Example.",
    "npm start",
  ];
  const places = story.map((part) => stdout.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});
