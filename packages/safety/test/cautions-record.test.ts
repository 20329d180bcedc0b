import { describe, expect, test } from "@jest/globals";
import { findCautions } from "../cautions.ts";

/** What a record's fact and a question lead to, as "drug because of fact"; "" for no caution. */
function found(record: Record<string, unknown>, message: string, answer = "Please ask a pharmacist."): string {
  return findCautions(record, message, answer)
    .map((caution) => {
      const { kind, drug } = caution;
      const fact =
        kind === "allergy" ? caution.allergy : kind === "interaction" ? caution.medication : caution.condition;
      return `${drug} because of ${fact}`;
    })
    .join(", ");
}

const notes = (...texts: string[]) => ({ notes: texts.map((text) => ({ date: "2026-03-01", text })) });
const conditions = (...names: unknown[]) => ({ conditions: names });
const taking = (...names: string[]) => ({ medications: names.map((name) => ({ name })) });

test("a caution about a condition names it, the drug and what can happen", () => {
  expect(findCautions(conditions("asthma"), "Can I take ibuprofen?", "")).toEqual([
    { kind: "condition", condition: "asthma", drug: "ibuprofen", effect: "a severe asthma attack can follow" },
  ]);
});

describe("a condition or an age in the record raises a caution", () => {
  test.each([
    [conditions("pregnant, 24 weeks"), "Is ibuprofen ok?", "ibuprofen because of pregnancy"],
    [conditions("Breastfeeding"), "Can I have codeine?", "codeine because of breastfeeding"],
    [conditions("CKD stage 4"), "Advil for my back?", "Advil because of kidney disease"],
    [conditions("cirrhosis"), "Tylenol?", "Tylenol because of liver disease"],
    [conditions({ name: "Asthma", symptoms: ["wheeze"] }), "propranolol", "propranolol because of asthma"],
    [conditions("stomach ulcer in 2019"), "naproxen?", "naproxen because of ulcer or stomach bleeding"],
    [conditions("congestive heart failure"), "Aleve?", "Aleve because of heart failure"],
    [conditions("narrow-angle glaucoma"), "Benadryl to sleep?", "Benadryl because of glaucoma"],
    [conditions("BPH"), "Sudafed?", "Sudafed because of enlarged prostate"],
    [conditions("epilepsy"), "bupropion to stop smoking", "bupropion because of epilepsy"],
    [conditions("G6PD deficiency"), "primaquine for my trip", "primaquine because of G6PD deficiency"],
    [{ age: 14 }, "Can I take aspirin for the flu?", "aspirin because of age 14"],
    [{ age: 0.5 }, "codeine for my baby's cough", "codeine because of age under 1"],
    [{ age: 82 }, "diphenhydramine to sleep", "diphenhydramine because of age 82"],
    [{ medications: [{ name: "salbutamol", condition: "asthma" }] }, "aspirin?", "aspirin because of asthma"],
    [notes("Quit smoking. 28 weeks pregnant."), "Motrin?", "Motrin because of pregnancy"],
    [notes("Known asthmatic, not well controlled"), "aspirin?", "aspirin because of asthma"],
    [notes("eGFR 28 in March"), "ibuprofen?", "ibuprofen because of kidney disease"],
    [notes("Lives alone. 79-year-old man."), "Xanax?", "Xanax because of age 79"],
    [notes("Allergic to penicillin"), "Augmentin?", "Augmentin because of penicillin"],
    [notes("takes warfarin since 2020"), "ibuprofen?", "ibuprofen because of warfarin"],
    [conditions("hypertension", "penicillin allergy"), "amoxicillin", "amoxicillin because of penicillin"],
    [conditions("embarazada"), "¿Puedo tomar ibuprofeno?", "ibuprofeno because of pregnancy"],
    [conditions("grossesse"), "Doliprane ou aspirine ?", "aspirine because of pregnancy"],
    [conditions("Schwangerschaft"), "Darf ich Voltaren nehmen?", "Voltaren because of pregnancy"],
    [conditions("gravidez"), "posso tomar nimesulida", "nimesulida because of pregnancy"],
    [conditions("有哮喘"), "可以吃布洛芬吗", "布洛芬 because of asthma"],
    [conditions("mang thai"), "uống aspirin được không", "aspirin because of pregnancy"],
    [conditions("buntis"), "pwede ba ang Medicol", "Medicol because of pregnancy"],
    [conditions("حامل"), "هل آخذ البروفين", "بروفين because of pregnancy"],
    [conditions("천식"), "아스피린을 먹어도 되나요", "아스피린 because of asthma"],
    [conditions("беременность"), "можно нурофена?", "нурофен because of pregnancy"],
  ])("%j: %s", (record, message, expected) => {
    expect(found(record, message)).toBe(expected);
  });

  test("of a topical drug, where it acts in the whole body too", () => {
    expect(found(conditions("asthma"), "timolol eye drops?")).toBe("timolol because of asthma");
    expect(found(conditions("pregnant"), "tretinoin cream?")).toBe("tretinoin because of pregnancy");
  });

  test("even if the drug is in the record, where the condition may be newer", () => {
    const record = { conditions: ["pregnant"], medications: [{ name: "lisinopril" }, { name: "ibuprofen" }] };
    expect(found(record, "Do I go on with lisinopril? And ibuprofen?")).toBe("lisinopril because of pregnancy");
  });
});

