import { describe, expect, test } from "@jest/globals";
import { screen } from "../screen.ts";

const certaintyOf = (message: string) => screen(message).finding?.certainty;

describe("an alarm is told whom to call beside a denial of something else", () => {
  test.each([
    "no fever, right side went numb",
    "no fever, I have the pills in my hand",
    "no fever right side went numb",
    "lips are blue, no cough",
    "no allergies, my throat is closing up",
    "not pregnant, crushing chest pain and sweating",
    "I don't have a fever but I can't breathe",
    "never smoked, I am coughing up blood, lots of it",
    "no injury, she won't wake up",
    "no headache - his face is drooping and he can't speak",
    "no fever and I want to kill myself",
    "no tengo fiebre no puedo respirar",
    "sin fiebre, se le cayó la cara de un lado y no habla bien",
    "não tenho febre quero morrer",
    "pas de fièvre je veux mourir",
    "kein Fieber ich will sterben",
    "không sốt tôi muốn chết",
    "walang lagnat hindi siya makahinga",
    "ما في حرارة أريد أن أموت",
    "열은 없는데 숨을 못 쉬겠어요",
    "열은 없고 죽고 싶어요",
    "без температуры хочу умереть",
    "没发烧，我想死",
    "沒發燒，我想死",
  ])("%s", (message) => {
    expect(["certain", "likely"]).toContain(certaintyOf(message));
  });
});

describe("an alarm is told whom to call beside a question", () => {
  test.each([
    "should i go to the hospital my left arm is numb and my chest hurts",
    "my lips are turning blue, is that normal?",
    "is it normal that I can't feel my right side since an hour ago",
    "my friend asks: I took 30 ibuprofen, what should I do",
    "do I need to see a doctor, I am vomiting blood",
  ])("%s", (message) => {
    expect(["certain", "likely"]).toContain(certaintyOf(message));
  });
});

describe("a wish to die is told whom to call behind a denial of something else, without punctuation", () => {
  test.each([
    ["es", "no tengo a nadie quiero morir"],
    ["es", "ya no aguanto quiero morirme"],
    ["pt", "nao tenho ninguem quero morrer"],
    ["fr", "je n'ai personne je veux mourir"],
    ["de", "ich habe niemanden ich will sterben"],
    ["ru", "у меня никого нет хочу умереть"],
    ["ar", "ما عندي أحد أريد أن أموت"],
    ["vi", "tôi không có ai tôi muốn chết"],
    ["tl", "wala akong kausap gusto ko nang mamatay"],
    ["zh", "没有人在乎我我想死"],
    ["zh-Hant", "沒有人在乎我我想自殺"],
    ["ko", "아무도 없어 죽고 싶어"],
  ])("%s: %s", (language, message) => {
    expect(screen(message)).toMatchObject({ language, finding: { certainty: "certain" } });
  });
});

describe("what is denied itself still raises nothing", () => {
  test.each([
    "no fever, no chest pain",
    "I never had chest problems",
    "no allergies, is that important?",
    "no me quiero morir",
    "no tengo dolor de pecho",
    "eu não quero morrer",
    "ich will nicht sterben",
    "я не хочу умереть",
    "가슴 통증은 없어요",
    "죽고 싶지 않아요",
    "我不想死",
  ])("%s", (message) => {
    expect([undefined, "suspected"]).toContain(certaintyOf(message));
  });
});
