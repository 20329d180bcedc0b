import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { findCautions } from "../../../shared/safety/cautions.ts";
import { plainWords } from "../../../shared/safety/drug-names.ts";

interface Row {
  source: string;
  review: string;
}

interface Table {
  about: string;
  allergyGroups: (Row & { group: string; allergyTerms: string[]; drugs: string[] })[];
  interactions: (Row & { first: string[]; second: string[]; effect: string })[];
}

const DATA = join(import.meta.dirname, "../../../shared/safety/data/drugs.json");
const table: Table = JSON.parse(readFileSync(DATA, "utf8"));

const PENICILLINS = "penicillins and other beta-lactam antibiotics";
const NSAIDS = "aspirin, other salicylates and NSAIDs";

/** The cautions about the drugs in an answer for someone with these allergies. */
function withAllergies(allergies: unknown, answer: string) {
  return findCautions({ allergies }, "What could help?", answer);
}

/** The cautions about the drugs in an answer for someone who takes these medicines. */
function taking(names: string[], answer: string) {
  return findCautions({ medications: names.map((name) => ({ name })) }, "What could help?", answer);
}

describe("an allergy in the record", () => {
  test("raises a caution when the answer names a drug of its group by brand, or the message asks about one", () => {
    expect(withAllergies("penicillin", "A course of Augmentin is often used.")).toEqual([
      { kind: "allergy", allergy: "penicillin", drug: "Augmentin", group: PENICILLINS },
    ]);
    const asked = findCautions({ allergies: "aspirin" }, "Can I take Disprin for my headache?", "Please ask first.");
    expect(asked).toEqual([{ kind: "allergy", allergy: "aspirin", drug: "Disprin", group: NSAIDS }]);
  });

  test.each([
    ["a text", "penicillin"],
    ["a text with commas", "peanuts, penicillin, latex"],
    ["a text with semicolons", "no known food allergies; penicillin"],
    ["a text of several lines", "not allergic to peanuts\npenicillin (hives)"],
    ["a list of texts", ["peanuts", "penicillin"]],
    ["a list of texts with commas", ["peanuts, penicillin"]],
    ["a list of objects", [{ name: "peanuts" }, { name: "penicillin", reaction: "hives" }]],
    ["a sentence", "Allergic to penicillin since childhood"],
  ])("is understood as %s", (_form, allergies) => {
    expect(withAllergies(allergies, "Amoxicillin is common.")).toMatchObject([
      { allergy: "penicillin", drug: "amoxicillin" },
    ]);
  });

  test.each([
    ["penicillin", "PCN", "ampicillin", PENICILLINS],
    ["cephalosporins", "cephalosporins", "Keflex", "cephalosporins and other beta-lactam antibiotics"],
    ["sulfa drugs", "sulfa drugs", "Bactrim", "sulfonamide antibiotics"],
    ["sulfa in British spelling", "sulpha", "Septrin", "sulfonamide antibiotics"],
    ["aspirin", "ASA", "Brufen", NSAIDS],
    ["NSAIDs", "anti-inflammatories", "Combiflam", NSAIDS],
    ["statins", "statins", "Lipitor", "statins"],
    ["codeine", "Codeine", "tramadol", "opioids related to codeine and morphine"],
    ["contrast", "IV dye", "iohexol", "iodinated contrast dyes"],
    ["dental anesthetics", "novocaine", "lignocaine", "local anesthetics"],
  ])("to %s is understood as people write it", (_name, allergies, drug, group) => {
    expect(withAllergies(allergies, `The usual one is ${drug}.`)).toMatchObject([{ kind: "allergy", drug, group }]);
  });

  test.each([
    "no known drug allergies",
    "No known drug allergies (penicillin taken without trouble)",
    "No Known Allergies",
    "NKDA",
    "NKDA: has had amoxicillin",
    "NKA",
    "none",
    "None known",
    "none (aspirin and penicillin are fine)",
    "not allergic to penicillin",
    "no known allergies to penicillin",
    "no allergy to penicillin, no allergy to aspirin",
    "denies penicillin allergy",
    "tolerates amoxicillin",
  ])("that is denied (%j) raises nothing", (allergies) => {
    expect(withAllergies(allergies, "Penicillin, amoxicillin or aspirin.")).toEqual([]);
    expect(withAllergies([allergies], "Penicillin, amoxicillin or aspirin.")).toEqual([]);
    expect(withAllergies([{ name: allergies.split(",")[0] }], "Penicillin, amoxicillin or aspirin.")).toEqual([]);
  });

  test.each([
    "unknown reaction to penicillin",
    "NKDA except penicillin",
    "No known allergies other than penicillin",
    "No known food allergies. Allergic to penicillin.",
    "No penicillins",
  ])("that is phrased like a denial (%j) is recognized", (allergies) => {
    expect(withAllergies(allergies, "Amoxicillin is common.")).toHaveLength(1);
    expect(withAllergies([{ allergen: allergies }], "Amoxicillin is common.")).toHaveLength(1);
  });

  test("is hidden neither by its name in the message nor by the denial of another allergy", () => {
    expect(
      findCautions({ allergies: "penicillin" }, "I am allergic to penicillin.", "Amoxicillin is usual."),
    ).toMatchObject([{ allergy: "penicillin", drug: "amoxicillin" }]);
    expect(withAllergies("no known food allergies, not allergic to latex, penicillin", "Amoxil")).toHaveLength(1);
    expect(withAllergies(["NKDA", "penicillin"], "Amoxil")).toHaveLength(1);
  });

  test.each([
    ["another group", "penicillin", "Azithromycin or doxycycline."],
    ["no drug", "peanuts, latex, bee stings", "Amoxicillin, ibuprofen, codeine."],
    ["an NSAID, which paracetamol is not", "ibuprofen", "Paracetamol, Tylenol or Crocin."],
    ["acetaminophen, which ibuprofen is not", "Tylenol", "Ibuprofen or aspirin."],
    ["sulfites, which sulfa drugs are not", "sulfites", "Bactrim or Septra."],
  ])("to %s raises nothing", (_what, allergies, answer) => {
    expect(withAllergies(allergies, answer)).toEqual([]);
  });

  test("raises one caution per group, however many of its drugs are named", () => {
    expect(withAllergies("NSAIDs", "Ibuprofen, naproxen, Voltaren and ibuprofen again.")).toMatchObject([
      { drug: "ibuprofen" },
    ]);
  });
});

