import type { APIGatewayProxyEvent } from "aws-lambda";

/** A request's header, whatever its case: REST APIs hand headers over in the caller's spelling. */
export function header({ headers }: APIGatewayProxyEvent, name: string): string | undefined {
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) {
      return headers[key];
    }
  }
  return undefined;
}
