import type { APIGatewayProxyEvent } from "aws-lambda";
import * as z from "zod/mini";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from "zod-openapi";
import packageFile from "../../package.json" with { type: "json" };
import { BODY_BYTES } from "../http/parse-request.ts";
import { patientSummary } from "../patients/patient-schemas.ts";
import { contract } from "./contract.ts";
import { type ErrorExample, type Operation, operations } from "./operations.ts";
import type { Route } from "./routes.ts";
import * as routes from "./routes.ts";

const details = z.optional(
  z
    .array(z.object({ path: z.string(), message: z.string() }))
    .check(z.meta({ description: "The fields at fault, where a field is" })),
);
const error = z.string();

const genericError = z
  .object({ success: z.literal(false), error, details })
  .check(z.meta({ id: "GenericError", description: "The error body of chat, and of whatever has no form of its own" }));
const plainError = z
  .object({ error, details })
  .check(z.meta({ id: "PlainError", description: "The error body of threads, authentication and a patient's 404" }));
const conflictError = z
  .object({ error, patient: patientSummary })
  .check(z.meta({ id: "ConflictError", description: "Names the patient who has the phone number" }));

const REQUEST_ID = {
  name: "x-request-id",
  description:
    "Names the request in the response and in the service's logs: up to 128 letters, digits and . _ : -. Without one, or with another, the service chooses its own.",
  example: "5f1c9c0e-visit-17",
};

const RESPONSE_HEADERS = {
  "x-request-id": {
    description: "The request's id; quote it when you report a problem",
    schema: { type: "string" as const },
  },
};

const STREAM_EXAMPLE = `event: delta
data: {"text":"Ibuprofen can make asthma worse"}

event: delta
data: {"text":" in some people."}

event: done
data: {"success":true,"response":"Ibuprofen can make asthma worse in some people.","threadId":"48213","messageCount":2}

`;

const DESCRIPTION = `A health assistant for clinics and health apps, to be called from their own backend.

Create a patient once, open a short-lived thread linked to that patient, send messages, and get answers that know the
record and the thread's last 20 messages. A thread is deleted for good after 30 minutes without a message.

Answers come from an AI. They are no substitute for medical care, and no emergency service.

Bodies are JSON of at most ${BODY_BYTES / 1024} KB. Unknown fields are ignored; an optional field is left out rather than sent as null.`;

/** Made while the function initializes, since it takes longer than all else that a request for it does. */
const document = createDocument({
  openapi: "3.1.1",
  info: {
    title: "Conversational Health Assistant Service",
    version: packageFile.version,
    description: DESCRIPTION,
    license: { name: "MIT", identifier: "MIT" },
  },
  tags: [
    { name: "Chat", description: "Questions and answers" },
    { name: "Threads", description: "Short-lived conversations" },
    { name: "Patients", description: "Records that answers take into account" },
    { name: "Description", description: "This document" },
  ],
  security: [{ ApiKeyHeader: [] }, { ApiKeyQuery: [] }],
  components: {
    securitySchemes: {
      ApiKeyHeader: {
        type: "apiKey",
        in: "header",
        name: "X-API-Key",
        description: "The recommended place of the key",
      },
      ApiKeyQuery: {
        type: "apiKey",
        in: "query",
        name: "api_key",
        description: "Works too, but query strings may end up in access logs; used only when the header is absent",
      },
    },
  },
  paths: paths(),
});

/**
 * The description of the interface as an OpenAPI 3.1 document, made from the very schemas that check requests.
 *
 * @param baseUrl the address this deployment is reached at
 */
export function openApiDocument(baseUrl: string) {
  return { ...document, servers: [{ url: baseUrl }] };
}

/** The base URL a request came to, as the caller sees it: stage or custom base path included. */
export function baseUrlOf({ requestContext, headers }: APIGatewayProxyEvent): string {
  const protocol = headers["X-Forwarded-Proto"] ?? "https";
  const prefix = requestContext.path.slice(0, -routes.openapi.path.length);
  return `${protocol}://${requestContext.domainName}${prefix}`;
}

function paths() {
  const byPath: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of Object.values(routes) as Route[]) {
    byPath[route.path] = { ...byPath[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return byPath;
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { body, response } = contract[route.name];
  const { tag, summary, description, requests, success } = describedAs(route);
  return {
    operationId: route.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary,
    description,
    ...(route.public && { security: [] }),
    parameters: parameters(route),
    ...(body && {
      requestBody: {
        // Without a body, every field is absent; the operations that need one say so in a 400.
        required: route.name !== "create-thread",
        content: { "application/json": { schema: body, examples: named(requests ?? {}) } },
      },
    }),
    responses: {
      [route.status]: {
        description: "Success",
        headers: RESPONSE_HEADERS,
        content: {
          [route.page ? "text/html" : "application/json"]: { schema: response, examples: named(success) },
          ...(route.streams && {
            "text/event-stream": { schema: { type: "string" as const }, example: STREAM_EXAMPLE },
          }),
        },
      },
      ...(route.page && { "304": { description: "The page whose ETag is in If-None-Match is still the same" } }),
      ...errorResponses(route),
    } as ZodOpenApiResponsesObject,
  };
}

/** What a request may carry besides its body. */
function parameters(route: Route): ZodOpenApiOperationObject["parameters"] {
  const { id, headers = [] } = describedAs(route);
  const schema = { type: "string" as const };
  return [
    ...(id ? [{ name: "id", in: "path" as const, required: true, schema, ...id }] : []),
    ...[...headers, REQUEST_ID].map((header) => ({ in: "header" as const, required: false, schema, ...header })),
  ];
}

/** The failures of a route by status: those described as its own, and those that any route can have. */
function errorResponses(route: Route): Record<string, unknown> {
  const own = route.errorShape === "plain" ? plainError : genericError;
  const responses: Record<string, unknown> = {};
  for (const [status, examples] of Object.entries(describedAs(route).errors)) {
    const ofPatients = route.path.startsWith("/patients");
    const schema = !ofPatients ? own : status === "409" ? conflictError : status === "404" ? plainError : own;
    responses[status] = errorResponse(schema, examples);
  }
  if (route.path.includes("{id}")) {
    responses["400"] = errorResponse(genericError, [{ error: "Bad Request" }]); // an id that cannot be decoded
  }
  if (!route.public) {
    responses["401"] = errorResponse(plainError, [{ error: "Unauthorized - Invalid API key" }]);
  }
  // These the gateway answers as well, in the generic form.
  const either = own === genericError ? own : z.union([own, genericError]);
  responses["413"] = errorResponse(either, [{ error: `Request body must not be larger than ${BODY_BYTES / 1024} KB` }]);
  responses["429"] = errorResponse(genericError, [{ error: "Too many requests" }]);
  responses["500"] = errorResponse(either, [{ error: route.failure }]);
  return responses;
}

/** @param examples bodies without `success`, which the generic form begins with */
function errorResponse(schema: z.ZodMiniType, examples: ErrorExample[]) {
  const bodies = examples.map((body) => [body.error, schema === genericError ? { success: false, ...body } : body]);
  return {
    description: examples.map(({ error }) => error).join("; "),
    headers: RESPONSE_HEADERS,
    content: { "application/json": { schema, examples: named(Object.fromEntries(bodies)) } },
  };
}

function describedAs(route: Route): Operation {
  const operation = operations[route.name];
  if (!operation) {
    throw new Error(`operations.ts does not describe ${route.name}`);
  }
  return operation;
}

function named(examples: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