describe("no caution is raised", () => {
  test.each<[Record<string, unknown>, string]>([
    [taking("warfarin"), "I don't take aspirin any more"],
    [taking("warfarin"), "I stopped taking aspirin last year."],
    [taking("warfarin"), "my doctor switched me from ibuprofen to paracetamol"],
    [taking("warfarin"), "Aspirin was stopped in May."],
    [taking("warfarin"), "Can I use diclofenac gel on my knee?"],
    [{ medications: [{ name: "diclofenac", dosage: "1 % gel" }] }, "Can I take lisinopril?"],
    [taking("simvastatin"), "Is ketoconazole shampoo ok?"],
    [taking("aspirin (stopped 2023)"), "warfarin"],
    [{ allergies: "penicillin (resolved)" }, "amoxicillin"],
    [{ allergies: "penicillin, outgrown" }, "amoxicillin"],
    [{ allergies: "Penicillin: none" }, "amoxicillin"],
    [{ allergies: "penicillin allergy ruled out by a skin test" }, "amoxicillin"],
    [{ allergies: [{ substance: "penicillin", reaction: "none" }] }, "amoxicillin"],
    [conditions("no asthma", "not pregnant", "asthma as a child, outgrown"), "ibuprofen"],
    [conditions({ name: "asthma", status: "resolved" }), "ibuprofen"],
    [notes("No history of asthma, ulcers or kidney disease. Denies pregnancy."), "ibuprofen"],
    [notes("Mother has glaucoma. Family history of epilepsy. Wife is pregnant."), "Benadryl, bupropion, ibuprofen"],
    [notes("Trying to get pregnant. Previous pregnancy in 2019. Pregnancy test negative."), "ibuprofen"],
    [notes("His 4-year-old son has a cold."), "codeine"],
    [notes("Had a hepatitis B vaccine. Heat stroke in 2018."), "acetaminophen, sumatriptan"],
    [conditions("нет астмы", "没有哮喘", "천식 없음", "sin asma"), "ibuprofen"],
    [notes("pregnancy (2019, delivered)"), "ibuprofen"],
    [conditions("pregnancy 2021, miscarried", "pregnancy (terminated 2016)"), "ibuprofen"],
    [notes("Husband on warfarin. Her father takes warfarin."), "ibuprofen"],
    [conditions("asthma"), "my dad takes propranolol"],
    [conditions("asthma"), "My mother is on propranolol and ibuprofen, is migraine hereditary?"],
    [conditions("asthma"), "my wife uses propranolol. What does it do?"],
    [{ age: 40 }, "aspirin, diphenhydramine, codeine"],
  ])("%j: %s", (record, message) => {
    expect(found(record, message)).toBe("");
  });
});

test.each([
  [notes("Pregnant again. First child delivered 2019."), "ibuprofen", "ibuprofen because of pregnancy"],
  [notes("second pregnancy, first baby delivered 2019"), "ibuprofen", "ibuprofen because of pregnancy"],
  [notes("pregnancy, to be delivered in May"), "ibuprofen", "ibuprofen because of pregnancy"],
  [notes("pregnancy, threatened miscarriage"), "ibuprofen", "ibuprofen because of pregnancy"],
  [notes("Mother takes warfarin and she takes warfarin too"), "ibuprofen", "ibuprofen because of warfarin"],
  [notes("lives with her husband takes warfarin"), "ibuprofen", "ibuprofen because of warfarin"],
  [conditions("asthma"), "my dad takes propranolol, can I take it too?", "propranolol because of asthma"],
  [conditions("asthma"), "my dad and I take propranolol", "propranolol because of asthma"],
  [conditions("asthma"), "my son takes propranolol", "propranolol because of asthma"],
  [conditions("asthma"), "my dad takes propranolol, is that safe?", "propranolol because of asthma"],
  [conditions("asthma"), "can I have my dad's propranolol?", "propranolol because of asthma"],
])("a fact beside one of the past or of a relative counts: %j: %s", (record, message, expected) => {
  expect(found(record, message)).toBe(expected);
});

test.each([
  ["I'm not sure if I can take ibuprofen", "ibuprofen because of warfarin"],
  ["Should I not take aspirin?", "aspirin because of warfarin"],
  ["I don't take aspirin, can I take naproxen?", "naproxen because of warfarin"],
  ["I stopped aspirin. Could I start aspirin again?", "aspirin because of warfarin"],
  ["can i have ibuprofin or asprin", "ibuprofen because of warfarin"],
])("a question about a drug is not a statement that it is not taken: %s", (message, expected) => {
  expect(found(taking("warfarin"), message)).toBe(expected);
});

test("an answer's advice against a drug does not make a caution superfluous", () => {
  expect(found(taking("warfarin"), "What now?", "Do not take ibuprofen.")).toBe("ibuprofen because of warfarin");
});
