import type { ResponseOf } from "../openapi/contract.ts";
import type { Route } from "../openapi/routes.ts";
import { type Call, pipeline } from "./pipeline.ts";
import { renderResult } from "./render.ts";

/**
 * Makes the Lambda handler of a route that anyone may call, that takes no body and answers as JSON. It needs no key, no
 * secret and no client of AWS, and so loads none. A web page's is made by `page-endpoint.ts`.
 *
 * @param run the use case; returns the body of success
 */
export function publicEndpoint<R extends Route & { public: true; page?: never }>(
  route: R,
  run: (call: Call<R>) => Promise<ResponseOf<R["name"]>>,
) {
  return pipeline(route, { respond: async (call) => renderResult(route, await run(call)) });
}
