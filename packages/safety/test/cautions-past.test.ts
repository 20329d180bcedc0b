import { describe, expect, test } from "@jest/globals";
import { findCautions } from "../cautions.ts";

const drugsIn = (record: object, message: string) => findCautions({ ...record }, message, "").map(({ drug }) => drug);
const taking = (name: string) => ({ medications: [{ name }] });

describe("what a record puts in the past raises no caution", () => {
  test.each([
    "Was on lithium until 2018.",
    "On methotrexate 2010-2014, none since.",
    "Formerly on lithium. Past use of warfarin.",
    "Had been taking prednisone until last spring.",
    "ya no toma litio",
    "ne prend plus de lithium",
    "nahm bis 2019 Warfarin, dann abgesetzt",
    "não toma mais lítio",
    "pregnant in 2019, baby born healthy",
    "Was pregnant two years ago, gave birth to a girl.",
    "C-section in 2020 after an uneventful pregnancy.",
    "Embarazo en 2019, dio a luz.",
    "Grossesse en 2018, a accouché à terme.",
    "Schwangerschaft 2017, entbunden.",
    "Gravidez em 2019, deu à luz.",
  ])("%s", (notes) => {
    expect(drugsIn({ notes }, "Can I take ibuprofen?")).toEqual([]);
    expect(drugsIn({ conditions: [notes] }, "ibuprofen")).toEqual([]);
  });

  test.each([
    { name: "warfarin (until 2018)" },
    { name: "warfarin", frequency: "daily until 2018" },
    { name: "warfarin", status: "stopped" },
  ])("a medication %j", (medication) => {
    expect(drugsIn({ medications: [medication] }, "ibuprofen?")).toEqual([]);
  });

  test.each([
    "Was on warfarin until 2018, now on apixaban.",
    "Takes lithium, never stopped it.",
    "Gave birth in 2022, now pregnant again.",
    "Toma warfarina desde 2019",
    "nimmt seit 2019 Warfarin",
    "prend de la warfarine depuis 2020",
  ])("and what goes on still does: %s", (notes) => {
    expect(drugsIn({ notes }, "Can I take ibuprofen?")).toEqual(["ibuprofen"]);
  });
});

describe("a drug that the user does not take raises no caution", () => {
  test.each([
    "I can't stand ibuprofen, so I never use it.",
    "I hate swallowing aspirin, so I don't.",
    "I've never taken aspirin.",
    "I stay away from naproxen.",
    "I refuse to take aspirin.",
    "I threw my ibuprofen away.",
    "I used aspirin years ago but not anymore.",
    "ya no tomo ibuprofeno",
    "dejé de tomar ibuprofeno",
    "odio tomar ibuprofeno, así que no lo tomo",
    "nunca tomo naproxeno",
    "j'ai arrêté l'ibuprofène",
    "je ne prends jamais d'aspirine",
    "ich nehme kein Ibuprofen mehr",
    "ich habe Aspirin abgesetzt",
    "Ibuprofen nehme ich nicht",
    "não tomo mais aspirina",
    "parei de tomar ibuprofeno",
  ])("%s", (message) => {
    expect(drugsIn(taking("warfarin"), message)).toEqual([]);
  });

  test.each([
    "I hate taking ibuprofen but it is all that helps",
    "I never took ibuprofen before, can I try it?",
    "I haven't taken ibuprofen yet, is it ok?",
    "no sé si tomar ibuprofeno",
    "je ne sais pas si je peux prendre de l'ibuprofène",
    "ich weiß nicht ob ich Ibuprofen nehmen darf",
    "não sei se posso tomar ibuprofeno",
  ])("and one that the user may take does: %s", (message) => {
    expect(drugsIn(taking("warfarin"), message)).not.toEqual([]);
  });
});

test.each([
  ["lithium", "Advil PM"],
  ["lithium", "Aleve PM"],
  ["lithium", "Tenoretic"],
  ["lithium", "Hyzaar"],
  ["lithium", "Symbyax"],
  ["litio", "Micardis HCT"],
  ["warfarin", "Excedrin PM"],
  ["warfarin", "Vicoprofen"],
  ["warfarina", "Actron Compuesto"],
  ["Marcumar", "Aspirin Complex"],
  ["phenelzine", "Aleve-D"],
  ["phenelzine", "Alka-Seltzer Plus"],
  ["Jatrosom", "Wick MediNait"],
  ["sertralina", "Frenadol"],
  ["sertraline", "Seglentis"],
  ["tranylcypromine", "Auvelity"],
  ["Xanax", "Tylenol with codeine"],
  ["naltrexone", "Vicoprofen"],
  ["methotrexate", "Advil Dual Action"],
  ["clopidogrel", "Vimovo"],
  ["contrast dye", "Janumet"],
])("each drug in a product counts: %s with %s", (medicine, product) => {
  expect(drugsIn(taking(medicine), `Can I take ${product}?`)).toEqual([product]);
});

test.each([
  [{ conditions: ["liver disease"] }, "NyQuil"],
  [{ conditions: ["glaucoma"] }, "Advil PM"],
  [{ conditions: ["high blood pressure"] }, "Advil Cold & Sinus"],
  [{ allergies: "sulfa drugs, aspirin" }, "Excedrin PM"],
])("each drug in a product counts: %j with %s", (record, product) => {
  expect(drugsIn(record, `Can I take ${product}?`)[0]).toBe(product);
});
