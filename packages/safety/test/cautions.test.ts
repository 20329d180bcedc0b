import { describe, expect, test } from "@jest/globals";
import { findCautions } from "../cautions.ts";

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

  test.each(["penicillin - rash, resolved after stopping it", "Penicillin: hives that resolved with antihistamines"])(
    "is not over when the reaction is (%j)",
    (allergies) => {
      expect(withAllergies(allergies, "Amoxicillin is common.")).toMatchObject([{ allergy: "penicillin" }]);
    },
  );

  test.each([
    "No known drug allergies (penicillin taken without trouble)",
    "NKDA",
    "NKDA: has had amoxicillin",
    "none",
    "none (aspirin and penicillin are fine)",
    "not allergic to penicillin",
    "denies penicillin allergy",
    "tolerates amoxicillin",
    "none, takes penicillin fine",
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
  with allopurinol, Accutane with doxycycline, sumatriptan with Cafergot, Zoloft with dextromethorphan,
  tacrolimus with clarithromycin, Lipitor with clarithromycin, Viagra with poppers, tadalafil with jungle juice,
  Synthroid with calcium, levothyroxine with my iron, birth control pills with carbamazepine, Yaz with rifampin,
  Percocet with NyQuil, bisoprolol with verapamil, ciprofloxacin with Tums, citalopram with ondansetron,
  metoprolol with salbutamol, aspirin with ibuprofen, prednisone with naproxen, tamoxifen with paroxetine,
  Eliquis with itraconazole, metformin with contrast dye, Lamictal with valproate, Nardil with aged cheese`;

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
      { medication: "aspirin", drug: "Advil" },
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
    [{ name: "Amo Asthma", gender: "pregnant", refill_info: { drug: "warfarin" } }],
  ])("is empty when nothing is known that matters: %j", (facts) => {
    expect(findCautions(facts, "Can I take penicillin?", "Or ibuprofen, Viagra, alcohol.")).toEqual([]);
  });

  test("is empty when no drug is mentioned", () => {
    const facts = { allergies: "penicillin", medications: [{ name: "warfarin" }] };
    expect(findCautions(facts, "How much should I sleep?", "Seven to nine hours.")).toEqual([]);
  });
});
