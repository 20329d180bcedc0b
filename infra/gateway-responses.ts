import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { ERROR_CODE, type ErrorText, INTERNAL_ERROR } from "../shared/errors.ts";
import { FHIR_BYTES } from "../shared/fhir/fhir-body.ts";
import type { HelpLines } from "../shared/help-lines.ts";
import { shapedError } from "../shared/http/error-shape.ts";
import { HELP_LINES, helpLinesValue } from "../shared/http/help.ts";
import { BODY_BYTES } from "../shared/http/parse-request.ts";
import { tooLarge } from "../shared/http/read-body.ts";
import { HEADERS } from "../shared/http/render.ts";
import { corsResponseHeaders } from "./cors.ts";
import { pascalCase } from "./pascal-case.ts";

/**
 * The `error` of a request that no function could be asked. API Gateway says so with two types of response: one for a
 * function or an alias that does not exist, or that it may not invoke, and one for a function that took too long.
 */
const UNAVAILABLE = { error: "Service unavailable", code: "service-unavailable" };

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
 * @param helpLines whom a user may call whose message reached no function
 */
export function addGatewayResponses(restApi: RestApi, corsOrigin: string, helpLines: HelpLines): void {
  const responseHeaders = {
    "x-request-id": "context.requestId",
    ...quoted({ ...HEADERS, [HELP_LINES]: helpLinesValue(helpLines), ...corsResponseHeaders(corsOrigin) }),
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
    {
      error: `${tooLarge(BODY_BYTES)}, or than ${FHIR_BYTES / 1024 / 1024} MB for records in FHIR`,
      code: "too-large",
    },
    "413",
  );
  add(ResponseType.THROTTLED, { error: "Too many requests", code: "too-many-requests-per-second" }, "429", RETRY_SOON);
  // Lambda rejects an invocation above the concurrency of the function or the account, and the gateway reports that as
  // a failed integration. A failure of Lambda itself has the same type, and a gateway response has one status; the
  // access log tells them apart, and the alarm `gateway-down` counts both.
  add(
    ResponseType.INTEGRATION_FAILURE,
    { error: "Too many concurrent requests", code: "too-many-concurrent-requests" },
    "429",
    RETRY_SOON,
  );
  add(ResponseType.API_CONFIGURATION_ERROR, UNAVAILABLE, "503");
  add(ResponseType.INTEGRATION_TIMEOUT, UNAVAILABLE, "503");
  // A request that the firewall blocked without a response of its own; with one, that is sent instead ("Gateway
  // response types").
  add(ResponseType.WAF_FILTERED, { error: "Forbidden", code: "forbidden" }, "403");
  add(ResponseType.DEFAULT_4XX, { error: GATEWAY_MESSAGE, code: "bad-request" });
  add(ResponseType.DEFAULT_5XX, { error: "Internal server error", code: INTERNAL_ERROR }, "500");
}

/** Quotes static values, because the gateway reads unquoted ones as variable names. */
export function quoted(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
