import { describe, expect, test } from "@jest/globals";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod/mini";
import { HISTORY_ENTRIES, HISTORY_ENTRY_LENGTH, MESSAGE_LENGTH } from "../../../shared/chat/chat-request.ts";
import { chatEndpoint as chat } from "../../../shared/chat/endpoints.ts";
import type { Endpoint } from "../../../shared/endpoint.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { LIST_ITEMS } from "../../../shared/fields.ts";
import { BODY_BYTES, jsonBody } from "../../../shared/http/parse-request.ts";
import { registry } from "../../../shared/openapi/registry.ts";
import { createPatientEndpoint as createPatient } from "../../../shared/patients/endpoints.ts";
import { METADATA_BYTES } from "../../../shared/threads/create-thread-request.ts";
import {
  createThreadEndpoint as createThread,
  deleteThreadEndpoint as deleteThread,
} from "../../../shared/threads/endpoints.ts";

function parseText(route: Endpoint, body: string | null, isBase64Encoded = false): unknown {
  const schema = registry.find(({ endpoint }) => endpoint.name === route.name)?.operation().body;
  return schema && jsonBody(schema as z.ZodMiniType)(route, { body, isBase64Encoded } as APIGatewayProxyEvent);
}

const parse = (route: Endpoint, body: unknown) => parseText(route, JSON.stringify(body));

/** Returns the error with which a body is rejected. */
function refusal(run: () => unknown): { kind: string; error: string; details: unknown } {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) {
      return { kind: error.kind, error: error.message, details: error.extra.details };
    }
    throw error;
  }
  throw new Error("the body was accepted");
}

const rejected = (route: Endpoint, body: unknown) => refusal(() => parse(route, body));

