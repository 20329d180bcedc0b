import "../../helpers/service/help-lines.ts";
import { describe, expect, jest, test } from "@jest/globals";
import type { Finding, Screening } from "../../../packages/safety/alerts.ts";
import { alertOf, type Category } from "../../../packages/safety/alerts.ts";
import type { Safety } from "../../../packages/safety/findings.ts";
import { screen } from "../../../packages/safety/screen.ts";
import { Reply } from "../../../shared/chat/reply.ts";
import { Warnings } from "../../../shared/chat/warnings.ts";
import { config } from "../../../shared/config.ts";
import { textOf } from "../../../shared/threads/answer-parts.ts";
import { captureMetrics } from "../../helpers/service/metrics.ts";

const found = (category: Category, rest: Partial<Finding> = {}): Screening => ({
  language: "en",
  finding: {
    alert: alertOf(category),
    certainty: "certain",
    decidedBy: "rule",
    categoryCertain: true,
    evidence: [],
    ...rest,
  },
});
const NOTHING: Screening = { language: "en", finding: undefined };
const SUSPICION = { certainty: "suspected", decidedBy: "classifier", categoryCertain: false } as const;

const GENERAL_EMERGENCY =
  /^This could be an emergency\. Call 911 now, or have someone call\. Do not stay alone\. If you are .* call or text 988/;
const GENERAL_CRISIS = /^What you describe sounds very hard/;

/** Starts a streamed reply; `announced` are the findings in the order in which callers learn of them. */
function started(screening: Screening, facts: Record<string, unknown> = {}, said: string[] = []) {
  const announced: Safety[] = [];
  const reply = new Reply({ onPart: () => {}, onText: () => {}, onSafety: (safety) => announced.push(safety) });
  const warnings = new Warnings(reply, screening, facts, said, config.helpLines);
  warnings.begin();
  return { reply, warnings, announced };
}

const openingOf = (screening: Screening, facts = {}, said: string[] = []) =>
  textOf(started(screening, facts, said).reply.parts);

describe("the fixed text for a finding", () => {
  test.each<[Category, RegExp]>([
    ["cardiac", GENERAL_EMERGENCY],
    ["suicide-attempt", GENERAL_EMERGENCY],
    ["suicidal-thoughts", GENERAL_CRISIS],
    ["abuse", GENERAL_CRISIS],
  ])("is the general text of its level if the category %s is not certain", (category, text) => {
    expect(openingOf(found(category, { categoryCertain: false }))).toMatch(text);
  });

  test.each([
    "my toddler swallowed a button battery",
    "my kid swallowed two magnets",
    "he swallowed a watch battery",
    "my 2 year old ate a detergent pod",
    "my toddler bit into a laundry pod and ate some",
    "took too many ibuprofen by accident",
    "I accidentally took 10 ibuprofen",
    "I took too much paracetamol by mistake",
    "mi bebé se tragó una pila",
    "我家两岁娃不小心吞了一颗纽扣电池",
    "ребенок проглотил батарейку",
  ])("is that of a poisoning, without the crisis line, for what was plainly taken by accident: %s", (message) => {
    const text = openingOf(screen(message), {}, [message]);
    expect(text).toMatch(/911.*1-800-222-1222/s);
    expect(text).not.toContain("988");
  });

  test.each([
    "I took too many pills, the baby won't stop crying",
    "I took too many pills, I can't go on since the accident",
    "I took too many tylenol",
    "took too many ibuprofen",
    "I took too many paracetamol",
    "she overdosed on her meds on purpose",
    "I took too many tylenol because i want to die",
    "I took a double dose of pills and too many tylenol, not by mistake, I want to die",
    "I took 20 tylenol",
    "me tomé todas las pastillas de mi mamá",
    "выпила всю упаковку снотворного",
  ])("has poison control and the crisis line if too much may have been taken on purpose: %s", (message) => {
    const text = openingOf(screen(message), {}, [message]);
    expect(text).toMatch(/911/);
    expect(text).toContain("988");
    expect(text).toContain("1-800-222-1222");
  });

  test("has poison control if the model gives no verdict on a suspected poisoning", () => {
    const { reply, warnings } = started(found("poisoning", SUSPICION), {}, ["I accidentally took my pills twice"]);
    expect(reply.findings).toMatchObject({ certainty: "suspected", category: "poisoning" });
    warnings.decide(undefined);
    expect(textOf(reply.parts)).toMatch(/911.*1-800-222-1222/s);
  });

  test.each([[{ alert: undefined, named: false }], [undefined]])(
    "stays with what was found if the model has raised an alert in its answer and its verdict is then %j",
    (verdict) => {
      for (const certainty of ["suspected", "likely"] as const) {
        const { reply, warnings } = started(found("stroke", { ...SUSPICION, certainty }), {}, ["My face feels odd"]);
        warnings.raiseByModel(alertOf("stroke"), true);
        const { parts, findings } = { parts: [...reply.parts], findings: reply.findings };
        warnings.decide(verdict);
        expect([reply.parts, reply.findings]).toEqual([parts, findings]);
      }
    },
  );

  test("has the line for abuse if the model gives no verdict on what may be that", () => {
    const message = "he grabbed my neck yesterday but I'm fine";
    const { reply, warnings } = started(found("infection", SUSPICION), {}, [message]);
    warnings.decide(undefined);
    expect(textOf(reply.parts)).toMatch(/911.*1-800-799-7233/s);
  });

  test("is that of a burn for a scald, which the classifier may take for a poisoning", () => {
    const message = "my toddler pulled a pot of boiling water on himself";
    const text = openingOf(found("poisoning", { categoryCertain: false }), {}, [message]);
    expect(text).toContain("cool running water");
    expect(text).not.toContain("1-800-222-1222");
  });

  test.each([
    "my 3 year old has a fever of 39.5 and is very sleepy",
    "My three-year-old has 39 fever and a cough",
    "my 18 month old has a fever of 39",
    "mi hijo de 3 años tiene fiebre de 39.5",
    "моему сыну 3 года, температура 39.5",
    "我儿子3岁发烧39度",
  ])("has nothing about babies under three months for an older child, whatever the category: %s", (message) => {
    const older = openingOf(found("infant-fever"), {}, [message]);
    expect(older).toMatch(GENERAL_EMERGENCY);
    const { reply, warnings } = started(found("infant-fever", SUSPICION), {}, [message]);
    warnings.raiseByModel(alertOf("infant-fever"), true);
    expect(textOf(reply.parts)).toBe(older);
  });

  test.each([
    "my 3 week old has a fever of 39",
    "my baby has a fever of 39",
    "My 3 year old gave my newborn a fever of 38.5",
  ])("says that a baby under three months has to be examined: %s", (message) => {
    expect(openingOf(found("infant-fever"), {}, [message])).toMatch(/under three months/);
  });

  test.each([{ gender: "male" }, { gender: " M " }, { gender: "female", age: 61 }, { age: 9.5 }])(
    "does not mention pregnancy to %j",
    (facts) => {
      const { reply, announced } = started(found("pregnancy"), facts);
      expect(textOf(reply.parts)).toMatch(GENERAL_EMERGENCY);
      expect(JSON.stringify([reply.parts, announced])).not.toMatch(/pregnan|vagina/);
      expect(openingOf(found("cardiac"), facts)).toContain("half upright");
    },
  );

  test.each([{}, { gender: "female", age: 60 }, { gender: "female", age: 10 }, { gender: "trans man" }])(
    "includes advice for pregnancy to %j",
    (facts) => {
      expect(openingOf(found("pregnancy"), facts)).toContain("vagina");
    },
  );
});

