import { expect, jest, test } from "@jest/globals";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { pipeline } from "../../../shared/http/pipeline.ts";
import { getThreadEndpoint } from "../../../shared/threads/endpoints.ts";

const event = {
  httpMethod: getThreadEndpoint.method,
  resource: getThreadEndpoint.path,
  headers: {},
  requestContext: { requestId: "an-id" },
} as unknown as APIGatewayProxyEvent;

test.each([
  ["live", "failure"],
  ["7", "failure-in-check"],
])(
  "a failure counts for the alarm unless the deployment's hook invoked a version: %s, %s",
  async (qualifier, logged) => {
    const lines = jest.spyOn(console, "error").mockReturnValue();
    jest.spyOn(console, "info").mockReturnValue();
    const failing = pipeline(getThreadEndpoint, { respond: () => Promise.reject(new Error("a bug")) });
    const invokedFunctionArn = `arn:aws:lambda:eu-west-1:111122223333:function:a-function:${qualifier}`;
    const context = { invokedFunctionArn, getRemainingTimeInMillis: () => 1_000 } as Context;
    const { statusCode } = await failing(event, context);
    expect([statusCode, lines.mock.calls.map(([line]) => line.event)]).toEqual([500, [logged]]);
    lines.mockRestore();
  },
);