describe("a name", () => {
  test.each([
    ["ibuprofen", "NSAIDs", "IBUPROFEN|Ibuprofen|ibuprofens|ibuprofén|(ibuprofen)|**ibuprofen**|ibuprofen's"],
    ["ibuprofen", "NSAIDs", "ibuprofen-based|“ibuprofen”,|paracetamol/ibuprofen"],
    ["co-amoxiclav", "penicillin", "co-amoxiclav|Co-Amoxiclav|co amoxiclav"],
    ["amoxicillin", "penicillin", `${"Rest and drink enough. ".repeat(4_500)}Or amoxicillin`],
  ])("of %s is found however it is written", (drug, allergies, spellings) => {
    for (const written of spellings.split("|")) {
      expect(withAllergies(allergies, `Perhaps ${written} could help.`)).toMatchObject([{ drug }]);
    }
  });

  test.each(["St. John's wort", "St John’s Wort", "st johns wort", "ST. JOHN'S-WORT"])(
    "of several words is found when it is written %s",
    (written) => {
      expect(taking(["sertraline"], `Some take ${written}.`)).toMatchObject([{ drug: "St John's wort" }]);
      expect(taking([written], "Sertraline may help.")).toMatchObject([{ medication: "St John's wort" }]);
    },
  );

  test.each([
    "Heparinoid cream, a statinlike food and an aspirinate",
    "Nonaspirin, preheparin and proibuprofen",
    "Amoxicillinase breaks it down",
    "ibupro fen and hepa rin",
  ])("is not found inside another word: %s", (answer) => {
    expect(withAllergies("aspirin, heparin, statins, penicillin", answer)).toEqual([]);
    expect(withAllergies(answer, "Aspirin, heparin, statins or penicillin.")).toEqual([]);
  });
});

