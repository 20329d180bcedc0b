import { authenticate } from "../auth/authenticate.ts";
import type { Caller } from "../caller.ts";
import type { BodyOf, Endpoint, Operation, ResponseOf } from "../endpoint.ts";
import type { BodyReader } from "./parse-request.ts";
import { pipeline, type Request } from "./pipeline.ts";
import { renderResult } from "./render.ts";

/** What a use case receives of a request. */
export interface Call<Body> extends Request {
  caller: Caller;
  /** The validated body; undefined for an endpoint without one. */
  body: Body;
}

/** How the body is read: an endpoint with a body needs a reader, one without takes none. */
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
  return pipeline(endpoint, async (request) =>
    renderResult(endpoint, await run(await readCall(endpoint, request, reader)), request.responseHeaders),
  );
}

/** Authenticates, then reads the body. */
export async function readCall<O extends () => Operation>(
  endpoint: Endpoint,
  request: Request,
  [read]: Reader<O> | [],
): Promise<Call<BodyOf<O>>> {
  const caller = await authenticate(request.event, endpoint.name);
  return { ...request, caller, body: read?.(endpoint, request.event) as BodyOf<O> };
}
