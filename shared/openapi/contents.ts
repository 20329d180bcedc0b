import * as z from "zod/mini";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import packageFile from "../../package.json" with { type: "json" };
import type { Endpoint, EndpointErrors } from "../contract/endpoint.ts";
import { documented } from "../contract/fields.ts";
import { DID_YOU_MEAN, PREFER_HEADER } from "../contract/header.ts";
import type { ErrorExample, Operation } from "../contract/operation.ts";
import { ERROR_CODE, type ErrorKind, INTERNAL_ERROR } from "../errors.ts";
import { AI_MARK } from "../http/ai-mark.ts";
import { FHIR_JSON, shapedError, shapeOf } from "../http/error-shape.ts";
import { HELP_LINES } from "../http/help.ts";
import { BODY_BYTES, MAX_DETAILS, NOT_JSON } from "../http/parse-request.ts";
import { COMPRESSED, NOT_DECLARED_UTF8, tooLarge } from "../http/read-body.ts";
import { STATUS } from "../http/render.ts";
import { patientSummary } from "../patients/patient-responses.ts";
import { QUOTA_TEXTS } from "../request/quota-limits.ts";
import { table } from "../table.ts";
import { CONTEXT_MESSAGES, idleTime } from "../threads/thread.ts";
import { remedyOf } from "./error-codes.ts";
import { operations } from "./operations.ts";
import { portableSchema } from "./portable-schema.ts";
import { endpoints } from "./registry.ts";

const details = z.optional(
  documented(z.array(z.object({ path: z.string(), message: z.string() })).check(z.maxLength(MAX_DETAILS)), {
    description: `The invalid fields, where fields are invalid; the first ${MAX_DETAILS} at most`,
  }),
);
const moreDetails = z.optional(
  documented(z.int().check(z.minimum(1)), {
    description: "How many more invalid fields there are, if not all are listed",
  }),
);
const error = z.string();
const help = z.optional(
  documented(
    z.object({
      text: documented(z.string(), { description: "Says it, in the language of the message: show it to the user" }),
      emergencyNumber: z.string(),
      crisisLine: z.string(),
      poisonControl: documented(z.nullable(z.string()), { description: "null if there is no such line" }),
      abuseLine: documented(z.nullable(z.string()), { description: "null if there is no such line" }),
    }),
    {
      id: "Help",
      description:
        "Whom the user may call, because the message was not answered: for a chat that includes `safety` or `evidence`, in the event `error` of a stream, and for OpenAI's clients, in whose `message` it is, too",
    },
  ),
);

const genericError = documented(z.object({ success: z.literal(false), error, details, moreDetails, help }), {
  id: "GenericError",
  description: "The error body of chat, and of everything that has no other",
});
const plainError = documented(z.object({ error, details, moreDetails }), {
  id: "PlainError",
  description: "The error body of threads, authentication and a patient's 404",
});
const eitherError = documented(z.object({ success: z.optional(z.literal(false)), error, details }), {
  id: "ErrorResponse",
  description: "The service's own error body, or the gateway's, which has `success`",
});
const openAiError = documented(
  z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: documented(z.nullable(z.string()), { description: "The invalid parameter" }),
      code: z.string(),
      help,
    }),
  }),
  { id: "OpenAiError", description: "The error body of OpenAI's API" },
);
const operationOutcome = documented(
  z.object({
    resourceType: z.literal("OperationOutcome"),
    issue: z.array(
      z.object({
        severity: z.literal("error"),
        code: z.string(),
        details: z.object({ text: z.string() }),
        diagnostics: z.optional(z.string()),
        expression: z.optional(documented(z.array(z.string()), { description: "The FHIR path of an invalid element" })),
      }),
    ),
  }),
  { id: "OperationOutcome", description: "The error body of FHIR, for a caller who accepts it" },
);
const conflictError = documented(z.object({ error, patient: patientSummary }), {
  id: "ConflictError",
  description: "Names the patient who has the phone number",
});

/** The schemas of errors by their shape. */
const SCHEMAS = { generic: genericError, plain: plainError, openai: openAiError };

/** The same, with the gateway's own errors, which have the generic shape. */
const SCHEMAS_WITH_GATEWAY = {
  generic: genericError,
  plain: eitherError,
  openai: z.union([openAiError, genericError]),
};
const ALSO_FROM_GATEWAY = true;

/** A header of a response, whose value is a text. */
function textHeader(description: string, { example, ...schema }: { example?: string; enum?: string[] } = {}) {
  return { description, schema: { type: "string" as const, ...schema }, ...(example !== undefined && { example }) };
}

const RESPONSE_HEADERS = {
  "x-request-id": textHeader(
    "The request's ID: your own, if you sent a valid one, except in errors of the gateway. Include it when you report a problem",
  ),
};

