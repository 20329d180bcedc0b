import "../../helpers/service/help-lines.ts";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import type { Safety } from "../../../shared/chat/chat-response.ts";
import { Reply } from "../../../shared/chat/reply.ts";
import { writeMetrics } from "../../../shared/metrics.ts";
import { alertOf, type Category } from "../../../shared/safety/alert.ts";
import type { Caution } from "../../../shared/safety/cautions.ts";
import type { Finding, Screening } from "../../../shared/safety/screening.ts";
import { captureMetrics } from "../../helpers/service/metrics.ts";

const found = (category: Category, rest: Partial<Finding> = {}): Screening => ({
  language: "en",
  finding: { alert: alertOf(category), certainty: "certain", decidedBy: "rule", categoryCertain: true, ...rest },
});
const NOTHING: Screening = { language: "en", finding: undefined };
const SUSPICION = { certainty: "suspected", decidedBy: "classifier", categoryCertain: false } as const;
const CAUTION: Caution = { kind: "allergy", allergy: "penicillin", drug: "amoxicillin", group: "penicillins" };

const GENERAL_EMERGENCY = /^This could be an emergency\. Call 911 now, or have someone call\. Do not stay alone\.\n\n/;
const GENERAL_CRISIS = /^What you describe sounds very hard/;

/** A streamed reply with the sent texts and findings in order. */
function streamed(screening: Screening, facts: Record<string, unknown> = {}) {
  const sent: (string | Safety)[] = [];
  const put = (event: string | Safety) => sent.push(event);
  const reply = new Reply({ onText: put, onSafety: put }, screening, facts);
  reply.begin();
  return { reply, sent };
}

/** Returns the fixed text of a reply that is not streamed. */
function openingOf(screening: Screening, facts: Record<string, unknown> = {}): string {
  const reply = new Reply({}, screening, facts);
  reply.begin();
  return reply.opening;
}

describe("the fixed text for a finding", () => {
  test("names its category if that is certain", () => {
    expect(openingOf(found("pregnancy"))).toContain("vagina");
    expect(openingOf(found("self-harm"))).toContain("not only for the wounds");
  });

  test.each<[Category, RegExp]>([
    ["cardiac", GENERAL_EMERGENCY],
    ["suicide-attempt", GENERAL_EMERGENCY],
    ["suicidal-thoughts", GENERAL_CRISIS],
    ["abuse", GENERAL_CRISIS],
  ])("is the general text of its level if the category %s is not certain", (category, text) => {
    expect(openingOf(found(category, { categoryCertain: false }))).toMatch(text);
  });

  test.each([{ gender: "male" }, { gender: " M " }, { gender: "female", age: 61 }, { age: 9.5 }])(
    "does not mention pregnancy to %j",
    (facts) => {
      const { reply, sent } = streamed(found("pregnancy"), facts);
      expect(reply.end("I am here.", [])).toMatch(GENERAL_EMERGENCY);
      expect(JSON.stringify(sent)).not.toMatch(/pregnan|vagina/);
      expect(openingOf(found("cardiac"), facts)).toContain("half upright");
    },
  );

  test.each([{}, { gender: "female", age: 60 }, { gender: "female", age: 10 }, { gender: "trans man" }])(
    "includes advice for pregnancy to %j",
    (facts) => {
      expect(openingOf(found("pregnancy"), facts)).toContain("vagina");
    },
  );

  test.each<[Screening["language"], RegExp]>([
    ["es", /911.*Soy una inteligencia artificial/s],
    ["zh-Hant", /911/],
  ])("is in the language of the message: %s", (language, text) => {
    const opening = openingOf({ ...found("cardiac"), language });
    expect(opening).toMatch(text);
    expect(opening).not.toContain("emergency");
  });
});

