import { config } from "../config.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { ERROR_CODE, type ErrorText } from "../errors.ts";
import { shapedError } from "./error-shape.ts";
import { HEADERS, type HttpResponse } from "./render.ts";

const METHOD_NOT_ALLOWED: ErrorText = { error: "Method not allowed", code: "method-not-allowed" };

/** Whether an endpoint answers requests with a method: a catch-all with any. HEAD is GET without the body. */
export function answers({ method, path }: Endpoint, requested: string): boolean {
  return path.endsWith("+}") || method === (requested === "HEAD" ? "GET" : requested);
}

/**
 * The 405 for a method that a path does not have (RFC 9110, section 15.5.6). The gateway sends such requests to one of
 * the path's functions (`infra/api.ts`), which need not serve all of its methods and so is told them.
 */
export function methodNotAllowed({ path, errors }: Endpoint): HttpResponse<string> {
  const { error, code } = METHOD_NOT_ALLOWED;
  const allow = config.allowedMethods[path] ?? "";
  return {
    statusCode: 405,
    headers: { "content-type": "application/json", ...HEADERS, allow, [ERROR_CODE]: code },
    body: JSON.stringify(shapedError(errors.shape === "openai" ? "openai" : "generic", { error }, code)),
  };
}
