import type { APIGatewayProxyEvent } from "aws-lambda";

/** The header of a successful response that names the known fields which ignored ones were probably meant to be. */
export const DID_YOU_MEAN = "x-did-you-mean";

/** The description of the header for operations with a body. */
export const PREFER_HEADER = {
  name: "Prefer",
  description:
    "`handling=strict`: a field that the operation does not know is a 400 that names the field that was probably meant, although the schema allows it, and so is a key that occurs twice. `handling=lenient`, as without the header: it is ignored, and the response's header `x-did-you-mean` names the known field (RFC 7240)",
  // Tools combine examples with generated bodies, and would take the 400 of strict handling for a fault.
  example: "handling=lenient",
};

/**
 * Returns a request header, ignoring case, because REST APIs pass headers in the caller's spelling. The values of a
 * repeated header form a list (RFC 9110, section 5.3), of which `headers` has only the last; equal values count once.
 */
export function header({ headers, multiValueHeaders }: APIGatewayProxyEvent, name: string): string | undefined {
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) {
      const values = multiValueHeaders?.[key];
      return values && values.length > 1 ? [...new Set(values)].join(", ") : headers[key];
    }
  }
  return undefined;
}
