import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { screen } from "../screen.ts";

/**
 * Language → sentences of everyday life with an illness, wishes to die that have lasted for months or years, emergencies
 * behind an illness of the past and beside something else, such as a relative's death, a job or a stuffy nose, and plain
 * emergencies and crises; those of English are in other tests.
 */
const SENTENCES: Record<string, Record<"ordinary" | "lasting" | "now" | "beside" | "direct", string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "ordinary.json"), "utf8"),
);

describe.each(Object.entries(SENTENCES))("in %s,", (_, { ordinary, lasting, now, beside, direct }) => {
  test.each(ordinary)(
    "an everyday sentence is not answered with an alert that nobody can take back: %s",
    (sentence) => {
      expect(screen(sentence).finding?.certainty).not.toBe("certain");
    },
  );

  for (const sentence of direct) {
    test(`whoever says it plainly is told whom to call: ${sentence}`, () => {
      expect(["certain", "likely"]).toContain(screen(sentence).finding?.certainty);
    });
  }

  test.each(now)("an illness of the past hides no emergency of the present: %s", (sentence) => {
    expect(["certain", "likely"]).toContain(screen(sentence).finding?.certainty);
  });

  test.each(beside)("what is said of something else hides no alarm: %s", (sentence) => {
    expect(["certain", "likely"]).toContain(screen(sentence).finding?.certainty);
  });

  test.each(lasting)("a wish to die is told whom to call, however long it has lasted: %s", (sentence) => {
    expect(["certain", "likely"]).toContain(screen(sentence).finding?.certainty);
  });
});
