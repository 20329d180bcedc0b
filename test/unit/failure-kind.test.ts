import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { listenOnLoopback } from "../../packages/lambda-local/loopback.ts";
import { OperatorError, ServiceError } from "../../shared/errors.ts";
import { ModelError } from "../../shared/model/model-error.ts";
import { readPatient } from "../../shared/patients/patient-repository.ts";
import { failureKind, isServerFailure } from "../../shared/request/failure-kind.ts";
import { readSecret } from "../../shared/secrets.ts";
import { CALLER } from "../helpers/caller.ts";

/** Fake AWS on loopback: its response to every request. */
let answer: (response: ServerResponse) => unknown;
const server = createServer((request, response) => {
  request.resume();
  answer(response);
});

beforeAll(async () => {
  jest.spyOn(Math, "random").mockReturnValue(0); // the SDK waits a random time between attempts
  const { origin: endpoint } = await listenOnLoopback(server);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "none",
    AWS_SECRET_ACCESS_KEY: "none",
    PATIENTS_TABLE: "patients",
    SECRETS_CACHE_SECONDS: "60",
  });
});
afterAll(() => {
  jest.restoreAllMocks();
  server.close();
  server.closeAllConnections();
});

const json = (status: number, body: string) => (response: ServerResponse) =>
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(body);

const WAYS: [way: string, answer: (response: ServerResponse) => unknown][] = [
  ["refuses", json(400, '{"__type":"AccessDeniedException","message":"no"}')],
  ["is broken", json(500, '{"__type":"InternalServerError"}')],
  ["returns malformed data", json(200, "<html>")],
  ["cuts the connection", (response) => response.destroy()],
  ["is unreachable", (response) => server.close() && response.destroy()],
];

describe("a failure is named after the system it came from:", () => {
  test.each(WAYS)("the database or Secrets Manager, when it %s", async (way, inThisWay) => {
    answer = inThisWay;
    const failures = await Promise.all(
      [readPatient(CALLER, "an-id"), readSecret(`read while it ${way}`)].map((call) =>
        call.catch((error: unknown) => error),
      ),
    );
    expect(failures.map(failureKind)).toEqual(["database", "secrets"]);
  });

  test("the model", () => {
    expect(failureKind(new ModelError("timeout"))).toBe("model");
  });

  test.each([
    ["a missing setting", new OperatorError("The variable is not set.")],
    ["a fault in the code", new TypeError("undefined is not a function")],
    ["a thrown value that is not an error", "text"],
  ])("none of them, for %s", (_, error) => {
    expect(failureKind(error)).toBe("other");
  });
});

test("a ServiceError has its own kind, which is the caller's error, unlike every other", () => {
  const kind = failureKind(new ServiceError("too-large", "too large"));
  expect(kind).toBe("too-large");
  const caused = [kind, "invalid", "unauthorized", "not-found", "conflict", "unprocessable"];
  expect(caused.filter(isServerFailure)).toEqual([]);
  const ours = ["model", "database", "secrets", "other"];
  expect(ours.filter(isServerFailure)).toEqual(ours);
});
