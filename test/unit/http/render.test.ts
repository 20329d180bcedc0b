import { describe, expect, test } from "@jest/globals";
import middy from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { Endpoint } from "../../../shared/endpoint.ts";
import { type ErrorKind, ServiceError } from "../../../shared/errors.ts";
import { renderErrors, renderResult } from "../../../shared/http/render.ts";
import { endpoints } from "../../../shared/openapi/registry.ts";

const endpointOf = (name: string) => endpoints.find((endpoint) => endpoint.name === name) as Endpoint;

/** Returns the response that the caller gets when a step of a route's pipeline throws. */
async function rendered(route: Endpoint, error: unknown): Promise<{ status: number; body: unknown }> {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(renderErrors(route))
    .handler(async () => {
      throw error;
    });
  const { statusCode, body } = await handler({} as APIGatewayProxyEvent, {} as Context);
  return { status: statusCode, body: JSON.parse(body) };
}

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  "not-found": 404,
  conflict: 409,
  "precondition-failed": 412,
  "too-large": 413,
  unprocessable: 422,
  "over-quota": 429,
};
const KINDS = Object.keys(STATUS) as ErrorKind[];

/** The specification's Errors section: thread operations, authentication failures and patient 404 and 409 are plain. */
const EXPECTED: { route: Endpoint; plain: ErrorKind[]; failure: object }[] = [
  {
    route: endpointOf("chat"),
    plain: ["unauthorized"],
    failure: { success: false, error: "Failed to process chat request" },
  },
  {
    route: endpointOf("create-patient"),
    plain: ["unauthorized", "not-found", "conflict"],
    failure: { success: false, error: "Failed to create patient" },
  },
  {
    route: endpointOf("update-patient"),
    plain: ["unauthorized", "not-found", "conflict"],
    failure: { success: false, error: "Failed to update patient" },
  },
  {
    route: endpointOf("delete-patient"),
    plain: ["unauthorized", "not-found"],
    failure: { success: false, error: "Failed to delete patient" },
  },
  {
    route: endpointOf("search-patients"),
    plain: ["unauthorized"],
    failure: { success: false, error: "Failed to search patients" },
  },
  {
    route: endpointOf("list-patient-threads"),
    plain: ["unauthorized", "not-found"],
    failure: { success: false, error: "Failed to list threads" },
  },
  {
    route: endpointOf("export-patient"),
    plain: ["unauthorized", "not-found"],
    failure: { success: false, error: "Failed to export patient" },
  },
  {
    route: endpointOf("list-messages"),
    plain: KINDS,
    failure: { error: "Failed to retrieve messages" },
  },
  {
    route: endpointOf("get-patient"),
    plain: ["unauthorized", "not-found", "conflict"],
    failure: { success: false, error: "Failed to fetch patient" },
  },
  { route: endpointOf("create-thread"), plain: KINDS, failure: { error: "Failed to create thread" } },
  { route: endpointOf("get-thread"), plain: KINDS, failure: { error: "Failed to retrieve thread" } },
  { route: endpointOf("delete-thread"), plain: KINDS, failure: { error: "Failed to delete thread" } },
  {
    route: endpointOf("openapi"),
    plain: ["unauthorized"],
    failure: { success: false, error: "Failed to describe the interface" },
  },
  {
    route: endpointOf("docs"),
    plain: ["unauthorized"],
    failure: { success: false, error: "Failed to show the reference" },
  },
];

test("these tests cover every route", () => {
  expect(EXPECTED.map(({ route }) => route.name).sort()).toEqual(endpoints.map((route) => route.name).sort());
});

describe.each(EXPECTED)("an error of $route.name", ({ route, plain, failure }) => {
  test.each(KINDS)("for the caller (%s) has its status and shape", async (kind) => {
    expect(await rendered(route, new ServiceError(kind, "what is wrong"))).toEqual({
      status: STATUS[kind],
      body: plain.includes(kind) ? { error: "what is wrong" } : { success: false, error: "what is wrong" },
    });
  });

  test.each([
    ["an error", new Error("confidential words")],
    ["an error with its own status", Object.assign(new Error("confidential words"), { statusCode: 404, status: 404 })],
    ["an error marked as safe to expose", Object.assign(new Error("confidential words"), { expose: true })],
    ["a string", "confidential words"],
    ["undefined", undefined],
  ])("that is unexpected (%s) is the documented 500 and quotes nothing", async (_, error) => {
    expect(await rendered(route, error)).toEqual({ status: 500, body: failure });
  });
});

test("the body includes details and the patient of a conflict", async () => {
  const details = [{ path: "message", message: "message is required" }];
  expect(await rendered(endpointOf("chat"), new ServiceError("invalid", "message is required", { details }))).toEqual({
    status: 400,
    body: { success: false, error: "message is required", details },
  });
  const patient = { id: "00000000-0000-4000-8000-000000000001", name: "Test Patient", phone_number: "15550000001" };
  expect(await rendered(endpointOf("create-patient"), new ServiceError("conflict", "taken", { patient }))).toEqual({
    status: 409,
    body: { error: "taken", patient },
  });
});

describe("every response", () => {
  const headers = expect.objectContaining({
    "content-type": expect.stringMatching(/^application\/json/),
    "cache-control": "no-store",
  });

  test.each(endpoints)("of $name is JSON that must not be cached", (route: Endpoint) => {
    expect(renderResult(route, { success: true })).toEqual({
      statusCode: route.status,
      headers,
      body: '{"success":true}',
    });
  });

  test("of a failure is, too", async () => {
    const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(renderErrors(endpointOf("chat")))
      .handler(async () => {
        throw new Error("failure");
      });
    expect(await handler({} as APIGatewayProxyEvent, {} as Context)).toMatchObject({ headers });
  });
});

test.each([
  ["chat", 200],
  ["create-thread", 201],
  ["get-thread", 200],
  ["delete-thread", 200],
  ["create-patient", 201],
  ["get-patient", 200],
])("%s succeeds with the specified status %d", (name, status) => {
  const route = endpoints.find((candidate) => candidate.name === name) as Endpoint;
  expect(renderResult(route, {}).statusCode).toBe(status);
});