/** Pairs of which each is dangerous, by their names in common use. */
const DANGEROUS_PAIRS = `
  Coumadin 5 mg with naproxen, Xarelto with Aleve, tranylcypromine with Sudafed, Nardil with Robitussin DM,
  Prozac with tramadol, methotrexate with Septran, lisinopril with spironolactone, losartan with potassium
  tablets, lithium carbonate with hydrochlorothiazide, Zocor with clarithromycin, simvastatin with grapefruit,
  oxycodone with Xanax, Percocet with wine, Flagyl with alcohol, digoxin with amiodarone, Plavix with
  omeprazole, colchicine with Paxlovid, theophylline with Cipro, tizanidine with ciprofloxacin, azathioprine
  with allopurinol, Accutane with doxycycline, sumatriptan with Cafergot`;

describe("a medicine in the record", () => {
  test("raises a caution when the answer names a drug that is dangerous with it, or the message asks about one", () => {
    const facts = { medications: [{ name: "Nitrostat", dosage: "0.4 mg", frequency: "as needed" }] };
    expect(findCautions(facts, "Anything for erections?", "Some men take Viagra.")).toEqual([
      {
        kind: "interaction",
        medication: "Nitrostat",
        drug: "Viagra",
        effect: "blood pressure can drop suddenly and dangerously low",
      },
    ]);
    expect(findCautions(facts, "Can I take my friend's Cialis?", "Please do not.")).toMatchObject([
      { medication: "Nitrostat", drug: "Cialis" },
    ]);
  });

  test("raises a caution about a drug of the same kind as another in the record, but not about that one", () => {
    expect(taking(["warfarin", "aspirin"], "Keep taking your warfarin and your aspirin.")).toEqual([]);
    expect(taking(["warfarin", "aspirin"], "Aspirin is fine, and add Advil.")).toMatchObject([
      { medication: "warfarin", drug: "Advil" },
    ]);
  });

  test.each(DANGEROUS_PAIRS.trim().replaceAll(/\s+/g, " ").split(", "))("raises a caution: %s", (pair) => {
    const [medicine = "", other = ""] = pair.split(" with ");
    expect(taking([medicine], `What about ${other}?`)).toMatchObject([{ kind: "interaction" }]);
  });

  test.each([
    ["warfarin", "Tylenol or paracetamol"],
    ["metformin", "insulin"],
    ["lithium", "aspirin"],
    ["atorvastatin", "metoprolol"],
  ])("raises nothing: %s with %s", (medicine, other) => {
    expect(taking([medicine], `What about ${other}?`)).toEqual([]);
  });

  test("is read only from the record: two drugs in the message raise nothing", () => {
    expect(findCautions({ allergies: "latex" }, "My uncle takes warfarin and aspirin.", "I see.")).toEqual([]);
  });
});

describe("the result", () => {
  test("has at most three cautions, allergies first", () => {
    const facts = {
      allergies: "penicillin, aspirin",
      medications: [{ name: "warfarin" }, { name: "simvastatin" }, { name: "Xanax" }],
    };
    const found = findCautions(facts, "", "Amoxicillin, ibuprofen, clarithromycin, oxycodone.");
    expect(found.map(({ kind }) => kind)).toEqual(["allergy", "allergy", "interaction"]);
  });

  test.each([
    [{}],
    [{ allergies: undefined, medications: undefined }],
    [{ allergies: null, medications: null }],
    [{ allergies: "", medications: [] }],
    [{ allergies: [], medications: [{ dosage: "5 mg" }, null, 7] }],
    [{ conditions: ["penicillin allergy"], notes: "takes warfarin" }],
  ])("is empty when no allergies or medicines are known: %j", (facts) => {
    expect(findCautions(facts, "Can I take penicillin?", "Or ibuprofen, Viagra, alcohol.")).toEqual([]);
  });

  test("is empty when no drug is mentioned", () => {
    const facts = { allergies: "penicillin", medications: [{ name: "warfarin" }] };
    expect(findCautions(facts, "How much should I sleep?", "Seven to nine hours.")).toEqual([]);
  });
});

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