describe("an alert raised by the model", () => {
  const raised = (category: Category, named: boolean, screening = NOTHING, facts = {}) => {
    const { reply, warnings } = started(screening, facts);
    warnings.raiseByModel(alertOf(category), named);
    return { opening: textOf(reply.parts), ...reply.findings };
  };

  test.each<Category>(["suicidal-thoughts", "self-harm", "abuse", "suicide-attempt", "pregnancy"])(
    "names %s only if the screen found the same",
    (category) => {
      expect(raised(category, true).category).toBeNull();
      expect(raised(category, true, found("infection", SUSPICION)).category).toBeNull();
      expect(raised(category, true, found(category, SUSPICION)).category).toBe(category);
    },
  );

  test("treats thoughts of suicide and an attempt as the same", () => {
    expect(raised("suicide-attempt", true, found("suicidal-thoughts")).opening).toContain("weapons");
  });

  test("does not mention pregnancy either when the record rules it out", () => {
    expect(raised("pregnancy", true, found("pregnancy", SUSPICION), { gender: "male" }).category).toBeNull();
  });
});

test("a higher level has a fixed text of its own, and a lower one changes nothing", () => {
  const { reply, warnings, announced } = started(found("self-harm"));
  warnings.raiseByModel(alertOf("bleeding"), true);
  warnings.raiseByModel(alertOf("abuse"), true);
  expect(announced.map(({ category }) => category)).toEqual(["self-harm", "bleeding"]);
  expect(reply.parts).toMatchObject([
    { kind: "alert", level: "crisis", category: "self-harm" },
    { kind: "alert", level: "emergency", category: "bleeding" },
  ]);
});

test("the offer to go on talking stands between the text of a crisis and the model's words, once", () => {
  const { reply, warnings } = started(found("suicidal-thoughts"));
  expect(warnings.above()).toMatch(/I am here to go on talking, too, if you would like that\.$/);
  for (const words of ["\n", "Tell ", "me more."]) {
    warnings.speak(words);
  }
  expect(reply.parts).toMatchObject([{ kind: "alert" }, { kind: "offer" }, { kind: "words", text: "Tell me more." }]);
  const emergency = started(found("suicide-attempt"));
  expect(emergency.warnings.above()).toBe(textOf(emergency.reply.parts));
});

test("an alert is counted once for each level, by what decided it", () => {
  const metrics = captureMetrics();
  const { warnings } = started(found("suicidal-thoughts"));
  warnings.raiseByModel(alertOf("suicidal-thoughts"), true);
  warnings.raiseByModel(alertOf("cardiac"), true);
  const written = metrics();
  jest.restoreAllMocks();
  expect(written).toMatchObject([
    { name: "SafetyAlerts", value: 1, dimensions: { level: "crisis", by: "screen" } },
    { name: "SafetyAlerts", value: 1, dimensions: { level: "emergency", by: "model" } },
  ]);
});
