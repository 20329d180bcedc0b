import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { header } from "../header.ts";
import { startRequest } from "../logger.ts";

/** Matches a caller's id that is safe to use: short and plain, because it goes into headers and logs. */
const SANE = /^[\w.:-]{1,128}$/;

/**
 * Adds `x-request-id`, which is also in every log line of the request, to every response: the caller's id or the
 * gateway's.
 */
export function requestId(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  let id = "";
  const reply = ({ response }: { response?: APIGatewayProxyResult | null }) => {
    if (response) {
      response.headers = { ...response.headers, "x-request-id": id };
    }
  };
  return {
    before: ({ event }) => {
      const own = header(event, "x-request-id");
      id = own !== undefined && SANE.test(own) ? own : event.requestContext.requestId;
      startRequest(id);
    },
    after: reply,
    onError: reply,
  };
}
