import { describe, expect, test } from "@jest/globals";
import { readSettings } from "../../../local/settings.ts";
import { SetupError } from "../../../packages/lambda-local/setup-error.ts";

const ENVIRONMENT = {
  PORT: "8080",
  HOST: "::1",
  API_KEY: "key-of-mine",
  DATA_DIR: "data",
  OPENAI_API_KEY: "model-key",
  OPENAI_BASE_URL: "http://127.0.0.1:11434/v1",
  OPENAI_MODEL: "some-model",
  DYNAMODB_ENDPOINT: "http://127.0.0.1:8000",
  DYNAMODB_LOCAL_DIR: "dynamodb-local",
  CHAT_CONCURRENCY: "100",
  THREAD_IDLE_SECONDS: "5",
  SWEEP_INTERVAL_SECONDS: "2",
  SECRETS_CACHE_SECONDS: "3",
  FALLBACK_MODEL: "other-model",
  FALLBACK_BASE_URL: "http://127.0.0.1:11435/v1",
  FALLBACK_API_KEY: "other-key",
  MODEL_TOTAL_MILLISECONDS: "5000",
  OPENAI_REASONING_EFFORT: "low",
  FALLBACK_PROMPT_CACHE: "key",
  COUNTRY: "NZ",
  AI_DISCLOSURE: "answers",
  HANDOFF_MINUTES: "15",
  OPENAI_SYSTEM_MESSAGES: "reject",
  CONSENT_REQUIRED: "2026-03",
  CORS_ORIGIN: "http://localhost:5173",
};

describe("the settings of the local service", () => {
  test("have the documented defaults", () => {
    const documented = { port: 3000, host: "127.0.0.1", apiKey: "local-dev-key", dataDir: ".local" };
    expect(readSettings({})).toMatchObject({ ...documented, model: undefined });
  });

  test("are read from the environment", () => {
    expect(readSettings(ENVIRONMENT)).toEqual({
      port: 8080,
      fallbackModel: { name: "other-model", baseUrl: "http://127.0.0.1:11435/v1", key: "other-key" },
      variables: {
        OPENAI_REASONING_EFFORT: "low",
        FALLBACK_PROMPT_CACHE: "key",
        HANDOFF_MINUTES: "15",
        MODEL_TOTAL_MILLISECONDS: "5000",
        EMERGENCY_NUMBER: "111",
        CRISIS_LINE: "1737",
        CRISIS_LINE_BY: "both",
        POISON_CONTROL: "0800 764 766",
        ABUSE_LINE: "0800 733 843 (Women's Refuge)",
        AI_DISCLOSURE: "answers",
        OPENAI_SYSTEM_MESSAGES: "reject",
        CONSENT_REQUIRED: "2026-03",
      },
      host: "::1",
      apiKey: "key-of-mine",
      dataDir: "data",
      model: { name: "some-model", baseUrl: "http://127.0.0.1:11434/v1", key: "model-key" },
      dynamoDbEndpoint: "http://127.0.0.1:8000",
      dynamoDbLocalDir: "dynamodb-local",
      corsOrigin: "http://localhost:5173",
      chatConcurrency: 100,
      idleSeconds: 5,
      sweepIntervalSeconds: 2,
      secretsCacheSeconds: 3,
    });
  });

  test.each([
    ["a key", { OPENAI_API_KEY: "model-key" }, { name: undefined, baseUrl: undefined, key: "model-key" }],
    [
      "a base URL, whose server may need no key",
      { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" },
      { name: undefined, baseUrl: "http://127.0.0.1:1/v1", key: expect.stringMatching(/./) },
    ],
  ])("use a real model with %s", (_, env, model) => {
    expect(readSettings(env).model).toEqual(model);
  });

  test("use the offline model when only a model name is set", () => {
    expect(readSettings({ OPENAI_MODEL: "some-model" }).model).toBeUndefined();
  });

  test.each([
    ["PORT", "0", "65535"],
    ["THREAD_IDLE_SECONDS", "1", "86400"],
    ["CORS_ORIGIN", "*", "https://app.example.test"],
    ["API_KEY", "~key!"],
  ])("accept %s=%s", (name, ...values) => {
    for (const value of values) {
      expect(() => readSettings({ [name]: value })).not.toThrow();
    }
  });

  test.each([
    ["PORT", "65536", "-1", "80.5", "http"],
    ["CHAT_CONCURRENCY", "0", "1001", "many"],
    ["THREAD_IDLE_SECONDS", "0", "30m", "86401"],
    ["OPENAI_BASE_URL", "api.example.test/v1", "https://"],
    ["DYNAMODB_ENDPOINT", "127.0.0.1:8000", "file:///tmp/database"],
    ["CORS_ORIGIN", "https://app.example.test/", "app.example.test", "https://a.example.test, https://b.example.test"],
    ["AI_DISCLOSURE", "silly"],
    ["HANDOFF_MINUTES", "0", "21"],
    ["OPENAI_REASONING_EFFORT", "much"],
    ["CONSENT_REQUIRED", "the text of March", "-1"],
    ["COUNTRY", "Germany"],
  ])("reject %s=%s in one sentence that names the variable and its valid values", (name, ...values) => {
    for (const value of values) {
      const read = () => readSettings({ [name]: value });
      expect(read).toThrow(SetupError);
      expect(read).toThrow(new RegExp(`^${name} is [^\\n]*; it must be [^\\n]*\\.$`));
    }
  });

  test.each([{ EMERGENCY_NUMBER: "112" }, { COUNTRY: "DE", CRISIS_LINE: "988" }])(
    "reject phone numbers of different countries: %j",
    (env) => {
      expect(() => readSettings(env)).toThrow(SetupError);
      expect(() => readSettings(env)).toThrow(
        /^(EMERGENCY_NUMBER is set without CRISIS_LINE|CRISIS_LINE is "988", but COUNTRY DE)/,
      );
    },
  );

  test.each(["API_KEY", "OPENAI_API_KEY", "FALLBACK_API_KEY"])(
    "reject %s with a character that no header can carry, without quoting it",
    (name) => {
      for (const value of ["clé-secrète", "two words", "line\nbreak"]) {
        const read = () => readSettings({ FALLBACK_MODEL: "other-model", [name]: value });
        expect(read).toThrow(
          `${name} has a character that no header can carry; use letters, digits and ASCII punctuation only.`,
        );
        expect(read).not.toThrow(value);
      }
    },
  );

  test.each([{ FALLBACK_BASE_URL: "http://127.0.0.1:1/v1" }, { FALLBACK_API_KEY: "other-key" }])(
    "reject a fallback without a model: %j",
    (env) => {
      expect(() => readSettings(env)).toThrow(/^FALLBACK_MODEL is missing; set it to [^\n]*\.$/);
    },
  );
});
