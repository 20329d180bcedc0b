import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type CautionFile, cautionTables, type DrugFile, drugsOf } from "../cautions/caution-tables.ts";
import { plainWords } from "../cautions/drug-names.ts";
import { mentionedDrugs } from "../cautions/mentions.ts";
import { findCautions } from "../cautions.ts";

const DATA = join(import.meta.dirname, "../data");
const LABELED = join(import.meta.dirname, "../training/corpus/labeled");
const { finder } = cautionTables();

const read = (name: string) => JSON.parse(readFileSync(join(DATA, name), "utf8"));
const { groups, unions, others, ordinaryWords }: DrugFile = read("drugs.json");
const { about, allergies, interactions, conditions, facts }: CautionFile & { about: string } = read("cautions.json");
const ROWS = [...allergies, ...interactions, ...conditions];
const LINES = Object.values(groups)
  .flat()
  .map((line) => line.split(", "));

/** A drug that a list of groups, unions and drugs refers to first. */
function exampleOf(list: string): string {
  const [first = ""] = list.split(", ");
  const union = unions[first];
  return union ? exampleOf(union) : ((groups[first]?.[0] ?? first).split(", ")[0] ?? "");
}

const drugIn = (word: string) => finder.find(word.split(" ")).filter(({ ids }) => drugsOf(ids).length > 0);

/** Ordinary talk, with words that resemble drug names or are also brand names. */
const ORDINARY_TALK: [string, string][] = [
  [
    "small talk",
    `Good morning! I slept badly, the dog was sick, and my neighbor played a sonata half the night. By contrast, today is
  nice and calm; in contrast to last week I even found time to read. We had tarka dal and a cup of tea, no salt, lots of
  iron in it. My sister Yasmin has an exam and needs every advantage; the ace of her class, they say. A hit song was on
  the radio. I am thankful for local food, a warm bath and some Zen. My son is in a rock band with a guy named Ismo.`,
  ],
  [
    "medical questions",
    `I have had a cold and a cough for three days, with a mild fever. Should I see a doctor or a nurse? What does a high
  blood pressure reading mean, and how often should I measure it at home? I took a painkiller and an antibiotic last year
  and a water pill before that. Is it normal that my knee hurts after running? How long does a flu last? My cholesterol
  is a bit high, my sugar is fine. Do bananas have a lot of potassium? Does hard water smell of sulfur? Are sulfites in
  dried fruit bad for asthma? Can the dye in food make children restless? Which pen is best for people with arthritis?`,
  ],
  [
    "medical answers",
    `You can rest, drink plenty of water, and try a warm compress. If the pain is severe or you notice a rash, call your
  clinician. Your body's inflammation usually settles within days; a balanced diet with less sodium and more fiber helps.
  A blood test can show your thyroid, your iron and your vitamin D. An X-ray, a CT or an MRI may follow. Ask the pharmacist
  about side effects, the dose and the time of day. Vaccines, insulin, an inhaler or eye drops are prescribed for some.
  Night sweats, a day nurse and a night nurse, a soma cube, an advance on pay, poppers with cheese, luminal surfaces, the
  nitro of a cold brew, doses, tablets, drops, creams, shots, spirits, pills and potions are only words here.`,
  ],
];

