import { describe, expect, test } from "@jest/globals";
import type { Endpoint } from "../../../shared/contract/endpoint.ts";
import { type ErrorKind, ServiceError } from "../../../shared/errors.ts";
import { renderError, renderResult } from "../../../shared/http/render.ts";
import { endpoints } from "../../../shared/openapi/registry.ts";

const endpointOf = (name: string) => endpoints.find((endpoint) => endpoint.name === name) as Endpoint;

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "precondition-failed": 412,
  "too-large": 413,
  "unsupported-media-type": 415,
  unprocessable: 422,
  "over-quota": 429,
};
const KINDS = Object.keys(STATUS) as ErrorKind[];

/** The headers of every response. */
const HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** The specification's Errors section: thread operations, authentication failures and patient 404 and 409 are plain. */
const EXPECTED: [name: string, plain: ErrorKind[] | "openai", failure: string][] = [
  ["chat", ["unauthorized"], "Failed to process chat request"],
  ["create-patient", ["unauthorized", "not-found", "conflict"], "Failed to create patient"],
  ["update-patient", ["unauthorized", "not-found", "conflict"], "Failed to update patient"],
  ["delete-patient", ["unauthorized", "not-found"], "Failed to delete patient"],
  ["search-patients", ["unauthorized"], "Failed to search patients"],
  ["list-patient-threads", ["unauthorized", "not-found"], "Failed to list threads"],
  ["export-patient", ["unauthorized", "not-found"], "Failed to export patient"],
  ["import-patient", ["unauthorized", "conflict"], "Failed to import patient"],
  ["replace-clinical", ["unauthorized", "not-found"], "Failed to replace records"],
  ["export-fhir", ["unauthorized", "not-found"], "Failed to export patient"],
  ["list-messages", KINDS, "Failed to retrieve messages"],
  ["get-patient", ["unauthorized", "not-found", "conflict"], "Failed to fetch patient"],
  ["create-thread", KINDS, "Failed to create thread"],
  ["get-thread", KINDS, "Failed to retrieve thread"],
  ["delete-thread", KINDS, "Failed to delete thread"],
  ["give-feedback", KINDS, "Failed to store feedback"],
  ["withdraw-feedback", KINDS, "Failed to withdraw feedback"],
  ["count-feedback", ["unauthorized"], "Failed to count feedback"],
  ["get-handoff", KINDS, "Failed to retrieve handoff"],
  ["hold-thread", KINDS, "Failed to hand over thread"],
  ["return-thread", KINDS, "Failed to return thread"],
  ["stop-turn", KINDS, "Failed to stop turn"],
  ["add-message", KINDS, "Failed to add message"],
  ["put-source", ["unauthorized"], "Failed to store source"],
  ["list-sources", ["unauthorized"], "Failed to list sources"],
  ["get-source", ["unauthorized"], "Failed to get source"],
  ["delete-source", ["unauthorized"], "Failed to delete source"],
  ["get-profile", ["unauthorized"], "Failed to get profile"],
  ["put-profile", ["unauthorized"], "Failed to store profile"],
  ["create-webhook", ["unauthorized"], "Failed to create webhook"],
  ["list-webhooks", ["unauthorized"], "Failed to list webhooks"],
  ["delete-webhook", ["unauthorized"], "Failed to delete webhook"],
  ["rotate-webhook", ["unauthorized"], "Failed to rotate secret"],
  ["test-webhook", ["unauthorized"], "Failed to test webhook"],
  ["list-events", ["unauthorized"], "Failed to list events"],
  ["create-completion", "openai", "Failed to process chat request"],
  ["list-models", "openai", "Failed to list models"],
  ["get-model", "openai", "Failed to retrieve model"],
  ["openapi", ["unauthorized"], "Failed to describe the interface"],
  ["docs", ["unauthorized"], "Failed to show the reference"],
  ["llms", ["unauthorized"], "Failed to show the reference"],
];

test("these tests cover every route", () => {
  expect(EXPECTED.map(([name]) => name).sort()).toEqual(endpoints.map(({ name }) => name).sort());
});

/** The body of an error in OpenAI's shape; `test/api/openai-compatible.test.ts` has the types and codes. */
const inOpenAiShape = (message: string) => ({
  error: { message, type: expect.any(String), param: null, code: expect.any(String) },
});

/** One endpoint for each set of shapes; the table above says which endpoints share it. */
const SHAPES = [...new Map(EXPECTED.map((row) => [String(row[1]), row])).values()];

describe.each(SHAPES)("an error with the shapes of %s", (name, plain, failure) => {
  const route = endpointOf(name);

  test.each(KINDS)("for the caller (%s) has its status and shape", (kind) => {
    const { statusCode, headers, body } = renderError(route, new ServiceError(kind, "what is wrong"));
    expect(statusCode).toBe(STATUS[kind]);
    expect(headers).toEqual({ ...HEADERS, "x-error-code": kind });
    expect(JSON.parse(body)).toEqual(
      plain === "openai"
        ? inOpenAiShape("what is wrong")
        : { ...(!plain.includes(kind) && { success: false }), error: "what is wrong" },
    );
  });

  test.each([
    ["an error", new Error("confidential words")],
    ["an error with its own status", Object.assign(new Error("confidential words"), { statusCode: 404, expose: true })],
    ["no error at all", undefined],
  ])("that is unexpected (%s) is the documented 500 and quotes nothing", (_, error) => {
    const { statusCode, headers, body } = renderError(route, error);
    expect(statusCode).toBe(500);
    expect(headers).toEqual({ ...HEADERS, "x-error-code": "internal-error" });
    expect(JSON.parse(body)).toEqual(
      plain === "openai" ? inOpenAiShape(failure) : { ...(plain !== KINDS && { success: false }), error: failure },
    );
  });
});

test("every endpoint has the shapes and the text of its failure that the table says", () => {
  const shapes = EXPECTED.map(([name, , failure]) => {
    const plain = KINDS.filter((kind) => {
      const body = JSON.parse(renderError(endpointOf(name), new ServiceError(kind, "x")).body);
      return !("success" in body) && typeof body.error === "string";
    });
    const { error } = JSON.parse(renderError(endpointOf(name), undefined).body);
    return [name, typeof error === "string" ? plain : "openai", error.message ?? error ?? failure];
  });
  expect(shapes).toEqual(EXPECTED);
});

test("a result is JSON that must not be cached", () => {
  const route = endpointOf("create-patient");
  expect(renderResult(route, { success: true })).toEqual({
    statusCode: 201,
    headers: HEADERS,
    body: '{"success":true}',
  });
});
