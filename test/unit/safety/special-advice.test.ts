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
  expect(firstAidFor(message).filter((name) => names.length > 0 || name)).toEqual(expect.arrayContaining(names));
  expect(firstAidFor(message)[0]).toBe(names[0]);
});