describe("the table of drugs", () => {
  test("states its purpose, and for each row its source and that a clinician's review is pending", () => {
    expect(table.about).toMatch(/clinician has yet to review/);
    expect(table.allergyGroups.length).toBeGreaterThanOrEqual(14);
    expect(table.interactions.length).toBeGreaterThanOrEqual(20);
    const sources =
      /FDA labelling|FDA Drug Safety Communication|Drug Facts|Practice Parameter|ACR Manual|Scientific Statement/i;
    for (const row of [...table.allergyGroups, ...table.interactions]) {
      expect(row).toMatchObject({ source: expect.stringMatching(sources), review: "pending" });
    }
  });

  test("has effects that can end a sentence: short, in lower case except names, without a period", () => {
    for (const { effect } of table.interactions) {
      expect(effect).toMatch(/^(?:[a-z]|St John)[^.]*[^.\s]$/);
      expect(effect.split(" ").length).toBeLessThanOrEqual(15);
    }
  });

  test("has no duplicate names in a list or on both sides of a pair", () => {
    const lists = [
      ...table.allergyGroups.map(({ allergyTerms, drugs }) => [...allergyTerms, ...drugs]),
      ...table.interactions.map(({ first, second }) => [...first, ...second]),
    ];
    for (const list of lists) {
      const words = list.map(plainWords);
      expect(words.filter((word, index) => word === "" || words.indexOf(word) !== index)).toEqual([]);
    }
  });

  test.each(table.allergyGroups)(
    "finds $group by each name, in any case and number",
    ({ group, allergyTerms, drugs }) => {
      const [first = ""] = drugs;
      for (const allergy of [...allergyTerms, ...drugs]) {
        const caution = expect.objectContaining({ kind: "allergy", allergy, group });
        expect(withAllergies(allergy, `Take ${first}.`)).toContainEqual(caution);
        expect(withAllergies(`rash from ${allergy.toUpperCase()}s`, `Take ${first}.`)).toContainEqual(caution);
      }
      for (const drug of drugs) {
        const caution = expect.objectContaining({ kind: "allergy", drug, group });
        expect(withAllergies(first, `Take ${drug}.`)).toContainEqual(caution);
        expect(withAllergies(first, `${drug.toUpperCase()}s are common`)).toContainEqual(caution);
      }
    },
  );

  test.each(table.interactions)("finds each pair, in both directions: $effect", ({ first, second, effect }) => {
    const [one = "", ...others] = first;
    const pairs = [...second.map((name) => [one, name]), ...others.map((name) => [name, second[0] ?? ""])];
    for (const [medication = "", drug = ""] of [...pairs, ...pairs.map((pair) => pair.toReversed())]) {
      const caution = { kind: "interaction", medication, drug, effect };
      expect(taking([medication], `Take ${drug}.`)).toContainEqual(caution);
    }
  });

  test.each(ORDINARY_TALK)("has no name that is an ordinary word in %s", (_sort, talk) => {
    const allergies = table.allergyGroups.flatMap(({ allergyTerms, drugs }) => [...allergyTerms, ...drugs]);
    expect(withAllergies(allergies, talk)).toEqual([]);
    for (const { first, second } of table.interactions) {
      expect([...taking(first, talk), ...taking(second, talk)]).toEqual([]);
    }
  });
});
