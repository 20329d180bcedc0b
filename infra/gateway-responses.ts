import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { ERROR_CODE, type ErrorText, INTERNAL_ERROR } from "../shared/errors.ts";
import { shapedError } from "../shared/http/error-shape.ts";
import { BODY_BYTES } from "../shared/http/parse-request.ts";
import { HEADERS } from "../shared/http/render.ts";
import { QUOTA_TEXTS } from "../shared/request/quota-limits.ts";
import { corsResponseHeaders } from "./cors.ts";
import { pascalCase } from "./pascal-case.ts";

/** Concurrency and throttle tokens become available again within a second. */
const RETRY_SOON = { "retry-after": "1" };

/** A gateway variable that expands to a JSON string, including its quotes. */
const GATEWAY_MESSAGE = "$context.error.messageString";

/**
 * The gateway's own error responses, for requests that reach no function or whose function fails. They have the generic
 * shape, which satisfies the other one too, and the headers of all other responses.
 *
 * An endpoint's own texts are not possible here: a gateway response belongs to the whole API, and its template replaces
 * variables but has no conditions ("Gateway responses for REST APIs"). Nor can it repeat the caller's own
 * `x-request-id`: the header is the gateway's request ID, which is also in the access log.
 *
 * @param corsOrigin the origin whose pages may read the responses; "" for none
 */
export function addGatewayResponses(restApi: RestApi, corsOrigin: string): void {
  const responseHeaders = {
    "x-request-id": "context.requestId",
    ...quoted({ ...HEADERS, ...corsResponseHeaders(corsOrigin) }),
  };
  const add = (
    type: ResponseType,
    { error, code }: ErrorText,
    statusCode?: string,
    headers: Record<string, string> = {},
  ) =>
    restApi.addGatewayResponse(pascalCase(type.responseType.toLowerCase().replaceAll("_", "-")), {
      type,
      ...(statusCode && { statusCode }),
      responseHeaders: { ...responseHeaders, ...quoted({ [ERROR_CODE]: code, ...headers }) },
      templates: {
        "application/json": JSON.stringify(shapedError("generic", { error }, code)).replace(
          JSON.stringify(GATEWAY_MESSAGE),
          GATEWAY_MESSAGE,
        ),
      },
    });
  // Without an authorizer, this is the response to an unknown route or method.
  add(ResponseType.MISSING_AUTHENTICATION_TOKEN, { error: "Not found", code: "route-not-found" }, "404");
  add(
    ResponseType.REQUEST_TOO_LARGE,
    { error: `Request body must not be larger than ${BODY_BYTES / 1024} KB`, code: "too-large" },
    "413",
  );
  add(ResponseType.THROTTLED, QUOTA_TEXTS.requestsPerMinute, "429", RETRY_SOON);
  // Lambda rejects an invocation above the concurrency of the function or the account, and the gateway reports that as
  // a failed integration. The same type covers a function that the gateway may not invoke or that does not exist, which
  // only an unfinished deployment causes; the access log has the cause.
  add(
    ResponseType.INTEGRATION_FAILURE,
    { error: "Too many concurrent requests", code: "too-many-concurrent-requests" },
    "429",
    RETRY_SOON,
  );
  // A request that the firewall blocked without a response of its own; with one, that is sent instead ("Gateway
  // response types").
  add(ResponseType.WAF_FILTERED, { error: "Forbidden", code: "forbidden" }, "403");
  add(ResponseType.DEFAULT_4XX, { error: GATEWAY_MESSAGE, code: "bad-request" });
  add(ResponseType.DEFAULT_5XX, { error: "Internal server error", code: INTERNAL_ERROR }, "500");
}

/** Quotes static values, because the gateway reads unquoted ones as variable names. */
function quoted(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
