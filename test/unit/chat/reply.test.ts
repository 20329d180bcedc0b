import "../../helpers/service/help-lines.ts";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { type Answer, ReplyWriter, replay, type Told } from "../../../shared/chat/reply.ts";
import { alertOf, type Category } from "../../../shared/safety/alert.ts";
import type { Caution } from "../../../shared/safety/cautions.ts";
import type { Safety } from "../../../shared/safety/findings.ts";
import { offerText } from "../../../shared/safety/fixed-texts.ts";
import { screen } from "../../../shared/safety/screen.ts";
import { type Finding, LANGUAGES, type Screening } from "../../../shared/safety/screening.ts";
import { messageSafety } from "../../../shared/threads/message-safety.ts";
import { captureMetrics } from "../../helpers/service/metrics.ts";

const found = (category: Category, rest: Partial<Finding> = {}): Screening => ({
  language: "en",
  finding: { alert: alertOf(category), certainty: "certain", decidedBy: "rule", categoryCertain: true, ...rest },
});
const NOTHING: Screening = { language: "en", finding: undefined };
const SUSPICION = { certainty: "suspected", decidedBy: "classifier", categoryCertain: false } as const;
const CAUTION: Caution = { kind: "allergy", allergy: "penicillin", drug: "amoxicillin", group: "penicillins" };

const GENERAL_EMERGENCY =
  /^This could be an emergency\. Call 911 now, or have someone call\. Do not stay alone\. If you are .* call or text 988/;
const GENERAL_CRISIS = /^What you describe sounds very hard/;

/** The texts and findings that are sent, in order. */
function recording() {
  const sent: (string | Safety)[] = [];
  return { sent, put: (event: string | Safety) => sent.push(event) };
}

/** A streamed reply with the sent texts and findings in order. */
function streamed(screening: Screening, facts: Record<string, unknown> = {}, said = "") {
  const { sent, put } = recording();
  const writer = new ReplyWriter({ onText: put, onSafety: put }, screening, facts, said);
  return { writer, sent, told: writer.begin() };
}

/** Starts a reply that is not streamed. */
function started(screening: Screening, facts: Record<string, unknown> = {}, said = "") {
  const writer = new ReplyWriter({}, screening, facts, said);
  return { writer, told: writer.begin() };
}

/** Returns the fixed text of a reply that is not streamed. */
const openingOf = (screening: Screening, facts = {}, said = "") => started(screening, facts, said).told.warning.text;

const answered = (told: Told, words = told.words): Answer => ({ kind: "answered", ...told, words });
const unanswered = (told: Told): Answer => ({ kind: "unanswered", ...told, failure: new Error("failure") });
const held = (told: Told): Answer => ({ kind: "held", ...told, by: "Ana" });

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
    const text = openingOf(screen(message), {}, message);
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
    const text = openingOf(screen(message), {}, message);
    expect(text).toMatch(/911/);
    expect(text).toContain("988");
    expect(text).toContain("1-800-222-1222");
  });

  test("has poison control if the model gives no verdict on a suspected poisoning", () => {
    const { writer, told } = started(found("poisoning", SUSPICION), {}, "I accidentally took my pills twice");
    expect(told.warning.safety).toMatchObject({ certainty: "suspected", category: "poisoning" });
    expect(writer.decide(told, undefined).warning.text).toMatch(/911.*1-800-222-1222/s);
  });

  test.each([{ gender: "male" }, { gender: " M " }, { gender: "female", age: 61 }, { age: 9.5 }])(
    "does not mention pregnancy to %j",
    (facts) => {
      const { writer, sent, told } = streamed(found("pregnancy"), facts);
      expect(writer.end(answered(told, "I am here."), []).text).toMatch(GENERAL_EMERGENCY);
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
});

