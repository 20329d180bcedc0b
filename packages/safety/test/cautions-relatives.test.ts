import { expect, test } from "@jest/globals";
import { because, findCautions } from "../cautions.ts";

const found = (record: Record<string, unknown>, message: string) =>
  findCautions(record, message, "Please ask a pharmacist.")
    .map((caution) => `${caution.drug} because of ${because(caution)}`)
    .join(", ");

const RELATIVES = [
  "mother allergic to penicillin",
  "Mother is allergic to penicillin",
  "His mother has a penicillin allergy",
  "Penicillin allergy in mother",
  "penicillin allergy (mother)",
  "allergy to penicillin: her mother",
  "maternal allergy to penicillin",
  "Mother's allergy: penicillin",
  "Sister had anaphylaxis to penicillin",
  "Family history of penicillin allergy",
  "Family hx: penicillin allergy",
  "FHx penicillin allergy",
  "Both parents allergic to penicillin",
  "Madre alérgica a la penicilina",
  "Mutter allergisch gegen Penicillin",
  "Mère allergique à la pénicilline",
  "Mãe alérgica a penicilina",
  "У матери аллергия на пенициллин",
  "母亲对青霉素过敏",
  "어머니가 페니실린 알레르기",
  "والدتي لديها حساسية من البنسلين",
];

test.each(RELATIVES)("a relative's allergy is not the patient's, in a note or in the list: %s", (text) => {
  expect(found({ notes: [{ text }] }, "Can I take amoxicillin?")).toBe("");
  expect(found({ allergies: text }, "Can I take amoxicillin?")).toBe("");
  expect(found({ notes: [{ text: `${text}, sulfa` }] }, "Can I take Bactrim?")).toBe("");
});

test.each([
  "Mother reports allergy to penicillin",
  "Per mother, allergic to penicillin",
  "Mother says he is allergic to penicillin",
  "Allergic to penicillin as a child (rash)",
  "My mother and I are allergic to penicillin",
  "Lives with mother. Allergic to penicillin",
  "Mother has glaucoma. Allergic to penicillin",
])("what a relative only tells, or stands beside, is the patient's: %s", (text) => {
  expect(found({ notes: [{ text }] }, "Can I take amoxicillin?")).toBe("amoxicillin because of penicillin");
});

test.each([
  ["Family hx of glaucoma", "Benadryl?"],
  ["Family history: glaucoma, asthma", "aspirin?"],
  ["Fam hx of asthma", "aspirin?"],
  ["Father with asthma", "aspirin?"],
  ["Antecedentes familiares de asma", "aspirina?"],
  ["家族史：哮喘", "可以吃布洛芬吗"],
])("a relative's condition is not the patient's: %s", (text, message) => {
  expect(found({ notes: [text] }, message)).toBe("");
  expect(found({ conditions: [text] }, message)).toBe("");
});

test.each([
  { name: "warfarin", dosage: "completed in March" },
  { name: "warfarin, completed in March" },
  { name: "warfarin", dosage: "5 mg", frequency: "course finished last week" },
  { name: "warfarin", frequency: "discontinued" },
  { name: "warfarin", dosage: "was stopped by cardiology" },
])("a medicine that has ended is not taken: %j", (medication) => {
  expect(found({ medications: [medication] }, "Can I take ibuprofen?")).toBe("");
});

test.each([
  { name: "warfarin", dosage: "to be completed in March" },
  { name: "warfarin", dosage: "take until completed" },
])("one that will end is: %j", (medication) => {
  expect(found({ medications: [medication] }, "Can I take ibuprofen?")).toBe("ibuprofen because of warfarin");
});

test.each([
  "My mother takes ibuprofen.",
  "Mi madre toma ibuprofeno.",
  "Minha mãe toma ibuprofeno.",
  "Ma mère prend de l'ibuprofène.",
  "Meine Mutter nimmt Ibuprofen.",
  "Моя мама принимает ибупрофен.",
  "我妈妈吃布洛芬。",
  "어머니가 이부프로펜을 드세요.",
  "والدتي تتناول ايبوبروفين",
  "Mẹ tôi uống ibuprofen.",
  "Umiinom ang nanay ng ibuprofen.",
])("a relative's drug in the message raises nothing: %s", (message) => {
  expect(found({ medications: [{ name: "warfarin" }] }, message)).toBe("");
});

test.each([
  ["vancomycin", "Can I have vancomycin?"],
  ["omeprazole", "Is Prilosec ok?"],
  ["gabapentin", "gabapentin for pain?"],
  ["hydroxychloroquine", "Plaquenil?"],
  ["Zofran", "Can I take ondansetron?"],
  ["Zyrtec", "Is cetirizine ok?"],
  ["cetirizine", "zyrtec?"],
  ["chlorhexidine", "a chlorhexidine mouthwash?"],
  ["latex", "Are latex gloves ok?"],
  ["prawns", "Can I eat a prawn curry?"],
  ["Latexallergie", "Ist Latex ein Problem?"],
  ["乳胶", "可以用乳胶手套吗"],
  ["peanuts, tree nuts (hives)", "Tree nuts?"],
  [[{ name: "Kiwi", symptoms: ["hives"] }], "Can I eat kiwi?"],
  ["penicilin", "Can I take amoxacillin?"],
  ["penecillin", "amoxicillin?"],
  ["Penizillin", "Amoxicillin?"],
  ["pencillin - rash", "amoxicilin"],
])("an allergy to exactly what is asked about needs no table, and no spelling: %j: %s", (allergies, message) => {
  const cautions = findCautions({ allergies }, message, "");
  expect(cautions).toHaveLength(1);
  expect(cautions[0]).toMatchObject({ kind: "allergy" });
});

test.each([
  ["latex: hives and swelling", "I have hives and swelling"],
  ["no latex allergy", "Are latex gloves ok?"],
  ["No known allergies", "Which drugs are known for allergies?"],
  ["unknown", "Is it unknown?"],
  ["cold, heat", "I have a cold"],
  ["peanut butter", "Can I eat butter?"],
  [[{ name: "Kiwi", symptoms: ["hives"] }], "I have hives"],
])("a reaction, a denial or a part of a name is no allergen: %j: %s", (allergies, message) => {
  expect(findCautions({ allergies }, message, "")).toEqual([]);
});
