import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { InvocationError } from "./lambda-environment.ts";
import { type LocalFunction, TooManyInvocations } from "./lambda-function.ts";
import { servePrograms } from "./loopback.ts";

export interface InvokeServer {
  endpoint: string;
  stop(): void;
}

/**
 * Answers Invoke calls as Lambda does (Lambda API Reference), by function name. Every version and alias is the only
 * function there is here. A streamed response is returned as one payload.
 */
export async function startInvokeServer(functions: Map<string, LocalFunction>): Promise<InvokeServer> {
  const { origin, stop } = await servePrograms(async (request, response) => {
    const refuse = (status: number, type: string) =>
      response.writeHead(status, { "x-amzn-errortype": type }).end(JSON.stringify({ Type: "User", Message: type }));
    try {
      const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? "")?.[1] ?? "";
      const fn = functions.get(decodeURIComponent(name));
      if (!fn) {
        request.resume();
        refuse(404, "ResourceNotFoundException");
        return;
      }
      const result = await fn.invoke(await json(request));
      response.writeHead(200, { "content-type": "application/json" });
      await pipeline(result, response);
    } catch (error) {
      if (response.headersSent) {
        response.destroy();
      } else if (error instanceof TooManyInvocations) {
        refuse(429, "TooManyRequestsException");
      } else if (error instanceof InvocationError) {
        response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end("{}");
      } else {
        refuse(400, "InvalidRequestContentException");
      }
    }
  });
  return { endpoint: origin, stop };
}
