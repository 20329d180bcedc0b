import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context, StreamifyHandler } from "aws-lambda";
import type { Endpoint } from "../contract/endpoint.ts";
import { answers } from "./method-not-allowed.ts";

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The handler of one endpoint, as `pipeline.ts` creates it. */
type EndpointHandler = Handler & { endpoint: Endpoint };

/**
 * Creates the Lambda handler of a function that serves several endpoints of a resource. Either all of them stream or
 * none.
 *
 * @param served the handlers of its endpoints
 * @throws Error for a path that is not among theirs: the gateway and the function were not deployed together
 */
export function resourceHandler(...served: EndpointHandler[]): Handler {
  const dispatch = (...[event, ...rest]: Parameters<Handler>) => {
    const ofPath = served.filter(({ endpoint }) => endpoint.path === event.resource);
    const handler = ofPath.find(({ endpoint }) => answers(endpoint, event.httpMethod)) ?? ofPath[0]; // for the 405
    if (!handler) {
      throw new Error("no handler of this function serves the path that the gateway invoked it for");
    }
    return handler(event, ...rest);
  };
  // The runtime looks for the mark of a streaming handler on the exported one, and passes it the stream before the
  // context.
  return served.every(({ endpoint }) => endpoint.streams || endpoint.content)
    ? (awslambda.streamifyResponse(dispatch as unknown as StreamifyHandler) as unknown as Handler)
    : dispatch;
}