/** Of each error of an operation that answers users. */
const HELP_HEADER = {
  [HELP_LINES]: textHeader(
    "Whom the user may call, because the message was not answered: a dictionary (RFC 9651) of the numbers for an `emergency`, a `crisis`, `poison` and `abuse`, as far as the country has them",
    { example: 'emergency="911", crisis="988", poison="1-800-222-1222", abuse="1-800-799-7233"' },
  ),
};

/** Headers of successful responses that only some operations have. */
const OWN_HEADERS = {
  [AI_MARK]: textHeader(
    "Present if the response contains text by an AI: a dictionary (RFC 9651) with `mode`, always `machine-generated`, and `model`, the model that wrote it, or a list of them (draft-abaris-aicdh-01). A stream that begins with one of the service's fixed texts has it in any case, with the models that may answer",
    { example: 'mode=machine-generated, model="gpt-6-luna"' },
  ),
  etag: textHeader("Identifies the state of the record, for `If-Match` and `If-None-Match`"),
  "idempotent-replayed": textHeader(
    "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`",
    { enum: ["true"] },
  ),
  "x-ignored": textHeader("What was ignored: `system-messages`, and the names of parameters", {
    example: "system-messages, temperature, metadata.session",
  }),
  "x-phone-lookup": textHeader(
    "For a request with `phone` and without `patientId`, whether a patient was found: `found`, `not-found`, or `invalid` for a number that cannot be one. Absent if a stream begins before the lookup, with an alert",
    { example: "found" },
  ),
};

/** The header of operations that ignore unknown fields. */
const DID_YOU_MEAN_HEADER = {
  [DID_YOU_MEAN]: textHeader("The known fields that ignored fields of the body were probably meant to be", {
    example: "allergies",
  }),
};

const RETRY_AFTER = {
  "retry-after": textHeader("Seconds until a repetition may succeed"),
};

/** Headers of responses to a client with quotas (draft-ietf-httpapi-ratelimit-headers-10). */
const QUOTA_HEADERS = {
  "ratelimit-policy": textHeader("The client's quotas, if it has any", { example: '"requestsPerMinute";q=600;w=60' }),
  ratelimit: textHeader("What is left of the client's quotas, and the seconds until there is more", {
    example: '"requestsPerMinute";r=599;t=42',
  }),
};

const INVALID_JSON: ErrorExample = {
  error: "Request body is not valid JSON",
  details: [{ path: "", message: "Request body is not valid JSON" }],
};

const BAD_REQUEST: ErrorExample = { error: "Bad Request", code: "bad-request" };

const MISSING_KEY =
  "Unauthorized - Invalid API key: the header `X-API-Key` is missing, or its key is unknown (without the header: the query parameter `api_key`)";

const MISSING_BEARER_KEY =
  "Unauthorized - Invalid API key: the header `Authorization: Bearer` is missing, or its key is unknown (`X-API-Key` works too, and takes precedence)";

/** The part of a 400's description that no schema of a body can express. */
const STRICTLY_INVALID = "with `Prefer: handling=strict`, a field that the operation does not know";

const TITLE = "Conversational Health Assistant Service";

const DESCRIPTION = `A health assistant for clinics and health apps, to be called from their own backend.

Create a patient once, open a short-lived thread linked to that patient, send messages, and get answers that draw on the
record and the thread's last ${CONTEXT_MESSAGES} messages. A thread is deleted permanently after ${idleTime()} without a message.

Answers come from an AI. They do not replace medical care, and the service is not an emergency service.

Bodies are JSON of at most ${BODY_BYTES / 1024} KB. Unknown fields are ignored, unless you send
\`Prefer: handling=strict\`. Omit optional fields instead of sending null. Responses can get new fields; ignore those you do not know.

Errors have one of two shapes, which the interface specifies: \`{"error": …}\` for threads, a missing or wrong key, and a
patient's 404 and 409, and \`{"success": false, "error": …}\` for everything else. Only the operations for OpenAI's clients
have errors in the shape that those know. The header \`x-error-code\` of every error says what went wrong, for programs;
the examples of each operation's errors have the code as their summary, and what to do as their description.

Every request can have the header \`x-request-id\`: up to 128 letters, digits and \`. _ : -\`. It identifies the request in
the response and in the service's logs. If it is missing or different, the service generates one.

A client may have quotas. Responses then have the headers \`ratelimit-policy\` and \`ratelimit\`, and a request over a quota is
rejected with a 429 and \`retry-after\`. A message that signals danger is answered with its safety text all the same.`;

