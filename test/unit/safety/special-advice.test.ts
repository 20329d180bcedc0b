import "../../helpers/service/help-lines.ts";
import { describe, expect, test } from "@jest/globals";
import { alertOf, type Category } from "../../../shared/safety/alert.ts";
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
  ["I can't breathe", "breathing"],
  ["My child is choking and cannot speak", "breathing"],
  ["my 3 year old son is choking on a grape", "breathing"],
  ["my 18 month old is choking", "breathing"],
  ["he is choking and turning blue", "breathing"],
  ["my baby can't breathe", "breathing"],
  ["My mother fainted and won't wake up", "unconscious"],
  ["She is unconscious", "unconscious"],
  ["The bleeding won't stop", "bleeding"],
  ["I can't stop the bleeding", "bleeding"],
] as const)("a plain sign has its first aid although the category is not certain: %s, %s", (message, advice) => {
  const { finding } = screen(message);
  expect(finding?.certainty).toBe("certain");
  expect(adviceFor(message, advice)).toBe(advice);
});

describe("the advice is that of the category", () => {
  test.each([
    ["my husband choked me while I held the baby", "breathing"],
    ["she is not breathing well", "breathing"],
    ["crushing chest pain", "other"],
    ["her face is drooping", "other"],
    ["I am pregnant and the bleeding won't stop", "bleeding"],
  ] as const)("without such words: %s", (message, usual) => {
    const advice = adviceFor(message, usual);
    expect([undefined, screen(message).finding?.alert.category]).toContain(advice);
  });
});
