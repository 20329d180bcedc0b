import { afterEach, describe, expect, test } from "@jest/globals";
import { LANGUAGES } from "../../packages/safety/alerts.ts";
import { clinicOfStage } from "../../shared/clinic.ts";
import { answerDisclosure, DISCLOSURES, threadDisclosure } from "../../shared/disclosure/disclosure.ts";

afterEach(() => {
  delete process.env.AI_DISCLOSURE;
  delete process.env.HUMAN_CONTACT;
});

describe("the disclosure", () => {
  test("exists in all languages of the fixed texts", () => {
    expect(Object.keys(DISCLOSURES).toSorted()).toEqual([...LANGUAGES].toSorted());
    for (const { answer, thread, contact, closed, opens } of Object.values(DISCLOSURES)) {
      expect(answer).not.toContain("{");
      expect(thread).not.toContain("{");
      expect(contact.match(/\{contact\}/g)).toHaveLength(1);
      expect(closed).not.toContain("{");
      expect(opens.match(/\{opens\}/g)).toHaveLength(1);
    }
  });

  test("follows an answer only if the deployment enables it", () => {
    expect(answerDisclosure(clinicOfStage(), "en")).toBeUndefined();
    process.env.AI_DISCLOSURE = "thread";
    expect(answerDisclosure(clinicOfStage(), "en")).toBeUndefined();
    process.env.AI_DISCLOSURE = "answers";
    expect(answerDisclosure(clinicOfStage(), "en")).toBe(DISCLOSURES.en?.answer);
    expect(answerDisclosure(clinicOfStage(), "ko")).toBe(DISCLOSURES.ko?.answer);
  });

  test("contains the configured human contact", () => {
    process.env.AI_DISCLOSURE = "answers";
    process.env.HUMAN_CONTACT = "Example Clinic, $& 555-0100";
    expect(answerDisclosure(clinicOfStage(), "en")).toMatch(/ To talk to a person: Example Clinic, \$& 555-0100\.$/);
    expect(threadDisclosure(clinicOfStage(), "de")).toMatch(
      / So erreichen Sie einen Menschen: Example Clinic, \$& 555-0100\.$/,
    );
  });

  test.each([
    [undefined, "en"],
    ["", "en"],
    ["*", "en"],
    ["it", "en"],
    ["fr-CA", "fr"],
    ["it, ru;q=0.3, pt-BR;q=0.7", "pt"],
    ["en;q=0, ar", "ar"],
    ["fil", "tl"],
    ["zh-CN", "zh"],
    ["zh-Hant-HK", "zh-Hant"],
    ["zh-TW", "zh-Hant"],
    ["constructor", "en"],
  ])("of a thread with Accept-Language %s is in %s", (acceptLanguage, language) => {
    expect(threadDisclosure(clinicOfStage(), acceptLanguage)).toBe(DISCLOSURES[language]?.thread);
  });
});
