import * as z from "zod/mini";
import type { ErrorKind, ErrorText } from "../errors.ts";
import type { EndpointQuota } from "../request/quota-limits.ts";
import { documented } from "./fields.ts";

/**
 * The declaration of an endpoint: each `endpoints.ts` declares those of its resource. The types of the handler, the
 * gateway's route, the function's size and permissions, its latency alarm, the OpenAPI document, the live check and the
 * tests derive from it.
 */
export interface Endpoint {
  /** The operation's name. */
  name: string;
  /**
   * The function that serves it together with the other operations of its resource. By default, an operation has a
   * function of its own, with its name.
   */
  function?: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the base URL; `{id}` is the path parameter, and further ones have names of their own. */
  path: string;
  /** The status of a successful response. */
  status: 200 | 201;
  errors: EndpointErrors;
  /** No API key is required, because the response contains no caller's data. */
  public?: true;
  /**
   * Can also respond with server-sent events, or shares its function with an endpoint that can. Integration and handler
   * then use response streaming.
   */
  streams?: true;
  /** For the clients of OpenAI's API: the key can be a bearer token, and our own client has no method for it. */
  openAiClients?: true;
  /**
   * Speaks FHIR: an error is an OperationOutcome if the caller accepts `application/fhir+json`. With `response`, a
   * successful response is a resource, and has that type.
   */
  fhir?: "errors" | "response";
  /**
   * Responds with public content of this type, compressed and with an ETag. Its integration streams too, because only
   * then does the gateway pass compressed bytes on.
   */
  content?: "text/html" | "application/json";
  /** The p95 latency for an alarm, in milliseconds, with room for a cold start. Public pages have no such alarm. */
  p95Milliseconds: number;
  /**
   * Called by staff or developers rather than in every conversation: any three failures in 5 minutes set off its alarm.
   * For all other endpoints, at least 5% of the invocations must fail as well.
   */
  rarelyCalled?: true;
  /** The function's resources, where they differ from the defaults in `infra/api.ts`. */
  lambda?: {
    timeoutSeconds?: number;
    /** Memory in MB; the CPU share is proportional to it. */
    memory?: number;
    /** A limit on concurrent executions, as a share of the setting `chatConcurrency`. */
    concurrencyShare?: number;
  };
  /** The database access that the function's role grants. */
  database?: {
    threads?: readonly TableAction[];
    patients?: readonly TableAction[];
    /** May look up patients by phone number in the index. */
    patientsByPhone?: true;
    events?: readonly TableAction[];
    /** On the webhooks, which are in the events table, with their secrets. */
    webhooks?: readonly TableAction[];
    /** May ask for the types of events that webhooks are told of, but not for their secrets. */
    webhookTypes?: true;
    feedback?: readonly TableAction[];
    sources?: readonly TableAction[];
  };
  /** Erases patients, so the function gets the retention period of backups. */
  erases?: true;
  /** The client quotas that apply to it, besides the request quota. */
  quotas?: readonly EndpointQuota[];
  /** Calls the model, so the function gets the model's key and settings. */
  model?: true;
  /** The schema of the request body; a request without one is read as having none. */
  body?: z.ZodMiniType;
  /** The maximum size of the body in bytes, if not `BODY_BYTES` (`http/parse-request.ts`). */
  bodyBytes?: number;
  /** A missing body is an error, and so are unknown fields, even without `Prefer: handling=strict`. */
  strictBody?: true;
  /**
   * What only the OpenAPI document needs, and the schema of the response, against which handlers are type-checked. The
   * functions' bundles leave it out, with the schemas, texts and examples that nothing else uses
   * (`infra/bundling/bundle.ts`). Undefined for a page that is not part of the API.
   */
  document: (() => Operation) | undefined;
}

/** Returns the name of the function that serves an endpoint, which is that of its file under `functions/`. */
export function functionOf({ name, function: shared = name }: Endpoint): string {
  return shared;
}

/** The DynamoDB actions that a role can allow. A transaction needs the actions of its parts. */
export type TableAction =
  | "GetItem"
  | "ConditionCheckItem"
  | "Query"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "BatchWriteItem";

