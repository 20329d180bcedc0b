import type { EndpointErrors } from "../endpoint.ts";
import type { ErrorKind } from "../errors.ts";

/**
 * The body of an error in one of the specification's two shapes: `{success: false, error}` in general, `{error}` for
 * thread operations, authentication failures and a patient's 404 and 409. This is the only place that knows them; the
 * handlers, the gateway, the firewall and the OpenAPI document use it.
 *
 * @param fields the fields of the body: `error`, and for some errors `details` or `patient`
 */
export function shapedError<F extends { error: string }>(shape: EndpointErrors["shape"], fields: F) {
  return shape === "plain" ? fields : { success: false as const, ...fields };
}

/**
 * Returns the shape of an endpoint's error.
 *
 * @param kind undefined for an unexpected error, a 500
 */
export function shapeOf({ shape, plain }: EndpointErrors, kind: ErrorKind | undefined): EndpointErrors["shape"] {
  return kind !== undefined && (kind === "unauthorized" || plain?.includes(kind)) ? "plain" : shape;
}
