import { describe, expect, test } from "@jest/globals";
import { because, findCautions } from "../cautions.ts";

/** The cautions after some messages of a user about whom there is no record: "drug because of fact". */
function cautionsAfter(...said: string[]): string {
  const cautions = findCautions({}, said.at(-1) ?? "", "Please ask a pharmacist.", { messages: said, cautions: [] });
  expect(cautions.every((caution) => caution.said)).toBe(true);
  return cautions.map((caution) => `${caution.drug} because of ${because(caution)}`).join(", ");
}

describe("what the user says counts:", () => {
  test.each([
    ["I'm allergic to penicillin. Can I take amoxicillin?", "amoxicillin because of penicillin"],
    ["im allergic to penicillin can i take amoxicillin", "amoxicillin because of penicillin"],
    ["penicillin allergy here, is amoxicillin safe", "amoxicillin because of penicillin"],
    ["I'm allergic to penecillin, is amoxacillin ok?", "amoxicillin because of penicillin"],
    ["I am allergic to latex. Are latex gloves ok?", "latex because of latex"],
    ["I take warfarin. Can I take ibuprofen?", "ibuprofen because of warfarin"],
    ["ibuprofen with warfarin", "ibuprofen because of warfarin"],
    ["Can I take ibuprofen and warfarin together?", "ibuprofen because of warfarin"],
    ["I'm pregnant. Can I take ibuprofen?", "ibuprofen because of pregnancy"],
    ["I have asthma, is aspirin ok?", "aspirin because of asthma"],
    ["Soy alérgico a la penicilina. ¿Puedo tomar amoxicilina?", "amoxicilina because of penicilina"],
    ["Tomo warfarina, ¿puedo tomar ibuprofeno?", "ibuprofeno because of warfarina"],
    ["Ich bin allergisch gegen Penicillin. Darf ich Amoxicillin nehmen?", "amoxicillin because of penicillin"],
    ["Je suis allergique à la pénicilline. Puis-je prendre de l'amoxicilline ?", "amoxicilline because of pénicilline"],
    ["Sou alérgica a penicilina. Posso tomar amoxicilina?", "amoxicilina because of penicilina"],
    ["У меня аллергия на пенициллин. Можно амоксициллин?", "амоксициллин because of пенициллин"],
    ["我对青霉素过敏，可以吃阿莫西林吗？", "阿莫西林 because of 青霉素"],
    ["我在吃华法林，可以吃布洛芬吗？", "布洛芬 because of 华法林"],
    ["저는 페니실린 알레르기가 있어요. 아목시실린 먹어도 되나요?", "아목시실린 because of 페니실린"],
    ["عندي حساسية من البنسلين. هل يمكنني تناول أموكسيسيلين؟", "أموكسيسيلين because of بنسلين"],
    ["Tôi bị dị ứng penicillin. Uống amoxicillin được không?", "amoxicillin because of penicillin"],
    ["Allergic ako sa penicillin. Pwede ba ang amoxicillin?", "amoxicillin because of penicillin"],
  ])("%s", (message, expected) => {
    expect(cautionsAfter(message)).toBe(expected);
  });

  test("in earlier messages too, and in what the answer names", () => {
    expect(cautionsAfter("I'm allergic to penicillin", "Thanks", "What about amoxicillin?")).toBe(
      "amoxicillin because of penicillin",
    );
    expect(cautionsAfter("I take warfarin daily", "is ibuprofen fine?")).toBe("ibuprofen because of warfarin");
    const said = ["I am on warfarin and my back hurts"];
    expect(findCautions({}, said[0] ?? "", "Ibuprofen is common.", { messages: said, cautions: [] })).toMatchObject([
      { drug: "ibuprofen", medication: "warfarin", said: true },
    ]);
  });

  test("also of somebody else, if the question is about that person", () => {
    expect(cautionsAfter("My son is allergic to penicillin, can he have amoxicillin?")).toBe(
      "amoxicillin because of penicillin",
    );
    expect(cautionsAfter("My mother takes warfarin, can she take ibuprofen with it?")).toBe(
      "ibuprofen because of warfarin",
    );
  });

  test("after the record, which is named if both say it", () => {
    const said = ["I'm allergic to penicillin. Can I take amoxicillin?"];
    const [caution, ...more] = findCautions({ allergies: "penicillin" }, said[0] ?? "", "", {
      messages: said,
      cautions: [],
    });
    expect([caution?.said, caution?.drug, more]).toEqual([undefined, "amoxicillin", []]);
  });
});

describe("no caution states what nobody said:", () => {
  test.each([
    "I'm not allergic to penicillin. Can I take amoxicillin?",
    "I have no allergies to penicillin, can I take amoxicillin?",
    "Am I allergic to penicillin? Can I take amoxicillin?",
    "How do I know if I'm allergic to penicillin or amoxicillin?",
    "I'm allergic to penicillin.",
    "My mother is allergic to penicillin. Can I take amoxicillin?",
    "is my mother's allergy to penicillin a reason not to take amoxicillin? can i?",
    "Mi madre es alérgica a la penicilina. ¿Puedo tomar amoxicilina?",
    "Meine Mutter ist allergisch gegen Penicillin. Darf ich Amoxicillin nehmen?",
    "Ma mère est allergique à la pénicilline. Puis-je prendre de l'amoxicilline ?",
    "我妈妈对青霉素过敏，我可以吃阿莫西林吗？",
    "My mother takes warfarin. Can I take ibuprofen?",
    "I don't take warfarin. Can I take ibuprofen?",
    "I stopped warfarin last year. Can I take ibuprofen?",
    "Is ibuprofen better than naproxen?",
    "ibuprofen or warfarin?",
    "What is the difference between ibuprofen and naproxen?",
    "Can ibuprofen cause kidney disease?",
    "Do I have asthma? Should I take aspirin?",
    "I take ibuprofen. How often can I take ibuprofen?",
  ])("%s", (message) => {
    expect(cautionsAfter(message)).toBe("");
  });

  test("an earlier question about a drug, or a relative's allergy, is no fact about the user", () => {
    expect(cautionsAfter("Can I take warfarin?", "is ibuprofen fine?")).toBe("");
    expect(cautionsAfter("My mother is allergic to penicillin", "Can I take amoxicillin?")).toBe("");
  });
});

describe("a caution is said once:", () => {
  const cautions = [[{ drug: "ibuprofen", because: "warfarin" }]];
  const record = { medications: [{ name: "warfarin" }] };
  const found = (message: string, answer: string) =>
    findCautions(record, message, answer, { messages: [message], cautions }).map(({ drug }) => drug);

  test("what was told is not told again because the answer names the drug again", () => {
    expect(found("What time is it?", "Noon. Remember not to take ibuprofen.")).toEqual([]);
    expect(found("What time is it?", "Noon. Or naproxen.")).toEqual(["naproxen"]);
  });

  test("but when somebody asks about the drug again", () => {
    expect(found("And ibuprofen at night?", "No.")).toEqual(["ibuprofen"]);
  });
});
