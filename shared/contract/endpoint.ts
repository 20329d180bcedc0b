import type * as z from "zod/mini";
import type { ErrorKind, ErrorText } from "../errors.ts";
import type { EndpointQuota } from "../request/quota-limits.ts";

/**
 * The declaration of an endpoint: each `endpoints.ts` declares those of its resource. The types of the handler, the
 * gateway's route, the function's size and permissions, its latency alarm, the live check and the tests derive from it. What
 * the OpenAPI document says besides is in the `docs.ts` beside it.
 */
export type Endpoint = Declaration & (Buffered | Streaming | Published);

/** Responds at once, within the time that its own function gets. */
interface Buffered {
  streams?: never;
  public?: never;
  content?: never;
  /** The p95 latency for an alarm, in milliseconds, with room for a cold start. */
  p95Milliseconds: number;
  lambda?: FunctionSize & { timeoutSeconds?: number };
}

/**
 * Can also respond with server-sent events, or shares its function with an endpoint that can. Integration and handler
 * then use response streaming, and all limits follow from the time for the model (`chatLimits`).
 */
interface Streaming {
  streams: true;
  public?: never;
  content?: never;
  p95Milliseconds?: never;
  lambda?: FunctionSize & { timeoutSeconds?: never };
}

/**
 * Responds with public content of this type, compressed and with an ETag, and needs no API key, because it contains no
 * caller's data. Its integration streams too, because only then does the gateway pass compressed bytes on. Nobody is
 * told if it is slow.
 */
interface Published {
  public: true;
  content: "text/html" | "text/plain" | "application/json";
  streams?: never;
  p95Milliseconds?: never;
  lambda?: FunctionSize & { timeoutSeconds?: number };
}

/** The function's resources, where they differ from the defaults in `infra/api.ts`. */
interface FunctionSize {
  /** Memory in MB; the CPU share is proportional to it. */
  memory?: number;
  /** A limit on concurrent executions, as a share of the setting `chatConcurrency`. */
  concurrencyShare?: number;
}

/** The part of a declaration that all kinds of endpoints have. */
interface Declaration {
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
  /** For the clients of OpenAI's API: the key can be a bearer token, and our own client has no method for it. */
  openAiClients?: true;
  /** Fields that its clients send to others, too, which are ignored and stand for none of its own. */
  ignored?: readonly string[];
  /**
   * Speaks FHIR: an error is an OperationOutcome if the caller accepts `application/fhir+json`. With `response`, a
   * successful response is a resource, and has that type.
   */
  fhir?: "errors" | "response";
  /**
   * Called by staff or developers rather than in every conversation: any three failures in 5 minutes set off its alarm.
   * For all other endpoints, at least 5% of the invocations must fail as well.
   */
  rarelyCalled?: true;
  /** No patient waits for it: its failures can be looked up in the morning. Like {@link rarelyCalled} otherwise. */
  canWait?: true;
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
  /** Also answers a client over a quota if a message signals danger, so it rejects such a client by itself. */
  answersOverQuota?: true;
  /**
   * Reads the tenant's profile: `first`, because the body has phone numbers, whose national forms depend on it, or
   * `meanwhile`.
   */
  profile?: "first" | "meanwhile";
  /** Calls the model, so the function gets the model's key and settings. */
  model?: true;
  /** The schema of the request body; a request without one is read as having none. */
  body?: z.ZodMiniType;
  /** The maximum size of the body in bytes, if not `BODY_BYTES` (`http/parse-request.ts`). */
  bodyBytes?: number;
  /** A missing body is an error, and so are unknown fields, even without `Prefer: handling=strict`. */
  strictBody?: true;
  /** It is not in the OpenAPI document: it only says that it does not exist, or is a page. */
  undocumented?: true;
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

/** The validated request body of an endpoint; undefined for one without. */
export type BodyOf<E extends Endpoint> = E extends { body: infer Body extends z.ZodMiniType }
  ? z.output<Body>
  : undefined;

/** The result of a use case: the body of the successful response, and what else the response says about it. */
export interface Result<Body> {
  body: Body;
  /** The entity tag of what the body shows. */
  etag?: string | undefined;
  /** Whether it is the response to an earlier request with the same idempotency key. */
  replayed?: boolean | undefined;
}
