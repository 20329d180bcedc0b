import * as z from "zod/mini";
import type { ErrorKind } from "../errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { documented } from "./fields.ts";

/**
 * What the OpenAPI document says about each of a resource's endpoints, by its name: a `docs.ts` beside the `endpoints.ts`.
 * Functions import only its types, so that their bundles have no prose, examples and schemas of responses.
 */
export type Docs<Endpoints extends readonly Endpoint[]> = Record<
  Exclude<Endpoints[number], { undocumented: true }>["name"],
  Operation
>;

/** The body of an endpoint's successful response, by the documents of its resource and its name. */
export type ResponseOf<D extends Record<Name, Operation>, Name extends string> = z.input<D[Name]["response"]>;

/** What the OpenAPI document says about an endpoint besides its declaration: the response, prose and examples. */
export interface Operation {
  tag:
    | "Chat"
    | "Threads"
    | "Handoff"
    | "Feedback"
    | "Patients"
    | "Sources"
    | "Profile"
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

/** Returns the schema of a successful response: `success` and these fields. */
export function success<Shape extends Record<string, z.ZodMiniType>>(id: string, fields: Shape) {
  return documented(z.object({ success: z.literal(true), ...fields }), { id });
}

/** Returns the example of a 400 about one field. */
export function invalid(path: string, message: string, error = `${path}: ${message}`): ErrorExample {
  return { error, details: [{ path, message }] };
}
