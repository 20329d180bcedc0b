import { describe, expect, test } from "@jest/globals";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod/mini";
import { HISTORY_ENTRIES } from "../../../shared/chat/chat-request.ts";
import { chatEndpoint as chat } from "../../../shared/chat/endpoints.ts";
import type { Endpoint } from "../../../shared/contract/endpoint.ts";
import { LIST_ITEMS } from "../../../shared/contract/fields.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { jsonBody } from "../../../shared/http/parse-request.ts";
import { createPatientEndpoint as createPatient } from "../../../shared/patients/endpoints.ts";

type Route = Endpoint & { body: z.ZodMiniType };

function parseText(route: Route, body: string | null, isBase64Encoded = false): unknown {
  return jsonBody(route, { body, isBase64Encoded } as APIGatewayProxyEvent, { likelyMeant: [], ignored: [] });
}

const parse = (route: Route, body: unknown) => parseText(route, JSON.stringify(body));

/** Returns the error with which a body is rejected. */
function refusal(run: () => unknown): { kind: string; error: string; details: unknown; moreDetails?: unknown } {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) {
      const { details, ...more } = error.extra;
      return { kind: error.kind, error: error.message, details, ...more };
    }
    throw error;
  }
  throw new Error("the body was accepted");
}

const rejected = (route: Route, body: unknown) => refusal(() => parse(route, body));

describe("the limit of", () => {
  /** A chat body of this many bytes, most of them in an ignored field. */
  const bodyOf = (bytes: number, character = "b") => {
    const free = bytes - '{"message":"hello","ignored":""}'.length;
    const count = Math.floor(free / Buffer.byteLength(character));
    const rest = " ".repeat(free - count * Buffer.byteLength(character));
    return JSON.stringify({ message: "hello", ignored: character.repeat(count) + rest });
  };
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const TOO_LARGE = { kind: "too-large", error: "Request body must not be larger than 256 KB" };

  test.each(["b", "é", "☂"])("a body is 256 KB, in bytes (of %s), in base64 too", (character) => {
    const [longest, tooLong] = [bodyOf(256 * 1024, character), bodyOf(256 * 1024 + 1, character)];
    expect(parseText(chat, longest)).toEqual({ message: "hello" });
    expect(parseText(chat, base64(longest), true)).toEqual({ message: "hello" });
    expect(refusal(() => parseText(chat, tooLong))).toMatchObject(TOO_LARGE);
    expect(refusal(() => parseText(chat, base64(tooLong), true))).toMatchObject(TOO_LARGE);
  });

  const valid = { message: "hello", name: "Pat Example" };
  type Limit = [path: string, endpoint: Route, of: (length: number) => object, most: number, unit: string];
  const list = (endpoint: Route, path: string, element: unknown, most: number): Limit => {
    const [first = "", second] = path.split(".");
    const of = (length: number) => {
      const elements = Array(length).fill(element);
      return { ...valid, [first]: second === undefined ? elements : { [second]: elements } };
    };
    return [path, endpoint, of, most, "items"];
  };
  const said = (length: number) => [{ role: "assistant", content: "h".repeat(length) }];
  const LIMITS: Limit[] = [
    list(createPatient, "conditions", "asthma", LIST_ITEMS),
    list(createPatient, "medications", { name: "aspirin" }, LIST_ITEMS),
    list(createPatient, "notes", {}, LIST_ITEMS),
    list(chat, "patientData.conditions", "asthma", LIST_ITEMS),
    list(chat, "patientData.allergies", { to: "nuts" }, LIST_ITEMS),
    list(chat, "patientData.medications", { name: "aspirin" }, LIST_ITEMS),
    list(chat, "conversationHistory", { role: "user", content: "hello" }, HISTORY_ENTRIES),
    ["allergies", createPatient, (length) => ({ ...valid, allergies: "a".repeat(length) }), 16_000, "characters"],
    [
      "conversationHistory.0.content",
      chat,
      (length) => ({ ...valid, conversationHistory: said(length) }),
      32_000,
      "characters",
    ],
  ];

  test.each(LIMITS)("%s is named when it is exceeded", (path, endpoint, of, most, unit) => {
    expect(() => parse(endpoint, of(most))).not.toThrow();
    expect(rejected(endpoint, of(most + 1)).details).toEqual([{ path, message: `must have at most ${most} ${unit}` }]);
  });
});

describe("validation errors", () => {
  test("name missing fields and allowed values, the first one in the error text", () => {
    const { error, details } = rejected(chat, { message: "hello", conversationHistory: [{ role: "system" }] });
    expect(details).toEqual([
      { path: "conversationHistory.0.role", message: 'must be "user" or "assistant"' },
      { path: "conversationHistory.0.content", message: "is required" },
    ]);
    expect(error).toBe('conversationHistory.0.role: must be "user" or "assistant"');
  });
});

describe("a chat", () => {
  test("has its lone surrogates replaced, because UTF-8 cannot encode them", () => {
    const body = '{"message":"a\\ud800b","conversationHistory":[{"role":"user","content":"\\udc00"}]}';
    expect(parseText(chat, body)).toEqual({
      message: "a\ufffdb",
      conversationHistory: [{ role: "user", content: "\ufffd" }],
    });
  });

  test("is decoded from base64 only if it is marked as such", () => {
    const body = Buffer.from('{"message":"Grüße ☂"}').toString("base64");
    expect(parseText(chat, body, true)).toEqual({ message: "Grüße ☂" });
    expect(refusal(() => parseText(chat, body)).kind).toBe("invalid");
  });
});