/** The texts and shapes of an endpoint's errors (specification, Errors). */
export interface EndpointErrors {
  /** `{success: false, error}`; for thread operations `{error}`; `{error: {message, type, param, code}}`. */
  shape: "generic" | "plain" | "openai";
  /** The kinds of errors that have the plain shape in an endpoint whose other errors are generic. */
  plain?: readonly ErrorKind[];
  /** The `error` of a 500. */
  failure: string;
  /** The `error` of every 400, if the specification has a single text for them. */
  invalid?: string;
  /** The other errors of this endpoint; those that any endpoint can have (401, 413, 429) are not listed. */
  texts?: Partial<Record<ErrorKind, readonly (string | ErrorText)[]>>;
}

/** The part of an endpoint's declaration for the OpenAPI document: the response, prose and examples. */
export interface Operation {
  tag:
    | "Chat"
    | "Threads"
    | "Handoff"
    | "Feedback"
    | "Patients"
    | "Sources"
    | "FHIR"
    | "Events"
    | "OpenAI-compatible"
    | "Description";
  summary: string;
  description: string;
  /** The path parameter, if there is one. */
  id?: PathParameter;
  /** The path parameters after it, by their names. */
  parameters?: Record<string, PathParameter>;
  /** Request headers that this operation evaluates. */
  headers?: { name: string; description: string; example: string; schema?: StringSchema }[];
  /** Query parameters that this operation evaluates. */
  query?: { name: string; description: string; schema: QuerySchema }[];
  /** The names of additional headers of this operation's successful response. */
  responseHeaders?: readonly ("ai-disclosure" | "etag" | "idempotent-replayed" | "x-ignored" | "x-phone-lookup")[];
  /** Whether a request must have a body. */
  bodyRequired?: boolean;
  response: z.ZodMiniType;
  /** Examples of request bodies, by title. */
  requests?: Record<string, unknown>;
  /** Examples of successful responses, by title. */
  success: Record<string, unknown>;
  /** An example of a successful response as server-sent events, for an operation that can respond with them. */
  stream?: string;
  /** Operations that can follow a successful one, by their ids. */
  links?: Record<string, OperationLink>;
  /** Examples of error bodies by kind, beyond the texts of the endpoint. */
  errors?: Partial<Record<ErrorKind, ErrorExample[]>>;
}

interface PathParameter {
  description: string;
  example: string;
  schema?: StringSchema;
}

/** The JSON schema of a header's or a path parameter's value. */
interface StringSchema {
  type: "string";
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** The JSON schema of a query parameter's value. */
type QuerySchema =
  | { type: "integer"; minimum: number; maximum: number; default: number }
  | { type: "string"; enum?: string[]; pattern?: string; minLength?: number };

/** An operation that takes values from a response (OpenAPI Specification, "Link Object" and "Runtime Expressions"). */
interface OperationLink {
  description: string;
  /** The path parameter. */
  id?: string;
}

/** An error body without `success`, which only the generic shape has, and the code, if it is not the kind of error. */
export interface ErrorExample {
  error: string;
  code?: string;
  [field: string]: unknown;
}

/** The validated request body of an endpoint; undefined for one without. */
export type BodyOf<E extends Endpoint> = E extends { body: infer Body extends z.ZodMiniType }
  ? z.output<Body>
  : undefined;

/** The body of an endpoint's successful response. */
export type ResponseOf<E extends Endpoint> = z.input<ReturnType<NonNullable<E["document"]>>["response"]>;

/** The result of a use case: the body of the successful response, and what else the response says about it. */
export interface Result<Body> {
  body: Body;
  /** The entity tag of what the body shows. */
  etag?: string | undefined;
  /** Whether it is the response to an earlier request with the same idempotency key. */
  replayed?: boolean | undefined;
}

/** Returns the schema of a successful response: `success` and these fields. */
export function success<Shape extends Record<string, z.ZodMiniType>>(id: string, fields: Shape) {
  return documented(z.object({ success: z.literal(true), ...fields }), { id });
}

/** Returns the example of a 400 about one field. */
export function invalid(path: string, message: string, error = `${path}: ${message}`): ErrorExample {
  return { error, details: [{ path, message }] };
}
