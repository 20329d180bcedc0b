import { authenticate } from "../auth/authenticate.ts";
import type { ResponseOf } from "../openapi/contract.ts";
import type { Route } from "../openapi/routes.ts";
import { type Call, pipeline, type Reader } from "./pipeline.ts";
import { renderResult } from "./render.ts";

/**
 * Makes the Lambda handler of a route that asks for a key and answers as JSON. The steps throw, and only `render.ts`
 * answers. A route that streams is made by `streaming-endpoint.ts`, a public one by `public-endpoint.ts`.
 *
 * @param run the use case; returns the body of success
 * @param reader reads the body, for a route that has one
 */
export function endpoint<R extends Route & { streams?: never; public?: never }>(
  route: R,
  run: (call: Call<R>) => Promise<ResponseOf<R["name"]>>,
  ...reader: Reader<R>
) {
  return pipeline(route, {
    respond: async (call) => renderResult(route, await run(call)),
    reader,
    guards: [authenticate()],
  });
}
