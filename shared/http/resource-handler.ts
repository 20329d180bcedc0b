import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context, StreamifyHandler } from "aws-lambda";
import type { Endpoint } from "../contract/endpoint.ts";

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The handler of one endpoint, as `pipeline.ts` creates it. */
type EndpointHandler = Handler & { endpoint: Endpoint };

/**
 * Creates the Lambda handler of a function that serves several endpoints of a resource. Either all of them stream or
 * none.
 *
 * @param served the handlers of its endpoints
 * @throws Error for a method or path that is not among them: the gateway and the function were not deployed together
 */
export function resourceHandler(...served: EndpointHandler[]): Handler {
  const handlers = new Map(served.map((handler) => [`${handler.endpoint.method} ${handler.endpoint.path}`, handler]));
  const dispatch = (...[event, ...rest]: Parameters<Handler>) => {
    const method = event.httpMethod === "HEAD" ? "GET" : event.httpMethod;
    const handler = handlers.get(`${method} ${event.resource}`);
    if (!handler) {
      throw new Error("no handler of this function serves the operation that the gateway invoked it for");
    }
    return handler(event, ...rest);
  };
  // The runtime looks for the mark of a streaming handler on the exported one, and passes it the stream before the
  // context.
  return served.every(({ endpoint }) => endpoint.streams)
    ? (awslambda.streamifyResponse(dispatch as unknown as StreamifyHandler) as unknown as Handler)
    : dispatch;
}
