import * as z from "zod/mini";
import { chatRequest, chatResponse } from "../chat/chat-schemas.ts";
import { createdPatient, createPatientRequest, patientRecord } from "../patients/patient-schemas.ts";
import { createThreadRequest, createThreadResponse, threadInfo } from "../threads/thread-schemas.ts";
import type { RouteName } from "./routes.ts";

const success = z.literal(true);

/**
 * What each route takes and returns. The OpenAPI document is made of it, and the types of every endpoint: a use case
 * that returns something else, or a body that is checked by another schema, does not compile.
 */
export const contract = {
  chat: { body: chatRequest, response: chatResponse },
  "create-thread": { body: createThreadRequest, response: createThreadResponse },
  "get-thread": {
    body: undefined,
    response: z.object({ success, thread: threadInfo }).check(z.meta({ id: "GetThreadResponse" })),
  },
  "delete-thread": {
    body: undefined,
    response: z
      .object({ success, message: z.literal("Thread deleted successfully") })
      .check(z.meta({ id: "DeleteThreadResponse" })),
  },
  "create-patient": {
    body: createPatientRequest,
    response: z.object({ success, patient: createdPatient }).check(z.meta({ id: "CreatePatientResponse" })),
  },
  "get-patient": {
    body: undefined,
    response: z.object({ success, patient: patientRecord }).check(z.meta({ id: "GetPatientResponse" })),
  },
  openapi: {
    body: undefined,
    response: z.looseObject({ openapi: z.string() }).check(z.meta({ id: "OpenApiDocument" })),
  },
  docs: { body: undefined, response: z.string() },
  playground: { body: undefined, response: z.string() },
} satisfies Record<RouteName, { body: z.ZodMiniType | undefined; response: z.ZodMiniType }>;

type Contract = typeof contract;

/** The checked body of a route; undefined for one without. */
export type BodyOf<N extends RouteName> = Contract[N]["body"] extends infer Body extends z.ZodMiniType
  ? z.output<Body>
  : undefined;

/** What a route's use case returns. */
export type ResponseOf<N extends RouteName> = z.input<Contract[N]["response"]>;
