import { expect, test } from "@jest/globals";
import { modelVariables } from "../../../shared/model/model-features.ts";

const features = (name: string, baseUrl = "", given = {}) => {
  const { OPENAI_REASONING_EFFORT, OPENAI_PROMPT_CACHE } = modelVariables("OPENAI", name, baseUrl, given);
  return [OPENAI_REASONING_EFFORT, OPENAI_PROMPT_CACHE];
};

test.each([
  ["gpt-6-luna", "none", "breakpoints"],
  ["gpt-6.1-terra", "none", "breakpoints"],
  ["gpt-5.6-luna", "none", "breakpoints"],
  ["gpt-5.5", "none", "key"],
  ["gpt-5.4-mini", "none", "in-memory"],
  ["gpt-5.4-mini-2026-03-17", "none", "in-memory"],
  ["gpt-5-mini", "", "off"],
  ["gpt-5.2-chat-latest", "", "off"],
  ["gpt-5.2-pro", "", "off"],
  ["gpt-4.1-mini", "", "off"],
])("the features of %s follow from its name", (name, effort, cache) => {
  expect(features(name)).toEqual([effort, cache]);
});

test("a model of another provider has no features by default, whatever its name", () => {
  expect(features("gpt-6-luna", "https://models.example.test/v1")).toEqual(["", "off"]);
});

test("explicit settings take precedence, even empty ones", () => {
  const given = { reasoningEffort: "low", promptCache: "key" };
  expect(features("a-model", "https://models.example.test/v1", given)).toEqual(["low", "key"]);
  expect(features("gpt-6-luna", "", { reasoningEffort: "" })).toEqual(["", "breakpoints"]);
});

test("a fallback model has its own variables", () => {
  expect(modelVariables("FALLBACK", "gpt-5.4-mini", "")).toEqual({
    FALLBACK_MODEL: "gpt-5.4-mini",
    FALLBACK_BASE_URL: "",
    FALLBACK_REASONING_EFFORT: "none",
    FALLBACK_PROMPT_CACHE: "in-memory",
  });
});

test.each([
  ["openai.gpt-6-luna", "none"],
  ["global.openai.gpt-6-luna", "none"],
  ["openai.gpt-oss-120b", ""],
])(
  "%s on Bedrock has the reasoning effort that follows from its name, and no prompt cache by default",
  (name, effort) => {
    expect(modelVariables("OPENAI", name, "", {}, { endpoint: "runtime", region: "us-east-1" })).toEqual({
      OPENAI_MODEL: name,
      OPENAI_BASE_URL: "",
      OPENAI_REASONING_EFFORT: effort,
      OPENAI_PROMPT_CACHE: "off",
      BEDROCK_ENDPOINT: "runtime",
      BEDROCK_REGION: "us-east-1",
    });
  },
);
