/**
 * One endpoint, as data. `infra/` makes a Lambda and a method of it, `endpoint.ts` a pipeline, `contract.ts` adds what
 * its bodies are, and the tests hold the service to it. No schema stands here, so that a function which reads no body
 * need not load them.
 */
export interface Route {
  /** The operation's name, and that of its file under `functions/`. */
  name: RouteName;
  method: "GET" | "POST" | "DELETE";
  /** Relative to the base URL; `{id}` is the path parameter. */
  path: string;
  /** The status of success. */
  status: 200 | 201;
  /** The body of an error: `{error}` for threads, `{success: false, error}` otherwise (specification, Errors). */
  errorShape: "generic" | "plain";
  /** The `error` of a 400, where the specification has one text for all of them. */
  invalid?: string;
  /** The `error` of a 500. */
  failure: string;
  /** Answers as server-sent events, too; integration and handler are made for response streaming. */
  streams?: true;
  /** No key is asked for: the operation holds no data. */
  public?: true;
  /** Answers with a web page. Its integration streams as well: only then does the gateway pass compressed bytes on. */
  page?: true;
}

export type RouteName =
  | "chat"
  | "create-thread"
  | "get-thread"
  | "delete-thread"
  | "create-patient"
  | "get-patient"
  | "openapi"
  | "docs"
  | "playground";

export const chat = {
  name: "chat",
  method: "POST",
  path: "/chat",
  status: 200,
  errorShape: "generic",
  failure: "Failed to process chat request",
  streams: true,
} as const satisfies Route;

export const createThread = {
  name: "create-thread",
  method: "POST",
  path: "/threads",
  status: 201,
  errorShape: "plain",
  failure: "Failed to create thread",
} as const satisfies Route;

export const getThread = {
  name: "get-thread",
  method: "GET",
  path: "/threads/{id}",
  status: 200,
  errorShape: "plain",
  failure: "Failed to retrieve thread",
} as const satisfies Route;

export const deleteThread = {
  name: "delete-thread",
  method: "DELETE",
  path: "/threads/{id}",
  status: 200,
  errorShape: "plain",
  failure: "Failed to delete thread",
} as const satisfies Route;

export const createPatient = {
  name: "create-patient",
  method: "POST",
  path: "/patients",
  status: 201,
  errorShape: "generic",
  invalid: "Failed to create patient",
  failure: "Failed to create patient",
} as const satisfies Route;

export const getPatient = {
  name: "get-patient",
  method: "GET",
  path: "/patients/{id}",
  status: 200,
  errorShape: "generic",
  failure: "Failed to fetch patient",
} as const satisfies Route;

export const openapi = {
  name: "openapi",
  method: "GET",
  path: "/openapi.json",
  status: 200,
  errorShape: "generic",
  failure: "Failed to describe the interface",
  public: true,
} as const satisfies Route;

export const docs = {
  name: "docs",
  method: "GET",
  path: "/docs",
  status: 200,
  errorShape: "generic",
  failure: "Failed to show the reference",
  public: true,
  page: true,
} as const satisfies Route;