const CONTENTS: ZodOpenApiObject = {
  openapi: "3.1.1",
  info: {
    title: TITLE,
    version: packageFile.version,
    description: DESCRIPTION,
    contact: { name: `The operator of this ${TITLE}` },
    license: { name: "MIT", identifier: "MIT" },
  },
  tags: [
    { name: "Chat", description: "Questions and answers" },
    { name: "Threads", description: "Short-lived conversations" },
    { name: "Feedback", description: "What patients think of answers" },
    { name: "Handoff", description: "A person in a conversation" },
    { name: "Patients", description: "Records that answers take into account" },
    { name: "Profile", description: "What a clinic says about itself: its country, hours, language and name" },
    { name: "Sources", description: "Texts of the clinic, from which the assistant answers questions about it" },
    { name: "FHIR", description: "Records from and for systems that speak FHIR R4" },
    { name: "Events", description: "What happened, pushed to webhooks or read as a list" },
    { name: "OpenAI-compatible", description: "Chats for the clients of OpenAI's API" },
    { name: "Description", description: "This document" },
  ],
  security: [{ ApiKeyHeader: [] }],
  components: {
    securitySchemes: {
      BearerKey: {
        type: "http",
        scheme: "bearer",
        description: "How OpenAI's clients send the key; only for the operations for them",
      },
      ApiKeyHeader: {
        type: "apiKey",
        in: "header",
        name: "X-API-Key",
        // The query parameter is only described: generated clients have code for every scheme that is listed here.
        description:
          "Where a caller cannot set headers, the query parameter `api_key` works for every operation too. It is read only if the header is absent, and query strings can end up in access logs",
      },
    },
  },
  paths: paths(),
};

/**
 * The OpenAPI 3.1 document without the address of a deployment, generated from the schemas that validate requests. The
 * functions' bundles contain it as data (`infra/bundling/bundle.ts`).
 */
export const contents = createDocument(CONTENTS, { override: portableSchema });

function paths() {
  const byPath: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    const { name, path, method } = endpoint;
    const operation = operations.get(name);
    if (operation) {
      byPath[path] = { ...byPath[path], [method.toLowerCase()]: describe(endpoint, operation) };
    }
  }
  return byPath;
}

function describe(endpoint: Endpoint, operation: Operation): ZodOpenApiOperationObject {
  const { tag, summary, description, bodyRequired = false, response, requests, success, stream, links } = operation;
  const { body } = endpoint;
  return {
    operationId: endpoint.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary,
    description,
    ...(endpoint.public && { security: [] }),
    ...(endpoint.openAiClients && { security: [{ BearerKey: [] }, { ApiKeyHeader: [] }] }),
    parameters: parameters(operation),
    ...(body && {
      requestBody: {
        required: bodyRequired,
        content: {
          "application/json": { schema: body, examples: named(requests ?? {}) },
          ...(endpoint.fhir && { [FHIR_JSON]: { schema: body } }),
        },
      },
    }),
    responses: {
      [endpoint.status]: {
        description: "Success",
        headers: { ...successHeaders(operation), ...(!endpoint.public && QUOTA_HEADERS) },
        ...(links && { links: linksOf(links) }),
        content: {
          [endpoint.content ?? (endpoint.fhir === "response" ? FHIR_JSON : "application/json")]: {
            schema: response,
            examples: named(success),
          },
          ...(stream !== undefined && {
            "text/event-stream": { schema: { type: "string" as const }, example: stream },
          }),
        },
      },
      ...((endpoint.content || (endpoint.method === "GET" && operation.responseHeaders?.includes("etag"))) && {
        "304": { description: "It has not changed since the ETag in If-None-Match" },
      }),
      ...errorResponses(endpoint, operation),
    } as ZodOpenApiResponsesObject,
  };
}

/** Operations that can follow, by a title, as the specification wants them. */
function linksOf(links: NonNullable<Operation["links"]>) {
  return Object.fromEntries(
    Object.entries(links).map(([operationId, { description, id }]) => [
      operationId.replace(/^./, (letter) => letter.toUpperCase()),
      { operationId, description, ...(id !== undefined && { parameters: { id } }) },
    ]),
  );
}

/** The parameters of a request: path, query and headers. */
function parameters({
  id,
  parameters = {},
  query = [],
  headers = [],
}: Operation): ZodOpenApiOperationObject["parameters"] {
  const schema = { type: "string" as const };
  return [
    ...Object.entries({ ...(id && { id }), ...parameters }).map(([name, parameter]) => ({
      name,
      in: "path" as const,
      required: true,
      schema,
      ...parameter,
    })),
    ...query.map((parameter) => ({ in: "query" as const, required: false, ...parameter })),
    ...headers.map((header) => ({ in: "header" as const, required: false, schema, ...header })),
  ];
}

function successHeaders({ headers, responseHeaders = [] }: Operation) {
  return {
    ...RESPONSE_HEADERS,
    ...(headers?.includes(PREFER_HEADER) && DID_YOU_MEAN_HEADER),
    ...Object.fromEntries(responseHeaders.map((name) => [name, OWN_HEADERS[name]])),
  };
}

