import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Endpoint, Operation, ResponseOf } from "../endpoint.ts";
import { pipeline } from "./pipeline.ts";
import { renderResult } from "./render.ts";

/**
 * Creates the Lambda handler of an endpoint that requires no key, takes no body and responds with JSON. It loads no
 * secret and no AWS client, because it needs none. `page-handler.ts` does the same for a web page.
 *
 * @param run the use case; returns the body of the successful response
 */
export function publicHandler<O extends () => Operation>(
  endpoint: Endpoint & { public: true; page?: never },
  run: (event: APIGatewayProxyEvent) => Promise<ResponseOf<O>>,
) {
  return pipeline(endpoint, { respond: async (_, event) => renderResult(endpoint, await run(event)) });
}
