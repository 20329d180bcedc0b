import { authenticate } from "../auth/authenticate.ts";
import type { Caller } from "../caller.ts";
import type { BodyOf, Endpoint, Operation, ResponseOf } from "../endpoint.ts";
import { type Admission, admit } from "../quotas/admission.ts";
import type { BodyReader } from "./parse-request.ts";
import { pipeline, type Request } from "./pipeline.ts";
import { renderResult } from "./render.ts";

/** What a use case receives of a request. */
export interface Call<Body> extends Request {
  caller: Caller;
  /** The result of the quota check; undefined if the client has no quotas. Started when the caller is known. */
  admission: Promise<Admission> | undefined;
  /** The validated body; undefined for an endpoint without one. */
  body: Body;
}

/** The reader of the body: required for an endpoint with a body, not allowed for one without. */
export type Reader<O extends () => Operation> = BodyOf<O> extends undefined ? [] : [BodyReader<BodyOf<O>>];

/**
 * Creates the Lambda handler of an endpoint that requires a key and responds with JSON. Steps throw, and only
 * `render.ts` turns errors into responses.
 *
 * @param run the use case; returns the body of the successful response
 * @param reader reads the body, for an endpoint that has one
 */
export function jsonHandler<O extends () => Operation>(
  endpoint: Endpoint & { streams?: never; public?: never },
  run: (call: Call<BodyOf<O>>) => Promise<ResponseOf<O>>,
  ...reader: Reader<O>
) {
  return pipeline(endpoint, async (request) => {
    const call = await readCall(endpoint, request, reader);
    // A write cannot be undone, so it waits until the request is counted; a read does not.
    const reading = call.admission && endpoint.method === "GET" ? run(call) : undefined;
    reading?.catch(() => {}); // if the request is rejected, nothing awaits its result
    const rejection = (await call.admission)?.rejection;
    if (rejection) {
      throw rejection;
    }
    return renderResult(endpoint, await (reading ?? run(call)), request.responseHeaders);
  });
}

/** Authenticates, starts counting the request against quotas, then reads the body. */
export async function readCall<O extends () => Operation>(
  endpoint: Endpoint,
  request: Request,
  [read]: Reader<O> | [],
): Promise<Call<BodyOf<O>>> {
  const caller = await authenticate(request.event, endpoint.name);
  const admission = admit(caller, endpoint.quotas ?? [], request.remainingMilliseconds());
  request.keepAdmission(admission);
  return { ...request, caller, admission, body: read?.(endpoint, request.event) as BodyOf<O> };
}