/** The errors of an endpoint by status: its own, and those that any endpoint can have. */
function errorResponses(endpoint: Endpoint, operation: Operation): Record<string, unknown> {
  const { errors, body } = endpoint;
  const own = (kind: ErrorKind): ErrorExample[] => [
    ...(errors.texts?.[kind] ?? []).map((text) => (typeof text === "string" ? { error: text } : text)),
    ...(operation.errors?.[kind] ?? []),
  ];
  const invalid = [...own("invalid"), ...(body && errors.invalid === undefined ? [INVALID_JSON] : [])];
  const hasId = endpoint.path.includes("{id}"); // one that cannot be decoded is rejected by the gateway
  const quotas = ["requestsPerMinute", ...(endpoint.quotas ?? [])] as const;
  const examples: Record<ErrorKind, ErrorExample[]> = {
    invalid: hasId ? [...invalid, BAD_REQUEST] : invalid,
    unauthorized: endpoint.public ? [] : [{ error: "Unauthorized - Invalid API key" }],
    forbidden: own("forbidden"),
    "not-found": own("not-found"),
    conflict: own("conflict"),
    "precondition-failed": own("precondition-failed"),
    "too-large": [{ error: tooLarge(endpoint.bodyBytes ?? BODY_BYTES) }, ...own("too-large")],
    "unsupported-media-type": body ? [{ error: NOT_JSON }, { error: NOT_DECLARED_UTF8 }, { error: COMPRESSED }] : [],
    unprocessable: own("unprocessable"),
    "over-quota": quotas.map((name) => ({ ...QUOTA_TEXTS[name] })),
  };
  const shapes: Partial<Record<ErrorKind, EndpointErrors["shape"]>> = {
    ...(invalid.length === 0 && { invalid: "generic" }),
    ...(endpoint.public && { "over-quota": "generic" }),
  };
  const fromGateway: ErrorKind[] = ["too-large", "over-quota", ...(hasId ? (["invalid"] as const) : [])];
  const responses = table({
    500: errorResponse(errors.shape, INTERNAL_ERROR, [{ error: errors.failure }], ALSO_FROM_GATEWAY),
  });
  for (const [name, bodies] of Object.entries(examples)) {
    const kind = name as ErrorKind;
    if (bodies.length > 0) {
      const shape = shapes[kind] ?? shapeOf(errors, kind);
      responses[STATUS[kind]] = errorResponse(shape, kind, bodies, fromGateway.includes(kind));
    }
  }
  for (const response of endpoint.model ? Object.values(responses) : []) {
    response.headers = { ...response.headers, ...HELP_HEADER };
  }
  for (const response of endpoint.fhir ? Object.values(responses) : []) {
    response.content[FHIR_JSON] = { schema: operationOutcome };
  }
  const { 400: badRequest, 401: unauthorized, 429: tooMany } = responses;
  if (badRequest && operation.headers?.includes(PREFER_HEADER)) {
    badRequest.description += `; ${STRICTLY_INVALID}`;
  }
  if (unauthorized) {
    unauthorized.description = endpoint.openAiClients ? MISSING_BEARER_KEY : MISSING_KEY;
  }
  if (tooMany) {
    tooMany.headers = { ...tooMany.headers, ...RETRY_AFTER };
  }
  return responses;
}

/**
 * @param kind the code of the examples that have none
 * @param examples bodies without `success`, which only the generic shape has, and their codes
 * @param alsoFromGateway whether the gateway responds with this error too
 */
function errorResponse(
  shape: EndpointErrors["shape"],
  kind: ErrorKind | typeof INTERNAL_ERROR,
  examples: ErrorExample[],
  alsoFromGateway = false,
) {
  const codes = [...new Set(examples.map(({ code = kind }) => code))];
  const schema = examples.some(({ patient }) => patient !== undefined)
    ? conflictError
    : (alsoFromGateway ? SCHEMAS_WITH_GATEWAY : SCHEMAS)[shape];
  const bodies = examples.map(({ code = kind, ...body }) => [
    body.error,
    { summary: code, description: remedyOf(code), value: shapedError(shape, body, code) },
  ]);
  return {
    description: examples.map(({ error }) => error).join("; "),
    headers: {
      ...RESPONSE_HEADERS,
      [ERROR_CODE]: {
        description: `What went wrong, for programs: ${codes.map((code) => `\`${code}\``).join(", ")}`,
        schema: { type: "string" as const },
        example: codes[0],
      },
    },
    content: { "application/json": { schema, examples: Object.fromEntries(bodies) } } as Record<string, object>,
  };
}

function named(examples: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
