import { describe, expect, test } from "@jest/globals";
import type { Safety } from "../../../client/client.js";
import { AnswerParts } from "../../../web/playground/answer-parts.ts";

const NONE: Safety = { level: "none", category: null, certainty: null, decidedBy: null, cautions: [] };
const CRISIS: Safety = { ...NONE, level: "crisis", certainty: "certain", decidedBy: "rule" };
const EMERGENCY: Safety = { ...NONE, level: "emergency", certainty: "certain", decidedBy: "model" };
const CAUTION = { kind: "allergy", drug: "amoxicillin", because: "penicillin" } as const;

/** The parts of an answer that arrives as these events. A string is a piece of text. */
function partsOf(events: (Safety | string)[]) {
  const parts = new AnswerParts();
  for (const event of events) {
    if (typeof event === "string") {
      parts.push(event);
    } else {
      parts.noteSafety(event);
    }
  }
  return parts.all;
}

describe("the parts of a streamed answer", () => {
  test.each<[string, (Safety | string)[], { kind?: string; text: string }[]]>([
    [
      "ordinary words are one part",
      [NONE, "I am", " here.\n\nTell me more."],
      [{ text: "I am here.\n\nTell me more." }],
    ],
    ["an empty answer has no parts", [NONE], []],
    [
      "a fixed text is separate from the words after it, whatever it says",
      [CRISIS, "Call us.\n\nAny time.", "\n\nI am", " here."],
      [{ kind: "crisis", text: "Call us.\n\nAny time." }, { text: "I am here." }],
    ],
    [
      "a crisis that turns out to be an emergency has both fixed texts",
      [CRISIS, "Call us.", EMERGENCY, "\n\nCall 911.", "\n\nI am here."],
      [{ kind: "crisis", text: "Call us." }, { kind: "emergency", text: "Call 911." }, { text: "I am here." }],
    ],
    [
      "a suspicion has no fixed text",
      [{ ...EMERGENCY, certainty: "suspected", decidedBy: "classifier" }, "I am here.", NONE],
      [{ text: "I am here." }],
    ],
    [
      "each caution is a separate part, also after an alert's answer",
      [EMERGENCY, "Call 911.", "\n\nWait.", { ...EMERGENCY, cautions: [CAUTION, CAUTION] }, "\n\nOne.", "\n\nTwo."],
      [
        { kind: "emergency", text: "Call 911." },
        { text: "Wait." },
        { kind: "caution", text: "One." },
        { kind: "caution", text: "Two." },
      ],
    ],
    [
      "cautions are separate parts of a repeated answer too, in which they arrive together",
      [NONE, "Wait.", { ...NONE, cautions: [CAUTION, CAUTION] }, "\n\nOne.\n\nTwo.\n\nI am an AI."],
      [
        { text: "Wait." },
        { kind: "caution", text: "One." },
        { kind: "caution", text: "Two." },
        { text: "I am an AI." },
      ],
    ],
  ])("%s", (_, events, parts) => {
    expect(partsOf(events)).toEqual(parts);
  });
});
