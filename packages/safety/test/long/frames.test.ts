import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { screen } from "../../screen.ts";
import { CORPUS } from "../../training/labeled.ts";

/**
 * What people write around an alarm: a denial of something else, a question whether it is normal or what to do, and that
 * a friend asks. By language; `{}` is the alarm.
 */
const FRAMES: Record<string, string[]> = read("frames.json");

/** What people who live among English speakers write around an alarm in another language. */
const IN_ENGLISH = [
  "please help {}",
  "hi, {}, thanks",
  "Good morning doctor. {}",
  "{} what do I do",
  "excuse me my english is not good. {}",
  "Hi doctor {} pls help me now thanks",
];

/** The share of the alarms of a language that a frame may take, where it takes any: measured, plus a small margin. */
const MOST_LOST = 0.005;
const LOST: Record<string, number> = {
  // Without a comma, "no fever vomiting blood" may deny both.
  "no fever {}": 0.02,
  "{} 근데 열은 없어요": 0.02,
};

const isTold = (text: string) => ["certain", "likely"].includes(screen(text).finding?.certainty ?? "");

describe.each(Object.entries(FRAMES))("alarms in %s that are told whom to call", (language, frames) => {
  const alarms = alarmsIn(language).filter(isTold);

  test("are enough", () => {
    expect(alarms.length).toBeGreaterThanOrEqual(60);
  });

  test.each(language === "en" ? frames : [...frames, ...IN_ENGLISH])("are so in %j", (frame) => {
    const lost = alarms.filter((alarm) => !isTold(frame.replace("{}", () => alarm)));
    expect(lost.length / alarms.length).toBeLessThanOrEqual(LOST[frame] ?? MOST_LOST);
  });
});

/** The alarms of the sets that are put aside and of the screen's tests. */
function alarmsIn(language: string): string[] {
  const lines = readdirSync(CORPUS)
    .filter((name) => name.startsWith("put-aside"))
    .flatMap((set) => readdirSync(join(CORPUS, set)).map((file) => join(CORPUS, set, file)))
    .flatMap((file) => readFileSync(file, "utf8").trim().split("\n"))
    .map((line): { text?: string; level?: string; language?: string } => JSON.parse(line));
  const texts = lines.flatMap(({ text, level, language: of = "en" }) =>
    text !== undefined && level !== "none" && level !== undefined && of === language && text.length < 160 ? [text] : [],
  );
  const own = read("../languages.json")[language].alerts;
  return [...new Set([...texts, ...own])].filter((text) => screen(text).language === language);
}

function read(path: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8"));
}
