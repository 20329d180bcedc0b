import { beforeEach, expect, jest, test } from "@jest/globals";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Endpoint } from "../../../shared/endpoint.ts";
import { pipeline } from "../../../shared/http/pipeline.ts";
import { annotate } from "../../../shared/logger.ts";
import { endpoints } from "../../../shared/openapi/registry.ts";

const endpoint = endpoints.find(({ name }) => name === "chat") as Endpoint;
beforeEach(() => {
  jest.spyOn(console, "info").mockReturnValue();
  jest.spyOn(console, "error").mockReturnValue();
});

test.each<[what: string, use: () => void, settled: [tokens: number, succeeded: boolean]]>([
  ["with what the model has used", () => annotate({ inputTokens: 5, outputTokens: 2 }), [7, true]],
  ["without tokens if no model was asked", () => {}, [0, true]],
  [
    "as not succeeded, with the tokens, if it fails",
    () => {
      annotate({ inputTokens: 5 });
      throw new Error("failure");
    },
    [5, false],
  ],
])("a counted request is settled %s", async (_, use, settled) => {
  const settle = jest.fn(async () => {});
  const headers = { ratelimit: '"r";r=1' };
  const handler = pipeline(endpoint, async ({ keepAdmission }) => {
    keepAdmission(Promise.resolve({ rejection: undefined, headers, settle }));
    use();
    return { statusCode: 200, body: "{}" };
  });
  const event = { headers: {}, requestContext: { requestId: "request" } } as unknown as APIGatewayProxyEvent;
  const response = await handler(event, { getRemainingTimeInMillis: () => 1_000 } as Context);
  expect(settle.mock.calls).toEqual([settled]);
  expect(response.headers).toMatchObject(headers);
});

test("a request that is not counted does not settle the one before it", async () => {
  const settle = jest.fn(async () => {});
  const handler = pipeline(endpoint, async ({ event, keepAdmission }) => {
    if (event.headers.counted) {
      keepAdmission(Promise.resolve({ rejection: undefined, headers: {}, settle }));
    }
    return { statusCode: 200, body: "{}" };
  });
  const event = (headers: object) =>
    ({ headers, requestContext: { requestId: "r" } }) as unknown as APIGatewayProxyEvent;
  const context = { getRemainingTimeInMillis: () => 1_000 } as Context;
  await handler(event({ counted: "yes" }), context);
  await handler(event({}), context);
  expect(settle).toHaveBeenCalledTimes(1);
});
