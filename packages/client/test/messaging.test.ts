import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { split } from "../messaging.js";

const squeezed = (text: string) => text.replaceAll(/\s/g, "");

describe("a text that is split into messages", () => {
  const sentence = fc.string({ unit: "grapheme", maxLength: 60 }).map((words) => `${words.trim()}. `);

  test("is whole again when the messages are put together, and none is too long", () => {
    fc.assert(
      fc.property(
        fc.array(sentence).map((all) => all.join("")),
        fc.integer({ min: 2, max: 80 }),
        (text, longest) => {
          const messages = split(text, longest);
          expect(squeezed(messages.join(""))).toBe(squeezed(text));
          expect(messages.filter((message) => message.length > longest)).toEqual([]);
        },
      ),
    );
  });

  test("keeps each sentence whole that fits into a message", () => {
    const call = "If it gets worse, call 911 now.";
    fc.assert(
      fc.property(fc.array(sentence), fc.array(sentence), (before, after) => {
        const messages = split(`${before.join("")}${call} ${after.join("")}`, 80);
        expect(messages.some((message) => message.includes(call))).toBe(true);
      }),
    );
  });

  test("never divides a character that takes two code units", () => {
    expect(split("😀😀😀", 3)).toEqual(["😀", "😀", "😀"]);
  });
});
