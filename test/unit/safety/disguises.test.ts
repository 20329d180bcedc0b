import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { undisguised } from "../../../shared/safety/disguises.ts";
import { screen } from "../../../shared/safety/screen.ts";
import { trainingSources } from "../../../tools/safety/labeled.ts";

describe("a disguised word of self-harm is read as it is meant", () => {
  test.each([
    ["k1ll mys3lf", "kill myself"],
    ["i want to d!e", "i want to die"],
    ["$u1c1d@l", "suicidal"],
    ["su*cide and self h4rm", "suicide and self harm"],
    ["s u i c i d e", "suicide"],
    ["s.u.i.c.i.d.e", "suicide"],
    ["s u 1 c 1 d e", "suicide"],
    ["i want to k-i-l-l m-y-s-e-l-f!", "i want to kill myself!"],
    ["k i l l m y s e l f", "kill myself"],
    ["i wаnt to kіll mysеlf", "i want to kill myself"],
    ["quiero m0rir", "quiero morir"],
  ])("%j is %j", (text, meant) => {
    expect(undisguised(text)).toBe(meant);
  });
});

describe("ordinary text is unaffected", () => {
  test.each([
    "b12",
    "h1n1",
    "covid19",
    "2 x 500 mg",
    "a 1 c",
    "d3 2000 iu",
    "3rd week",
    "t4 and t3",
    "a b c d e",
    "i m o",
    "sh*t",
    "s**t",
    "5km",
    "p.m.",
    "v i t a m i n",
    "3ayz",
    "хочу умереть",
    "μg",
    "me@example.com",
  ])("%j", (text) => {
    expect(undisguised(text)).toBe(text);
  });

  test("with any doses, times, codes and numbers", () => {
    const number = fc.oneof(
      fc.nat({ max: 5_000 }).map(String),
      fc.double({ min: 0, max: 200, noNaN: true }).map((n) => n.toFixed(1)),
    );
    const word = fc.oneof(
      number,
      fc
        .tuple(number, fc.constantFrom("mg", "ml", "mcg", "am", "pm", "h", "x", "kg", "%", "iu", "th", "days"))
        .map(([n, unit]) => n + unit),
      fc.tuple(fc.constantFrom("b", "d", "h", "t", "a", "q", "l", "c"), number).map(([letter, n]) => letter + n),
      fc.tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 })).map(([hour, minute]) => `${hour}:${minute}`),
      fc.constantFrom("a1c", "h1n1", "b12", "omega3", "sars-cov-2", "il-6", "take", "at", "and", "i", "a"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const text = words.join(" ");
        expect(undisguised(text)).toBe(text);
      }),
    );
  });

  test("in the harmless labeled messages", () => {
    const changed = trainingSources()
      .flatMap(({ messages }) => messages)
      .filter(({ level }) => level === "none")
      .map(({ text }) => text.toLowerCase())
      .filter((text) => undisguised(text) !== text);
    expect(changed).toEqual([]);
  });
});

test.each(["a ", "k.", "s*", "1a", "а", "a-1 "])("a long message of %j is read", (part) => {
  expect(screen(part.repeat(16_000 / part.length)).finding).toBeUndefined();
});
