import type { APIGatewayProxyEvent } from "aws-lambda";

/** A request's header, whatever its case: REST APIs hand headers over in the caller's spelling. */
export function header(event: APIGatewayProxyEvent, name: string): string | undefined {
  for (const [key, value] of Object.entries(event.headers ?? {})) {
    if (key.toLowerCase() === name) {
      return value;
    }
  }
  return undefined;
}
