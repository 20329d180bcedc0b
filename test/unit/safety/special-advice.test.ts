import "../../helpers/service/help-lines.ts";
import { expect, test } from "@jest/globals";
import { alertOf, type Category } from "../../../shared/safety/alert.ts";
import { firstAidFor } from "../../../shared/safety/first-aid.ts";
import { screen } from "../../../shared/safety/screen.ts";
import { specialAdvice } from "../../../shared/safety/special-advice.ts";

/** The advice for an emergency as the screen detects it, or as the model does if the screen misses it. */
function adviceFor(message: string, usual: Category): string | undefined {
  return specialAdvice(screen(message).finding?.alert ?? alertOf(usual), message);
}

test.each([
  ...[
    "my baby is choking",
    "my 8 month old is choking on a grape and can't breathe",
    "newborn choking on milk, she's blue",
  ],
  ...["mi bebé se está atragantando", "meu bebê está engasgado", "mon bébé s'étouffe", "mein Baby erstickt"],
  ...["宝宝噎住了不能呼吸", "寶寶噎住了不能呼吸", "bé nhà tôi bị hóc, không thở được", "nabulunan ang sanggol ko"],
  ...["رضيعي يختنق", "아기가 목에 걸려서 숨을 못 쉬어요", "младенец подавился и не дышит"],
])("the advice for an infant that chokes is its own: %s", (message) => {
  expect(adviceFor(message, "breathing")).toBe("choking-infant");
});

test.each([
  ...[
    "I think he has heat stroke",
    "heatstroke, his skin is hot and dry and he is confused",
    "he collapsed from the heat",
  ],
  ...[
    "mi abuelo tiene un golpe de calor",
    "meu avô teve insolação",
    "il a un coup de chaleur",
    "mein Opa hat einen Hitzschlag",
  ],
  ...["爷爷中暑了，叫不醒", "爺爺中暑了，叫不醒", "ông tôi bị sốc nhiệt", "na-heat stroke ang lolo ko"],
  ...["جدي عنده ضربة شمس", "할아버지가 열사병인 것 같아요", "у дедушки тепловой удар"],
])("the advice for heat stroke is its own: %s", (message) => {
  expect(adviceFor(message, "other")).toBe("heat-stroke");
});

test.each([
  "My baby is not breathing",
  "My husband is not breathing",
  "he stopped breathing",
  ...["mi padre está inconsciente y no respira", "meu pai parou de respirar", "mon père ne respire plus"],
  ...[
    "mein Mann atmet nicht mehr",
    "我爸没有呼吸了",
    "我爸沒有呼吸了",
    "bố tôi ngừng thở rồi",
    "hindi na humihinga si tatay",
  ],
  ...["أبي لا يتنفس", "아버지가 숨을 안 쉬어요", "муж не дышит"],
])("who does not breathe needs chest compressions: %s", (message) => {
  expect(adviceFor(message, "breathing")).toBe("unconscious");
});

test.each([
  ["my husband choked me while I held the baby", "breathing"],
  ["she is not breathing well", "breathing"],
  ["crushing chest pain", "other"],
] as const)("the advice is that of the category without such words: %s", (message, usual) => {
  expect(adviceFor(message, usual)).toBeUndefined();
});

test.each([
  ["i feel the cord coming out and im 36 weeks", ["cord"]],
  ["the CO detector is beeping and we all have headaches", ["gas"]],
  ["my husband got electrocuted fixing the lamp", ["electric"]],
  ["he took fentanyl and wont wake up", ["opioid", "unconscious"]],
  ["my friend od on heroin, lips are blue", ["opioid", "breathing"]],
  ["grandpa is choking on a piece of meat", ["choking"]],
  ["she got stung by a wasp and her tongue is swelling", ["anaphylaxis"]],
  ["my inhaler isnt helping, i cant breathe", ["asthma"]],
  ["my sugar is 45 and im shaking", ["low-sugar"]],
  ["I spilled boiling water on my legs", ["burn"]],
  ["a pan of hot oil went over his hand", ["burn"]],
  ["my daughter is having a seizure", ["seizure"]],
  ["his leg is bleeding and it wont stop", ["bleeding"]],
  ["mum hit her head, she is on warfarin", ["head-injury"]],
  ["eight months pregnant and there is blood everywhere", ["pregnancy"]],
  ["my newborn has a fever of 38.5", ["infant-fever"]],
  ["stiff neck and a purple rash", ["infection"]],
  ["her face is drooping and her speech is slurred", ["stroke"]],
  ["my dad is clutching his chest and is grey", ["cardiac"]],
  ["My mother fainted and won't wake up", ["unconscious"]],
  ["I can't breathe", ["breathing"]],
  ["my ex strangled me last night", ["abuse"]],
  ["it burns when i pee", []],
  ["when can I get a flu shot?", []],
])("the first aid is chosen by what is said: %s", (message, names) => {
  expect(firstAidFor(message)).toEqual(expect.arrayContaining(names));
  expect(firstAidFor(message)[0]).toBe(names[0]);
});

