import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { LANGUAGES } from "../../packages/safety/alerts.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

/** A cardiac emergency in each language. */
const CARDIAC: Record<Exclude<(typeof LANGUAGES)[number], "en">, string> = {
  es: "creo que me está dando un infarto",
  pt: "acho que estou tendo um infarto",
  fr: "je crois que je fais une crise cardiaque",
  de: "ich glaube, ich habe einen Herzinfarkt",
  zh: "我觉得我心脏病发作了",
  "zh-Hant": "我覺得我心臟病發作了",
  vi: "tôi nghĩ tôi đang bị nhồi máu cơ tim",
  tl: "inatake sa puso ang tatay ko",
  ar: "عندي أزمة قلبية الآن",
  ko: "심장마비가 온 것 같아요",
  ru: "кажется, у меня инфаркт",
};

const textsOf = (language: string) => {
  const path = join(import.meta.dirname, "../../packages/safety/data/languages", `${language.toLowerCase()}.json`);
  return JSON.parse(readFileSync(path, "utf8")).texts;
};
const chat = (body: object) => service.chat({ include: ["safety"], ...body });

test.each(Object.entries(CARDIAC))(
  "an emergency in %s is answered in that language with the deployment's phone numbers, with and without the model",
  async (language, message) => {
    const texts = textsOf(language);
    const openings = [texts.emergency.opening, texts.general.emergency].map((text) =>
      text.replaceAll("{emergencyNumber}", "911"),
    );
    const { body } = await chat({ message });
    service.model.script = () => ({ status: 401 });
    const alone = await chat({ message });
    expect(alone.status).toBe(200);
    for (const { response, safety } of [body, alone.body]) {
      expect(safety).toMatchObject({ level: "emergency", certainty: "certain" });
      expect(openings).toContain(response.split("\n\n")[0]);
      expect(response).not.toMatch(/\{\w+\}/);
    }
  },
);

describe("a message in Spanish", () => {
  test("gets a caution in Spanish", async () => {
    service.model.script = () => ({ content: "[[level: none]]\nLa amoxicilina (amoxicillin) sirve para eso." });
    const message = "¿qué antibiótico se usa para una infección de garganta?";
    const { body } = await chat({ message, patientData: { allergies: ["penicillin"] } });
    expect(body.response).toMatch(/\n\nPrecaución: /);
    expect(body.safety.cautions).toEqual([{ kind: "allergy", drug: "amoxicilina", because: "penicillin" }]);
  });

  test("gets the fixed text of an alert raised by the model in Spanish", async () => {
    service.model.script = () => ({ content: "[[level: emergency stroke]]\nNo espere." });
    const { body } = await chat({ message: "hola, ¿a qué hora abre la clínica los sábados?" });
    expect(body.response).toMatch(/^Esto podría ser una emergencia\. Llame ahora mismo al 911/);
  });

  test("says in Spanish whom to call if the model fails, also below what is harmless", async () => {
    service.model.script = () => ({ status: 401 });
    const { status, body } = await chat({ message: "hola, ¿a qué hora abre la clínica los sábados?" });
    expect(status).toBe(200);
    expect(body.response).toMatch(/^Si esto pudiera ser una emergencia, llame al 911\. .* 988/);
  });
});