describe("an alert raised by the model", () => {
  const raised = (category: Category, named: boolean, screening = NOTHING, facts = {}) => {
    const reply = new Reply({}, screening, facts);
    reply.begin();
    reply.raiseByModel(alertOf(category), named);
    return { opening: reply.opening, ...reply.report.safety };
  };

  test("uses the text of the emergency category that the model names", () => {
    const { opening, ...safety } = raised("stroke", true);
    expect(opening).toContain("Note the time");
    expect(safety).toMatchObject({ level: "emergency", category: "stroke", certainty: "certain", decidedBy: "model" });
  });

  test("uses the text of its level if the model names no category", () => {
    expect(raised("other", false)).toMatchObject({ opening: expect.stringMatching(GENERAL_EMERGENCY), category: null });
    expect(raised("suicidal-thoughts", false)).toMatchObject({
      opening: expect.stringMatching(GENERAL_CRISIS),
      category: null,
    });
  });

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

describe("the safety event of a stream", () => {
  const none = { level: "none", category: null, certainty: null, decidedBy: null, cautions: [] };

  test("comes with the first text if nothing was found, so that an earlier failure is a plain error", () => {
    const { reply, sent } = streamed(NOTHING);
    expect(sent).toEqual([]);
    reply.speak("I am");
    reply.speak(" here.");
    reply.end("I am here.", []);
    expect(sent).toEqual([none, "I am", " here."]);
  });

  test("comes immediately, before the fixed text, if an alert is certain", () => {
    const { sent } = streamed(found("stroke"));
    const safety = { ...none, level: "emergency", category: "stroke", certainty: "certain", decidedBy: "rule" };
    expect(sent).toEqual([safety, expect.stringContaining("Note the time")]);
  });

  test("comes immediately if an alert is suspected, and again when the model rules it out", () => {
    const { reply, sent } = streamed(found("stroke", SUSPICION));
    const suspected = { level: "emergency", category: "stroke", certainty: "suspected", decidedBy: "classifier" };
    expect(sent).toEqual([{ ...none, ...suspected }]);
    reply.ruleOut();
    reply.speak("I am here.");
    expect(reply.end("I am here.", [])).toBe("I am here.");
    expect(sent.slice(1)).toEqual(["I am here.", { ...none, decidedBy: "model" }]);
  });

  test("remains a suspicion if the model gives no verdict or does not complete its answer", () => {
    for (const ruleOut of [false, true]) {
      const { reply, sent } = streamed(found("stroke", SUSPICION));
      if (ruleOut) {
        reply.ruleOut();
        expect(reply.endWithoutModel()).toMatch(/^I cannot give you an answer right now\. .*911.*988/);
      } else {
        expect(reply.end("I am here.", [])).toBe("");
      }
      expect(sent[0]).toMatchObject({ certainty: "suspected" });
      expect(reply.report.safety).toMatchObject({ level: "emergency", certainty: "suspected" });
    }
  });

  test("comes again, before the fixed text, when the model raises the level; a lower level changes nothing", () => {
    const { reply, sent } = streamed(found("self-harm"));
    reply.raiseByModel(alertOf("bleeding"), true);
    reply.raiseByModel(alertOf("abuse"), true);
    expect(sent.map((event) => (typeof event === "string" ? "text" : event.category))).toEqual([
      "self-harm",
      "text",
      "bleeding",
      "text",
    ]);
  });

  test("comes again with the cautions, before their text", () => {
    const { reply, sent } = streamed(NOTHING);
    reply.speak("Take amoxicillin.");
    reply.end("Take amoxicillin.", [CAUTION]);
    expect(sent).toEqual([
      none,
      "Take amoxicillin.",
      { ...none, cautions: [{ kind: "allergy", drug: "amoxicillin", because: "penicillin" }] },
      expect.stringMatching(/^\n\nCaution: /),
    ]);
  });
});

test.each([true, false])("a reply records the position of the model's words (streamed: %s)", (isStreamed) => {
  const reply = new Reply(isStreamed ? { onText: () => {} } : {}, found("stroke"), {});
  reply.begin();
  if (isStreamed) {
    reply.speak("Take ");
    reply.speak("amoxicillin.");
  }
  const whole = reply.end("Take amoxicillin.", [CAUTION]);
  const { from, to } = reply.report;
  expect(whole.slice(0, from)).toBe(reply.opening);
  expect(whole.slice(from, to)).toBe("\n\nTake amoxicillin.");
  expect(whole.slice(to)).toMatch(/^\n\nCaution: the record lists an allergy/);
});

describe("the disclosure below an answer", () => {
  const LINE = "\n\nThis answer was generated by an AI, not by a health professional.";
  afterEach(() => {
    delete process.env.AI_DISCLOSURE;
  });

  test("is the last part of the reply, after the cautions, and its length is recorded", () => {
    process.env.AI_DISCLOSURE = "answers";
    const { reply, sent } = streamed(NOTHING);
    reply.speak("Ask first.");
    const text = reply.end("Ask first.", [CAUTION]);
    expect(text.endsWith(LINE)).toBe(true);
    expect(sent.at(-1)).toBe(LINE);
    expect(reply.disclosureLength).toBe(LINE.length);
    expect(text.slice(0, -LINE.length)).toMatch(/^Ask first\.\n\nCaution: /);
  });

  test("follows a reply without the model, too, in the language of the message", () => {
    process.env.AI_DISCLOSURE = "answers";
    const reply = new Reply({}, { ...found("stroke"), language: "fr" }, {});
    reply.begin();
    expect(reply.endWithoutModel()).toMatch(/\n\nCette réponse a été générée par une intelligence artificielle/);
  });

  test("is omitted unless the deployment enables it", () => {
    const { reply } = streamed(NOTHING);
    reply.speak("Rest.");
    expect(reply.end("Rest.", [])).toBe("Rest.");
    expect(reply.disclosureLength).toBe(0);
  });
});

test("a reply is answered once it contains the model's complete answer, and not without the model", () => {
  const { reply } = streamed(NOTHING);
  reply.speak("Rest.");
  expect(reply.isAnswered).toBe(false);
  reply.end("Rest.", []);
  expect(reply.isAnswered).toBe(true);
  expect(reply.report).toMatchObject({ from: 0, to: "Rest.".length });
  const { reply: other } = streamed(NOTHING);
  other.endWithoutModel();
  expect(other.isAnswered).toBe(false);
});

test("an alert is counted once for each level, by what decided it", () => {
  const metrics = captureMetrics();
  const { reply } = streamed(found("suicidal-thoughts"));
  reply.raiseByModel(alertOf("suicidal-thoughts"), true);
  reply.raiseByModel(alertOf("cardiac"), true);
  writeMetrics(undefined);
  const written = metrics();
  jest.restoreAllMocks();
  expect(written).toMatchObject([
    { name: "SafetyAlerts", value: 1, dimensions: { level: "crisis", by: "screen" } },
    { name: "SafetyAlerts", value: 1, dimensions: { level: "emergency", by: "model" } },
  ]);
});
