import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { type ErrorKind, ServiceError } from "../errors.ts";
import type { Route } from "../openapi/routes.ts";

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  "not-found": 404,
  conflict: 409,
  "too-large": 413,
  unprocessable: 422,
};

/** Of every response. Health data is never to be kept by a cache on the way. */
export const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** The response of success. */
export function renderResult(route: Route, body: unknown): APIGatewayProxyResult {
  return reply(route.status, body);
}

/**
 * Turns errors into responses. Only this file knows the two shapes of an error body.
 *
 * Stands early in the pipeline, so that its `onError` runs late and sees the error of every step after it.
 */
export function renderErrors(route: Route): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    onError: (request) => {
      request.response = renderError(route, request.error);
    },
  };
}

function renderError(route: Route, error: unknown): APIGatewayProxyResult {
  return reply(error instanceof ServiceError ? STATUS[error.kind] : 500, errorBody(route, error));
}

/** The body of an error; one that is not meant for the caller becomes the route's own text. */
export function errorBody(route: Route, error: unknown): Record<string, unknown> {
  return error instanceof ServiceError
    ? { ...shape(route, error.kind), error: error.message, ...error.extra }
    : { ...shape(route), error: route.failure };
}

/**
 * What an error body has besides `error`: `success: false` in the generic form, nothing for thread operations,
 * authentication failures and a patient's 404 and 409 (specification, Errors).
 */
function shape(route: Route, kind?: ErrorKind): { success?: false } {
  const plain =
    route.errorShape === "plain" ||
    kind === "unauthorized" ||
    (route.path.startsWith("/patients") && (kind === "not-found" || kind === "conflict"));
  return plain ? {} : { success: false };
}

function reply(statusCode: number, body: unknown): APIGatewayProxyResult {
  return {
    statusCode,
    headers: { "content-type": "application/json; charset=utf-8", ...HEADERS },
    body: JSON.stringify(body),
  };
}
