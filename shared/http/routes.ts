import * as z from "zod/mini";
import { chatRequest, chatResponse } from "../chat/messages.ts";
import { createdPatient, createPatientRequest, patientRecord } from "../patients/patient.ts";
import { createThreadRequest, createThreadResponse, threadInfo } from "../threads/thread.ts";

/**
 * One endpoint, as data. `infra/` makes a Lambda and a method of it, `endpoint.ts` a pipeline, `openapi.ts` its
 * description, and the tests hold the service to it.
 */
export interface Route {
  /** The operation's name, and that of its file under `functions/`. */
  name: string;
  method: "GET" | "POST" | "DELETE";
  /** Relative to the base URL; `{id}` is the path parameter. */
  path: string;
  /** What a body must be; none means that a body is not looked at. */
  body?: z.ZodMiniType;
  /** Status and body of success. */
  status: 200 | 201;
  response: z.ZodMiniType;
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
}

const success = z.literal(true);

export const chat = {
  name: "chat",
  method: "POST",
  path: "/chat",
  body: chatRequest,
  status: 200,
  response: chatResponse,
  errorShape: "generic",
  failure: "Failed to process chat request",
  streams: true,
} as const satisfies Route;

export const createThread = {
  name: "create-thread",
  method: "POST",
  path: "/threads",
  body: createThreadRequest,
  status: 201,
  response: createThreadResponse,
  errorShape: "plain",
  failure: "Failed to create thread",
} as const satisfies Route;

export const getThread = {
  name: "get-thread",
  method: "GET",
  path: "/threads/{id}",
  status: 200,
  response: z.object({ success, thread: threadInfo }).check(z.meta({ id: "GetThreadResponse" })),
  errorShape: "plain",
  failure: "Failed to retrieve thread",
} as const satisfies Route;

export const deleteThread = {
  name: "delete-thread",
  method: "DELETE",
  path: "/threads/{id}",
  status: 200,
  response: z
    .object({ success, message: z.literal("Thread deleted successfully") })
    .check(z.meta({ id: "DeleteThreadResponse" })),
  errorShape: "plain",
  failure: "Failed to delete thread",
} as const satisfies Route;

export const createPatient = {
  name: "create-patient",
  method: "POST",
  path: "/patients",
  body: createPatientRequest,
  status: 201,
  response: z.object({ success, patient: createdPatient }).check(z.meta({ id: "CreatePatientResponse" })),
  errorShape: "generic",
  invalid: "Failed to create patient",
  failure: "Failed to create patient",
} as const satisfies Route;

export const getPatient = {
  name: "get-patient",
  method: "GET",
  path: "/patients/{id}",
  status: 200,
  response: z.object({ success, patient: patientRecord }).check(z.meta({ id: "GetPatientResponse" })),
  errorShape: "generic",
  failure: "Failed to fetch patient",
} as const satisfies Route;

export const openapi = {
  name: "openapi",
  method: "GET",
  path: "/openapi.json",
  status: 200,
  response: z.looseObject({ openapi: z.string() }).check(z.meta({ id: "OpenApiDocument" })),
  errorShape: "generic",
  failure: "Failed to describe the interface",
  public: true,
} as const satisfies Route;