describe("the limit of", () => {
  const chatOf = (message: string) => ({ message });
  const historyOf = (length: number) => ({
    message: "hello",
    conversationHistory: Array.from({ length }, () => ({ role: "user", content: "" })),
  });
  /** Metadata of this many bytes when serialized. */
  const metadataOf = (bytes: number, character = "m") => {
    const free = bytes - '{"key":""}'.length;
    return { metadata: { key: character.repeat(free / Buffer.byteLength(character)) } };
  };
  /** A chat body of this many bytes, most of them in an ignored field. */
  const bodyOf = (bytes: number, character = "b") => {
    const free = bytes - '{"message":"hello","ignored":""}'.length;
    const count = Math.floor(free / Buffer.byteLength(character));
    const rest = " ".repeat(free - count * Buffer.byteLength(character));
    return JSON.stringify({ message: "hello", ignored: character.repeat(count) + rest });
  };

  test("a message is 16,000 characters", () => {
    expect(MESSAGE_LENGTH).toBe(16_000);
    expect(parse(chat, chatOf("m".repeat(16_000)))).toEqual(chatOf("m".repeat(16_000)));
    expect(rejected(chat, chatOf("m".repeat(16_001)))).toMatchObject({
      kind: "invalid",
      details: [{ path: "message", message: expect.any(String) }],
    });
  });

  test("a history is 100 entries", () => {
    expect(HISTORY_ENTRIES).toBe(100);
    expect(parse(chat, historyOf(100))).toEqual(historyOf(100));
    const { kind, error, details } = rejected(chat, historyOf(101));
    expect(kind).toBe("invalid");
    expect(error).toMatch(/^conversationHistory: .*100/);
    expect(details).toEqual([{ path: "conversationHistory", message: expect.stringContaining("100") }]);
  });

  test.each(["m", "é", "☂"])("metadata is 16 KB, in bytes (of %s)", (character) => {
    expect(METADATA_BYTES).toBe(16 * 1024);
    const longest = 16 * 1024 - ((16 * 1024 - 10) % Buffer.byteLength(character));
    expect(parse(createThread, metadataOf(longest, character))).toEqual(metadataOf(longest, character));
    const { kind, error, details } = rejected(
      createThread,
      metadataOf(longest + Buffer.byteLength(character), character),
    );
    expect(kind).toBe("invalid");
    expect(error).toMatch(/^metadata: .*16 KB/);
    expect(details).toEqual([{ path: "metadata", message: expect.stringContaining("16 KB") }]);
  });

  test.each(["b", "é", "☂"])("a body is 256 KB, in bytes (of %s)", (character) => {
    expect(BODY_BYTES).toBe(256 * 1024);
    expect(parseText(chat, bodyOf(256 * 1024, character))).toEqual({ message: "hello" });
    expect(refusal(() => parseText(chat, bodyOf(256 * 1024 + 1, character)))).toMatchObject({
      kind: "too-large",
      error: "Request body must not be larger than 256 KB",
    });
  });

  test("a body is 256 KB in base64, too", () => {
    const base64 = (bytes: number) => Buffer.from(bodyOf(bytes)).toString("base64");
    expect(parseText(chat, base64(256 * 1024), true)).toEqual({ message: "hello" });
    expect(refusal(() => parseText(chat, base64(256 * 1024 + 1), true)).kind).toBe("too-large");
  });

  test("a body is checked before its content: a body over the limit is not parsed", () => {
    expect(refusal(() => parseText(createPatient, "{".repeat(256 * 1024 + 1))).kind).toBe("too-large");
    expect(refusal(() => parseText(createThread, "{".repeat(6 * 1024 * 1024))).kind).toBe("too-large");
  });

  test("nesting is the depth that can be stored", () => {
    const deep = (levels: number) => `{"metadata":{"key":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    expect(parseText(createThread, deep(100))).toEqual(JSON.parse(deep(100)));
    expect(refusal(() => parseText(createThread, deep(100_000))).kind).toBe("invalid");
  });
});

describe("a list that is too long", () => {
  const LISTS: [endpoint: Endpoint, path: string, element: unknown, maxItems: number][] = [
    [createPatient, "conditions", "asthma", LIST_ITEMS],
    [createPatient, "medications", { name: "aspirin" }, LIST_ITEMS],
    [createPatient, "notes", {}, LIST_ITEMS],
    [chat, "patientData.conditions", "asthma", LIST_ITEMS],
    [chat, "patientData.allergies", { to: "nuts" }, LIST_ITEMS],
    [chat, "patientData.medications", { name: "aspirin" }, LIST_ITEMS],
    [chat, "conversationHistory", { role: "user", content: "hello" }, HISTORY_ENTRIES],
  ];
  const bodyOf = (path: string, value: unknown): unknown =>
    path.split(".").reduceRight((inner, name) => ({ [name]: inner }), value);
  const valid = { message: "hello", name: "Pat Example" };

  test.each(LISTS)("is named in the error; the maximum length is accepted: %#", (endpoint, path, element, maxItems) => {
    const listOf = (length: number) => ({ ...valid, ...(bodyOf(path, Array(length).fill(element)) as object) });
    expect(() => parse(endpoint, listOf(maxItems))).not.toThrow();
    expect(rejected(endpoint, listOf(maxItems + 1)).details).toEqual([
      { path, message: `must have at most ${maxItems} items` },
    ]);
  });
});

describe("an entry that is too long", () => {
  test("in the history is named in the error", () => {
    expect(HISTORY_ENTRY_LENGTH).toBe(32_000);
    const historyOf = (length: number) => ({
      message: "hello",
      conversationHistory: [{ role: "assistant", content: "h".repeat(length) }],
    });
    expect(() => parse(chat, historyOf(32_000))).not.toThrow();
    expect(rejected(chat, historyOf(32_001)).error).toBe(
      "conversationHistory.0.content: must have at most 32000 characters",
    );
  });

  test("in a record's allergies is named in the error", () => {
    const patientOf = (length: number) => ({ name: "Pat Example", allergies: "a".repeat(length) });
    expect(() => parse(createPatient, patientOf(16_000))).not.toThrow();
    expect(rejected(createPatient, patientOf(16_001)).details).toEqual([
      { path: "allergies", message: "must have at most 16000 characters" },
    ]);
  });

  test("or nested too deep for the call stack is named in the error", () => {
    const nested = (levels: number) =>
      `{"message":"hello","patientData":{"allergies":[${'{"a":'.repeat(levels)}1${"}".repeat(levels)}]}}`;
    expect(() => parseText(chat, nested(100))).not.toThrow();
    for (const levels of [200, 3_500]) {
      expect(refusal(() => parseText(chat, nested(levels))).details).toEqual([
        { path: "patientData.allergies.0", message: "must not be nested more than 128 levels deep" },
      ]);
    }
  });
});

describe("validation errors", () => {
  /** A body with this many errors: numbers instead of conditions. */
  const faultyBody = (faults: number) => ({ name: "Pat Example", conditions: Array(faults).fill(1) });

  test("are listed up to 20; the others are counted", () => {
    const error = (faults: number) => {
      try {
        parse(createPatient, faultyBody(faults));
      } catch (refused) {
        return (refused as ServiceError).extra as { details: unknown[]; moreDetails?: number };
      }
      throw new Error("the body was accepted");
    };
    expect(error(20).details).toHaveLength(20);
    expect(error(20)).not.toHaveProperty("moreDetails");
    expect(error(21)).toMatchObject({ moreDetails: 1 });
    expect(error(500).details).toHaveLength(20);
    expect(error(500)).toMatchObject({ moreDetails: 480 });
  });

  test.each([
    [createPatient, { name: 1, notes: ["a"], reminders_enabled: "yes" }, ["a string", "an object", "a boolean"]],
    [chat, { message: "hello", patientData: { age: "1", conditions: [1] } }, ["a number", "a string or an object"]],
    [chat, { message: "hello", conversationHistory: {} }, ["an array"]],
  ])("are described in plain words: %#", (endpoint, body, types) => {
    const { details } = rejected(endpoint, body) as { details: { message: string }[] };
    expect(details.map(({ message }) => message)).toEqual(types.map((type) => `must be ${type}`));
  });

  test("name missing fields and allowed values", () => {
    const { details } = rejected(chat, { message: "hello", conversationHistory: [{ role: "system" }] });
    expect(details).toEqual([
      { path: "conversationHistory.0.role", message: 'must be "user" or "assistant"' },
      { path: "conversationHistory.0.content", message: "is required" },
    ]);
  });
});

describe("a chat", () => {
  test.each([
    ["no message", {}],
    ["an empty one", { message: "" }],
    ["one of whitespace", { message: " \n\t\u00a0" }],
    ["null as the message", { message: null }],
    ["a number as the message", { message: 5 }],
    ["a list as the message", { message: ["hello"] }],
    ["a missing message and other errors", { threadId: 12345, patientData: 7 }],
    ["null as the body", null],
    ["a list as the body", [{ message: "hello" }]],
    ["text as the body", "hello"],
  ])("is rejected with the specified text for %s", (_, body) => {
    expect(rejected(chat, body)).toMatchObject({ kind: "invalid", error: "message is required" });
  });

  test.each([null, "", "  \r\n"])("is rejected with the specified text without a body (%j)", (body) => {
    expect(refusal(() => parseText(chat, body))).toEqual({
      kind: "invalid",
      error: "message is required",
      details: [{ path: "message", message: "message is required" }],
    });
  });

  test("is rejected with every invalid field, the first one in the error text", () => {
    const { error, details } = rejected(chat, { message: "hello", threadId: 12345, patientData: { age: "34" } });
    expect(error).toMatch(/^threadId: /);
    expect(details).toEqual([
      { path: "threadId", message: expect.any(String) },
      { path: "patientData.age", message: expect.any(String) },
    ]);
  });

  test("accepts conditions and allergies as strings or objects", () => {
    const body = { message: "hello", patientData: { conditions: ["one", { name: "two" }], allergies: [{ to: "x" }] } };
    expect(parse(chat, body)).toEqual(body);
  });

  test("ignores unknown fields", () => {
    const body = { message: "hello", unknown: 1, patientData: { age: 34, unknown: 2 } };
    expect(parse(chat, body)).toEqual({ message: "hello", patientData: { age: 34 } });
  });

  test("has its lone surrogates replaced, because UTF-8 cannot encode them", () => {
    const body = '{"message":"a\\ud800b","conversationHistory":[{"role":"user","content":"\\udc00"}]}';
    expect(parseText(chat, body)).toEqual({
      message: "a\ufffdb",
      conversationHistory: [{ role: "user", content: "\ufffd" }],
    });
  });

  test("is decoded from base64", () => {
    const body = Buffer.from('{"message":"Grüße ☂"}').toString("base64");
    expect(parseText(chat, body, true)).toEqual({ message: "Grüße ☂" });
    expect(refusal(() => parseText(chat, body, false)).kind).toBe("invalid");
  });
});

describe("a new thread", () => {
  test.each([null, "", " ", "{}"])("needs no fields (%j)", (body) => {
    expect(parseText(createThread, body)).toEqual({});
  });

  test("accepts free-form metadata unchanged", () => {
    const body = { metadata: { source: "web", nested: [{ deep: null }], "": 0.1 } };
    expect(parse(createThread, body)).toEqual(body);
  });

  test.each([null, [], "text", 5])("is rejected for the body %j", (body) => {
    expect(rejected(createThread, body)).toMatchObject({
      kind: "invalid",
      error: "Request body must be an object",
      details: [{ path: "", message: "must be an object" }],
    });
  });
});

test("a body that is not JSON is never quoted in the error", () => {
  const refused = refusal(() => parseText(chat, "confidential words"));
  expect(JSON.stringify(refused)).not.toContain("confidential");
});

test("an operation without a body ignores the request body", () => {
  expect(parseText(deleteThread, "{ not JSON")).toBeUndefined();
  expect(parseText(deleteThread, "x".repeat(BODY_BYTES + 1))).toBeUndefined();
});
