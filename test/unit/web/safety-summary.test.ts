import { expect, test } from "@jest/globals";
import type { Safety } from "../../../client/client.js";
import { safetySummary } from "../../../web/playground/safety-summary.ts";

const NONE: Safety = { level: "none", category: null, certainty: null, decidedBy: null, cautions: [] };
const CAUTION = { kind: "allergy", drug: "amoxicillin", because: "penicillin" } as const;

test.each<[Partial<Safety>, string, string]>([
  [{}, "nothing found", "clear"],
  [{ decidedBy: "model" }, "nothing found, decided by the model", "clear"],
  [{ cautions: [CAUTION] }, "caution: amoxicillin (allergy: penicillin)", "watch"],
  [
    { level: "emergency", category: "cardiac", certainty: "certain", decidedBy: "rule" },
    "emergency (cardiac), certain, decided by a rule",
    "serious",
  ],
  [
    { level: "crisis", certainty: "suspected", decidedBy: "classifier", cautions: [CAUTION] },
    "crisis, suspected, decided by the classifier; caution: amoxicillin (allergy: penicillin)",
    "watch",
  ],
])("summarizes %j", (found, text, tone) => {
  expect(safetySummary({ ...NONE, ...found })).toEqual({ text: `Safety check: ${text}`, tone });
});