describe("an alert raised by the model", () => {
  const raised = (category: Category, named: boolean, screening = NOTHING, facts = {}) => {
    const { writer, told } = started(screening, facts);
    const { text, safety } = writer.raiseByModel(told, alertOf(category), named).warning;
    return { opening: text, ...safety };
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

describe("the safety event of a stream", () => {
  test("comes again, before the fixed text, when the model raises the level; a lower level changes nothing", () => {
    const { writer, sent, told } = streamed(found("self-harm"));
    const raised = writer.raiseByModel(told, alertOf("bleeding"), true);
    expect(writer.raiseByModel(raised, alertOf("abuse"), true)).toEqual(raised);
    expect(sent.map((event) => (typeof event === "string" ? "text" : event.category))).toEqual([
      "self-harm",
      "text",
      "bleeding",
      "text",
    ]);
  });
});

describe("an alert that the model raises in the middle of its answer", () => {
  const says = (writer: ReplyWriter, told: Told) =>
    writer.speak(writer.raiseByModel(writer.speak(told, "Sure."), alertOf("stroke"), true), "\n\nDo not wait.");

  test("interrupts a stream with its fixed text, and the response is what was sent", () => {
    const { writer, sent, told } = streamed(NOTHING);
    const { text } = writer.end(answered(says(writer, told)), []);
    expect(text).toMatch(/^Sure\.\n\nThis could be an emergency\..*[^\n]\n\nDo not wait\.$/s);
    expect(sent.filter((event) => typeof event === "string").join("")).toBe(text);
  });

  test("interrupts a replay too, and is read back as a text of its own", () => {
    const { writer, told } = streamed(NOTHING);
    const { text, report } = writer.end(answered(says(writer, told)), [CAUTION]);
    const { sent, put } = recording();
    replay(text, report, { onText: put, onSafety: put });
    expect(sent).toEqual([
      expect.objectContaining({ level: "none" }),
      "Sure.",
      expect.objectContaining({ category: "stroke", certainty: "certain", cautions: [] }),
      expect.stringMatching(/^\n\nThis could be an emergency\..*[^\n]$/s),
      "\n\nDo not wait.",
      expect.objectContaining({ cautions: [expect.anything()] }),
      expect.stringMatching(/^\n\nCaution: /),
    ]);
    expect(sent.filter((event) => typeof event === "string").join("")).toBe(text);
    const safety = messageSafety({ answer: text, replay: report });
    expect([safety?.alertText, ...(safety?.cautions ?? []).map((caution) => caution.text)]).toEqual(
      [sent[3], sent[6]].map((part) => String(part).trim()),
    );
  });

  test("is read back from the beginning of the reply if a person takes over, and the words are dropped", () => {
    const { writer, told } = streamed(NOTHING);
    const { text: answer, report: replay } = writer.endHeld(says(writer, told), "Ana", []);
    const alertText = messageSafety({ answer, replay })?.alertText ?? "";
    expect(alertText).toMatch(/^This could be an emergency\..*[^\n]$/s);
    expect(answer.replace(alertText, "")).toMatch(/^\n\nAna has taken over/);
  });

  test.each(["Ana", undefined])("is stored if a person (%j) has taken over in the meantime", (by) => {
    const { writer, told } = streamed(NOTHING);
    expect(writer.endHeld(says(writer, told), by, []).text).toMatch(/^This could be an emergency\./);
  });

  test("is at the beginning of a response that is not streamed", () => {
    const { writer, told } = started(NOTHING);
    const raised = writer.raiseByModel(told, alertOf("stroke"), true);
    expect(writer.end(answered(raised, "Sure."), []).text).toMatch(/^This could be an emergency\..*\n\nSure\.$/s);
  });
});

describe("the offer to go on talking in a crisis", () => {
  const OFFER = "I am here to go on talking, too, if you would like that.";
  const crisis = found("suicidal-thoughts");
  const offers = (text: string) => text.split(OFFER).length - 1;

  test("leads over to the model's words, and is followed by nothing but them in a stream", () => {
    const { writer, sent, told } = streamed(crisis);
    const spoken = writer.speak(writer.speak(writer.speak(told, "\n"), "Tell "), "me more.");
    const { text, report } = writer.end(answered(spoken), []);
    expect(sent.filter((event) => typeof event === "string").slice(1)).toEqual([
      `\n\n${OFFER}`,
      "\n\nTell ",
      "me more.",
    ]);
    expect(text.slice(report.from)).toBe(`\n\n${OFFER}\n\nTell me more.`);
    const whole = started(crisis);
    expect(whole.writer.end(answered(whole.writer.speak(whole.told, "Tell me more.")), []).text).toBe(text);
  });

  test("is part of what the model knows that its answer stands below, and of no other level's text", () => {
    const above = (screening: Screening) => started(screening).writer.above(started(screening).told);
    expect(above(crisis).endsWith(`\n\n${OFFER}`)).toBe(true);
    for (const screening of [found("suicide-attempt"), NOTHING]) {
      expect(offers(above(screening))).toBe(0);
    }
  });

  test.each(LANGUAGES)("is not made in %s if the model does not answer, or a person has taken over", (language) => {
    const offer = offerText(language);
    for (const begin of [started, streamed]) {
      const reply = (end: (writer: ReplyWriter, told: Told) => { text: string }) => {
        const { writer, told } = begin({ ...crisis, language });
        return end(writer, told).text;
      };
      expect(reply((writer, told) => writer.end(answered(writer.speak(told, "Ok.")), []))).toContain(offer);
      expect(reply((writer, told) => writer.end(unanswered(told), []))).not.toContain(offer);
      expect(reply((writer, told) => writer.end(held(told), []))).not.toContain(offer);
      for (const by of ["Ana", undefined]) {
        expect(reply((writer, told) => writer.endHeld(writer.speak(told, "Ok."), by, []))).not.toContain(offer);
      }
    }
  });

  test("stands once before the words that follow an alert in the middle of an answer, and not if they do not follow", () => {
    const { writer, told } = streamed(NOTHING);
    const raised = writer.raiseByModel(writer.speak(told, "Sure."), alertOf("abuse"), false);
    expect(offers(writer.end(answered(raised), []).text)).toBe(0);
    const spoken = writer.speak(writer.speak(raised, "You are"), " not alone.");
    const { text } = writer.end(answered(spoken), []);
    expect(text).toMatch(new RegExp(`^Sure\\.\n\n.*\n\n${OFFER}\n\nYou are not alone\\.$`, "s"));
    expect(offers(text)).toBe(1);
  });
});

describe("cautions", () => {
  const CAUTION_TEXT = /^\n\nCaution: the record lists an allergy to penicillin/;

  test.each([
    ["the model's answer", answered, "Ask first.", /Ask first\.$/],
    ["a part of it", unanswered, "Ask", /^Ask\n\n.*\n\nThe rest of this answer could not be given\.$/s],
    ["what says that there is none", unanswered, "", /I cannot give you an answer right now\.$/],
    ["what says that a person has taken over", held, "", /Ana has taken over .* call 911\.$/],
  ])("follow %s, after a safety event that announces them", (_, answer, words, before) => {
    const { writer, sent, told } = streamed(NOTHING);
    const { text, report } = writer.end(answer(writer.speak(told, words)), [CAUTION]);
    expect(text.slice(0, report.to)).toMatch(before);
    expect(text.slice(report.to)).toMatch(CAUTION_TEXT);
    const [announced, caution] = sent.slice(-2);
    expect(announced).toMatchObject({ cautions: [{ kind: "allergy", drug: "amoxicillin", because: "penicillin" }] });
    expect(caution).toMatch(CAUTION_TEXT);
  });
});

describe("the neutral text", () => {
  const LINE = "If this may be an emergency, call 911. If you are thinking of harming yourself, call or text 988";
  const suspicion = () => streamed(found("cardiac", SUSPICION));

  test("precedes the answer to a suspected message without a verdict", () => {
    const { writer, sent, told } = suspicion();
    const { text, alert } = writer.end(answered(writer.speak(writer.decide(told, undefined), "Rest.")), []);
    expect(text).toMatch(new RegExp(`^${LINE}.*\\.\\n\\nRest\\.$`));
    expect(alert).toBeUndefined();
    expect(sent.filter((event) => typeof event === "string").join("")).toBe(text);
  });

  test("is not repeated if the model then fails", () => {
    const { writer, told } = suspicion();
    const decided = writer.decide(told, undefined);
    expect(writer.end(unanswered(decided), []).text.split(LINE)).toHaveLength(2);
    expect(writer.end(unanswered(decided), []).text).toMatch(/\n\nI cannot give you an answer right now\.$/);
    const cut = writer.end(unanswered(writer.speak(decided, "Rest and")), []).text;
    expect(cut).toMatch(/\n\nRest and\n\nThe rest of this answer could not be given\.$/);
    expect(cut.split(LINE)).toHaveLength(2);
  });

  test("is not needed once the model has judged", () => {
    const { writer, told } = suspicion();
    expect(writer.decide(told, { alert: undefined, named: false }).warning).toMatchObject({ text: "" });
    const raised = writer.decide(told, { alert: alertOf("stroke"), named: true });
    expect(raised.warning.text).toMatch(/^This could be an emergency/);
    expect(writer.decide(raised, undefined)).toBe(raised);
  });
});

test("a streamed reply is exactly what was sent, even if the model stops in the middle of its words", () => {
  const { writer, sent, told } = streamed(found("self-harm"));
  const raised = writer.raiseByModel(told, alertOf("bleeding"), true);
  const { text, report } = writer.end(unanswered(writer.speak(writer.speak(raised, "Press "), "hard")), []);
  expect(sent.filter((event) => typeof event === "string").join("")).toBe(text);
  expect(text.slice(0, report.from)).toContain("not only for the wounds");
  expect(text.slice(report.from)).toMatch(/^\n\nPress hard\n\n\w+/);
  expect(report.to).toBe(text.length);
});

describe("the disclosure below an answer", () => {
  const LINE = "\n\nThis answer was generated by an AI, not by a health professional.";
  afterEach(() => {
    delete process.env.AI_DISCLOSURE;
  });

  test("is the last part of the reply, after the cautions, and its length is recorded", () => {
    process.env.AI_DISCLOSURE = "answers";
    const { writer, sent, told } = streamed(NOTHING);
    const { text, disclosureLength } = writer.end(answered(writer.speak(told, "Ask first.")), [CAUTION]);
    expect(text.endsWith(LINE)).toBe(true);
    expect(sent.at(-1)).toBe(LINE);
    expect(disclosureLength).toBe(LINE.length);
    expect(text.slice(0, -LINE.length)).toMatch(/^Ask first\.\n\nCaution: /);
  });

  test("follows a reply without the model, too, in the language of the message", () => {
    process.env.AI_DISCLOSURE = "answers";
    const { writer, told } = started({ ...found("stroke"), language: "fr" });
    expect(writer.end(unanswered(told), []).text).toMatch(
      /\n\nCette réponse a été générée par une intelligence artificielle/,
    );
  });
});

test("an alert is counted once for each level, by what decided it", () => {
  const metrics = captureMetrics();
  const { writer, told } = streamed(found("suicidal-thoughts"));
  const same = writer.raiseByModel(told, alertOf("suicidal-thoughts"), true);
  writer.raiseByModel(same, alertOf("cardiac"), true);
  const written = metrics();
  jest.restoreAllMocks();
  expect(written).toMatchObject([
    { name: "SafetyAlerts", value: 1, dimensions: { level: "crisis", by: "screen" } },
    { name: "SafetyAlerts", value: 1, dimensions: { level: "emergency", by: "model" } },
  ]);
});