test.each([
  "no chest pain",
  "he doesnt have chest pain",
  "I don't have chest pain, just a cough",
  "my chest doesn't hurt",
  "without any seizure",
  "he has never hit his head",
  "she did not have an allergic reaction",
  "her lips are not blue",
  "he hasn't passed out",
  "nobody is choking",
  "not pregnant, no pain",
])("what is denied needs no first aid: %s", (message) => {
  expect(firstAidFor(message)).toEqual([]);
});

test.each<[string, Category]>([
  ["my baby isn't choking but she is breathing fast", "breathing"],
  ["mi bebé no se está atragantando, pero respira mal", "breathing"],
  ["meu bebê não está engasgado mas respira mal", "breathing"],
  ["mein Baby hat sich nicht verschluckt, es atmet schwer", "breathing"],
  ["宝宝没有噎住，但呼吸困难", "breathing"],
  ["寶寶沒有噎住，但呼吸困難", "breathing"],
  ["em bé không bị hóc nhưng khó thở", "breathing"],
  ["младенец не подавился, но тяжело дышит", "breathing"],
  ["ce n'est pas un coup de chaleur", "other"],
  ["hindi heat stroke ito", "other"],
  ["ليست ضربة شمس", "other"],
])("what is denied needs no advice of its own in any language: %s", (message, usual) => {
  expect(specialAdvice(alertOf(usual), message)).toBeUndefined();
});

test.each([
  ["he doesn't have a pulse", "unconscious"],
  ["not waking up", "unconscious"],
  ["he's not breathing after choking on a grape", "choking"],
  ["no feeling on one side of her face", "stroke"],
  ["no fever, but her face is drooping", "stroke"],
  ["I'm 30 weeks pregnant and the baby is not moving", "pregnancy"],
  ["he took heroin and is not breathing", "opioid"],
  ["no inhaler here and he is wheezing", "asthma"],
  ["he has never hit me, he pushed me down", "abuse"],
])("a negation that is a sign itself denies nothing: %s", (message, name) => {
  expect(firstAidFor(message)).toContain(name);
});

test.each([
  ["my mom fell down the stairs and hit her head", false],
  ["my daughter burned her hand", false],
  ["my wife hurt her back", false],
  ["he burned her hand with a cigarette", true],
  ["my boyfriend shoved me and i hit my head", true],
  ["he beats her every night", true],
])("who hurts herself is not abused, and who is hurt by another is: %s", (message, isAbuse) => {
  expect(firstAidFor(message).includes("abuse")).toBe(isAbuse);
});

test.each<[string, string | undefined]>([
  ["my toddler ate a dishwasher tablet", "poisoning"],
  ["my two year old put a laundry tablet in his mouth", "poisoning"],
  ["my toddler ate a tablet of mine", undefined],
  ["I took all my tablets on purpose", undefined],
])("a tablet for cleaning is no medicine, so what a toddler did with it was not meant: %s", (message, advice) => {
  expect(specialAdvice(alertOf("poisoning"), message)).toBe(advice);
});

test("an infant that chokes and does not breathe still needs what chokes", () => {
  expect(specialAdvice(alertOf("breathing"), "mi bebé no respira se atragantó")).toBe("choking-infant");
});

test.each([
  [["I don't have chest pain, just a cough", "my grandma fell and cant remember anything since"], ["head-injury"]],
  [
    ["my chest hurts", "now his face is drooping"],
    ["stroke", "cardiac"],
  ],
  [["I'm 30 weeks pregnant", "I am bleeding a lot"], ["pregnancy"]],
])("after %j, what the last message says comes first", (messages, names) => {
  expect(firstAidFor(...messages)).toEqual(names);
});
