import { expect, test } from "@jest/globals";
import { applyModelLimits } from "../../../local/model-limits.ts";
import { problemIn } from "../../../local/problem-line.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";

/** The limits of a chat with local settings: of its function and its route, and the function's own. */
function limitsOf(path: string, settings: Record<string, string>) {
  const template = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  applyModelLimits(template, settings);
  const route = template.routes.find((each) => each.path === path);
  const fn = template.functions.get(route?.functionId ?? "");
  return {
    function: fn?.timeoutSeconds,
    gateway: route?.timeoutMilliseconds,
    total: fn?.environment.MODEL_TOTAL_MILLISECONDS,
    firstWord: fn?.environment.MODEL_FIRST_TOKEN_MILLISECONDS,
  };
}

const DEFAULT = { function: 28, gateway: 29_000, total: "21000", firstWord: "12000" };

test.each([
  [{}, DEFAULT],
  [{ MODEL_CONTEXT_TOKENS: "8000" }, DEFAULT],
  [{ MODEL_TOTAL_MILLISECONDS: "120000" }, { function: 127, gateway: 128_000, total: "120000", firstWord: "68571" }],
  [
    { MODEL_TOTAL_MILLISECONDS: "1000000" },
    { function: 1_007, gateway: 1_008_000, total: "1000000", firstWord: "571429" },
  ],
  [{ MODEL_TOTAL_MILLISECONDS: "5000" }, { ...DEFAULT, total: "5000" }],
  [
    { MODEL_TOTAL_MILLISECONDS: "120000", MODEL_FIRST_TOKEN_MILLISECONDS: "110000" },
    { function: 127, gateway: 128_000, total: "120000", firstWord: "110000" },
  ],
  [
    { MODEL_FIRST_TOKEN_MILLISECONDS: "60000" },
    { function: 112, gateway: 113_000, total: "105000", firstWord: "60000" },
  ],
  [{ MODEL_FIRST_TOKEN_MILLISECONDS: "2000" }, { ...DEFAULT, firstWord: "2000" }],
])("a limit of the model is as it was set, and what contains it waits as long: %j", (settings, limits) => {
  for (const path of ["/chat", "/openai/v1/chat/completions"]) {
    expect(limitsOf(path, settings)).toEqual(limits);
  }
});

test("what does not call a model keeps its time", () => {
  const longer = limitsOf("/patients/{id}", { MODEL_TOTAL_MILLISECONDS: "120000" });
  expect(longer).toEqual(limitsOf("/patients/{id}", {}));
});

const line = (level: string, message: object) => JSON.stringify({ level, message });

test.each([
  ["first-word", 12_000, /^warn: model-failure timeout: .*MODEL_FIRST_TOKEN_MILLISECONDS is 12000; .*set it/],
  ["total", 21_000, /^warn: model-failure timeout: .*MODEL_TOTAL_MILLISECONDS is 21000; .*set it/],
  ["fixed", 2_000, /2000 milliseconds, which is fixed/],
  [undefined, undefined, /^warn: model-failure timeout$/],
])("the terminal says which limit ended an answer, and how to raise it: %s", (limit, limitMs, text) => {
  expect(problemIn(line("WARN", { event: "model-failure", reason: "timeout", limit, limitMs }))).toMatch(text);
});

test.each([
  ["nothing of an ordinary line", line("INFO", { event: "request" }), undefined],
  [
    "an error",
    line("ERROR", { errorName: "TypeError", code: "ECONNREFUSED" }),
    "error: failure TypeError ECONNREFUSED",
  ],
  ["what is no log line", "Segmentation fault", "Segmentation fault"],
])("the terminal shows %s", (_, logged, shown) => {
  expect(problemIn(logged)).toBe(shown);
});