describe("the tables of cautions", () => {
  test("state their purpose, and for each row its public source and that a clinician's review is pending", () => {
    expect(about).toMatch(/clinician has yet to review/);
    const sources =
      /FDA|Drug Facts|NHS|BNF|WHO|CDC|CredibleMeds|LactMed|Beers|practice parameter|ACR Manual|Scientific Statement|guideline/i;
    for (const row of ROWS) {
      expect(row).toMatchObject({ source: expect.stringMatching(sources), review: "pending" });
    }
  });

  test("have effects that can end a sentence: short, in lower case except names, without a period", () => {
    for (const { effect } of [...interactions, ...conditions]) {
      expect(effect).toMatch(/^(?:[a-z]|St John)[^.]*[^.\s]$/);
      expect(effect.split(" ").length).toBeLessThanOrEqual(15);
    }
  });

  test("refer only to groups, unions, drugs and conditions that exist", () => {
    const known = new Set([...Object.keys(groups), ...Object.keys(unions), ...LINES.map(([first]) => first)]);
    const lists = [
      ...Object.values(unions),
      ...allergies.flatMap(({ also, drugs }) => [drugs, ...(also ? [also] : [])]),
      ...interactions.flatMap(({ first, second }) => [first, second]),
      ...conditions.map(({ drugs }) => drugs),
    ];
    expect(lists.flatMap((list) => list.split(", ")).filter((name) => !known.has(name))).toEqual([]);
    const named = conditions.flatMap((row) => ("conditions" in row ? row.conditions.split(", ") : []));
    expect(new Set(named)).toEqual(new Set(Object.keys(facts)));
  });

  test("find each interaction in both directions", () => {
    const missed = interactions.flatMap(({ first, second, sameDrug }) => {
      const [one, other] = [exampleOf(first), exampleOf(second)];
      const pairs = sameDrug || first === second ? [] : [[one, other] as const, [other, one] as const];
      return pairs.filter(
        ([name, drug]) =>
          !findCautions({ medications: [{ name }] }, `What about ${drug}?`, "").some(
            (found) => found.kind === "interaction" && found.medication === name && found.drug === drug,
          ),
      );
    });
    expect(missed).toEqual([]);
  });

  test("find each drug that is dangerous with a condition or at an age", () => {
    const missed = conditions.flatMap((row) => {
      const records =
        "ages" in row
          ? [{ age: row.ages.from }]
          : row.conditions.split(", ").map((name) => ({ conditions: [facts[name]?.names.split(", ")[0]] }));
      const drugs = row.drugs.split(", ").map(exampleOf);
      return records.flatMap((record) =>
        drugs
          .filter(
            (drug) =>
              !findCautions(record, `What about ${drug}?`, "").some(
                (found) => found.kind === "condition" && found.drug === drug,
              ),
          )
          .map((drug) => ({ record, drug })),
      );
    });
    expect(missed).toEqual([]);
  });
});

describe("the names of drugs", () => {
  test("are found as they are written, in capitals and as plurals", () => {
    const missed: string[] = [];
    for (const line of LINES) {
      const group = drugIn(plainWords(line[0] ?? ""))[0]?.ids ?? new Set();
      for (const written of line.map((entry) => entry.split("=")[0] ?? "")) {
        const ways = [written, written.toUpperCase(), ...(/^[ -~]+$/.test(written) ? [`${written}s`] : [])];
        missed.push(...ways.filter((way) => !drugIn(plainWords(way)).some(({ ids }) => shares(ids, group))));
      }
    }
    expect(missed).toEqual([]);
  });

  test.each(ORDINARY_TALK)("are not found in %s, except insulin", (_sort, talk) => {
    expect(mentionedDrugs(finder, talk, "").filter(({ name }) => name !== "insulin")).toEqual([]);
  });

  test("are not taken from words of harmless messages that several writers use", () => {
    const uses = new Map<string, number>();
    for (const file of readdirSync(LABELED)) {
      for (const line of readFileSync(join(LABELED, file), "utf8").split("\n")) {
        for (const word of new Set(plainWords(/"level": ?"none"/.test(line) ? line : "").split(" "))) {
          uses.set(word, (uses.get(word) ?? 0) + 1);
        }
      }
    }
    const common = [...uses].filter(([, count]) => count >= 3).map(([word]) => word);
    expect(common.length).toBeGreaterThan(3_000);
    const corrected = common.filter((word) =>
      drugIn(word).some(({ name }) => ![word, `${word}s`, word.slice(0, -1)].includes(plainWords(name))),
    );
    expect(corrected).toEqual([]);
  });

  test("are not taken from other drugs and ordinary words that resemble them", () => {
    const names = [...others.flatMap((line) => line.split(", ")), ...ordinaryWords.split(" ")];
    expect(names.filter((name) => drugIn(plainWords(name)).length > 0)).toEqual([]);
  });
});

function shares(one: Set<string>, other = new Set<string>()): boolean {
  return [...one].some((id) => other.has(id));
}
