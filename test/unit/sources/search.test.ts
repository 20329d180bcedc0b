import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { CitationReader } from "../../../shared/sources/citations.ts";
import { passagesOf } from "../../../shared/sources/passages.ts";
import { searchedFor } from "../../../shared/sources/question.ts";
import { indexOf, MOST_PASSAGES } from "../../../shared/sources/search-index.ts";
import { wordsOf } from "../../../shared/sources/words.ts";
import { anyCharacter } from "../../helpers/any-character.ts";

const source = (id: string, title: string, text: string) => ({ id, title, text });

const CLINIC = [
  source(
    "hours",
    "Opening hours",
    "We are open Monday to Friday from 8 to 18.\n\n## Holidays\n\nClosed on Christmas Day.",
  ),
  source("parking", "Parking", "The garage has two free hours."),
  source("refills", "Refills", "Ask the pharmacy three days before you run out of tablets."),
  source("zh", "门诊时间", "周一至周五上午八点开诊。"),
  source("ar", "ساعات العمل", "العيادة مغلقة يوم الأحد."),
];

describe("words", () => {
  test.each([
    ["Années à l'HÔPITAL", ["annees", "a", "l", "hopital"]],
    ["门诊时间 8点", ["门诊", "诊时", "时间", "8", "点"]],
    ["진료 시간", ["진료", "시간"]],
    ["والعيادة المفتوحة", ["عياده", "مفتوحه"]],
    ["MRI-scan, 2×", ["mri", "scan", "2"]],
  ])("of %s", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe("passages", () => {
  test("are divided along headings, and know those above them", () => {
    const text = "Before.\n\n# One\n\nFirst.\n\n## Two\n\nSecond.\n\n# Three\n\nThird.";
    expect(passagesOf(source("s", "Title", text)).map(({ headings, text: said }) => [headings, said])).toEqual([
      [[], "Before."],
      [["One"], "First."],
      [["One", "Two"], "Second."],
      [["Three"], "Third."],
    ]);
  });

  test("of a long paragraph end with a sentence", () => {
    const sentence = "A sentence of this text has about sixty characters in it.";
    const pieces = passagesOf(source("s", "Title", Array(40).fill(sentence).join(" ")));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.every(({ text }) => text.endsWith(".") && text.length <= 600)).toBe(true);
  });

  test("of a long table end with a line", () => {
    const pieces = passagesOf(source("s", "Title", Array(60).fill("| Monday | 8 to 18 |").join("\n")));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.filter(({ text }) => !text.endsWith("|"))).toEqual([]);
  });

  test("contain every word of any text, and are never longer than they may be", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 3_000 }), (text) => {
        const passages = passagesOf(source("s", "Title", text));
        expect(passages.every((passage) => passage.text.length <= 601)).toBe(true);
        const letters = (all: string) => all.replace(/[\s#]/g, "").length;
        const found = passages.map((passage) => passage.text + passage.headings.at(-1)).join("");
        expect(letters(found) >= letters(text.replace(/^#{1,6}\s.*$/gm, ""))).toBe(true);
      }),
    );
  });
});

describe("the search", () => {
  const index = indexOf(CLINIC.flatMap(passagesOf));
  const found = (question: string) => index.find(question).map(({ sourceId }) => sourceId);

  test.each([
    ["When are you open on Friday?", "hours"],
    ["What time do you close?", "hours"],
    ["Is the clinic closed at Christmas?", "hours"],
    ["Where can I leave my car?", "parking"],
    ["I am almost out of my medication", "refills"],
    ["你们几点开门？", "zh"],
    ["هل العيادة مغلقة يوم الأحد؟", "ar"],
    ["What are your openning hours?", "hours"],
  ])("answers %s from %s", (question, id) => {
    expect(found(question)[0]).toBe(id);
  });

  test.each(["What is the capital of Australia?", "Do you repair guitars?", "", "???"])(
    "finds nothing for %j",
    (question) => {
      expect(found(question)).toEqual([]);
    },
  );

  test("finds the only source of a tenant, but not for every question", () => {
    const only = indexOf(passagesOf(source("hours", "Opening hours", "We are open from 8 to 18.")));
    expect(only.find("When are you open?")).toHaveLength(1);
    expect(only.find("Can I bring my dog?")).toEqual([]);
  });

  test("returns the same passage once, and at most six", () => {
    const many = indexOf(
      Array.from({ length: 20 }, (_, i) => source(`s${i}`, "Hours", `Open at ${i}.`)).flatMap(passagesOf),
    );
    const ids = many.find("When are you open?").map(({ sourceId }) => sourceId);
    expect(ids).toHaveLength(MOST_PASSAGES);
    expect(new Set(ids).size).toBe(MOST_PASSAGES);
  });
});

describe("what is searched for", () => {
  const earlier = ["Hello", "When are you open?"];
  test.each([
    ["And on Sundays?", "And on Sundays?\nWhen are you open?"],
    ["周日呢？", "周日呢？\nWhen are you open?"],
    [
      "That is too late, is there any other time on Saturday mornings?",
      "That is too late, is there any other time on Saturday mornings?\nWhen are you open?",
    ],
    [
      "How do I renew my prescription for blood pressure tablets?",
      "How do I renew my prescription for blood pressure tablets?",
    ],
  ])("%s", (message, searched) => {
    expect(searchedFor(message, earlier)).toBe(searched);
  });

  test("the first message alone", () => {
    expect(searchedFor("And on Sundays?", [])).toBe("And on Sundays?");
  });
});

describe("citations", () => {
  const passages = passagesOf(CLINIC[0] as (typeof CLINIC)[number]);
  const readAll = (pieces: string[]) => {
    const reader = new CitationReader(passages.map((passage, place) => ({ ...passage, number: place + 1 })));
    return { text: pieces.map((piece) => reader.push(piece)).join("") + reader.end(), cited: [...reader.cited] };
  };

  test("a marker that names a passage stays, and the passage is cited", () => {
    expect(readAll(["We open at 8 [1]. Closed at Christmas [2]."])).toEqual({
      text: "We open at 8 [1]. Closed at Christmas [2].",
      cited: [1, 2],
    });
  });

  test.each(["[0]", "[3]", "[999]", "[00]"])("the marker %s, which names none, is removed", (marker) => {
    expect(readAll([`We open at 8 ${marker}.`])).toEqual({ text: "We open at 8.", cited: [] });
  });

  test.each(["[a]", "[1", "[12345]", "[ 1 ]", "array[x]"])("%s is no marker", (text) => {
    expect(readAll([`See ${text}.`]).text).toBe(`See ${text}.`);
  });

  test("is read the same way, however the answer is divided", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("Open ", "[1]", "[2]", " [7]", "[", "]", "1", ". ", "\n"), { maxLength: 20 }),
        fc.array(fc.nat(40)),
        (words, cuts) => {
          const text = words.join("");
          const edges = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
          const pieces = edges.slice(1).map((end, i) => text.slice(edges[i], end));
          expect(readAll(pieces)).toEqual(readAll([text]));
        },
      ),
    );
  });
});
