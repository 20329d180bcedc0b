import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type * as z from "zod/mini";
import { ServiceError } from "../errors.ts";
import { currentAnnotations, describeError, logError, logInfo, startAnnotations } from "../logger.ts";
import { authenticate } from "./authenticate.ts";
import { parseBody } from "./parse-request.ts";
import { renderErrors, renderResult } from "./render.ts";
import type { Route } from "./routes.ts";

/** What a use case gets of a request. */
export interface Call<R extends Route> {
  /** The checked body; undefined for a route without one. */
  body: R extends { body: infer Body extends z.ZodMiniType } ? z.output<Body> : undefined;
  /** The path parameter `{id}`, "" for a route without one. */
  id: string;
  event: APIGatewayProxyEvent;
  /** Milliseconds until the platform ends the invocation. */
  remainingMilliseconds: () => number;
}

/**
 * Makes the Lambda handler of a route: log ← render errors ← authenticate ← parse → use case → render. The steps
 * throw, and only `render.ts` answers.
 *
 * @param run the use case; returns the body of success
 */
export function endpoint<R extends Route>(route: R, run: (call: Call<R>) => Promise<z.input<R["response"]>>) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(logRequest(route))
    .use(renderErrors(route))
    .use(authenticate(route))
    .handler(async (event: APIGatewayProxyEvent, context: Context) => {
      const body = await run({
        body: parseBody(route, event) as Call<R>["body"],
        id: event.pathParameters?.id ?? "",
        event,
        remainingMilliseconds: () => context.getRemainingTimeInMillis(),
      });
      return renderResult(route, body);
    });
}

/** One line for each request, without anything the caller sent; one more when it failed on our side. */
function logRequest(route: Route): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  let startedAt = 0;
  const end = (status: number | undefined) =>
    logInfo("request", {
      route: route.name,
      status,
      durationMs: Math.round(performance.now() - startedAt),
      ...currentAnnotations(),
    });
  return {
    before: () => {
      startedAt = performance.now();
      startAnnotations();
    },
    after: ({ response }) => end(response?.statusCode),
    onError: ({ error, response }) => {
      if (!(error instanceof ServiceError)) {
        logError("failure", { route: route.name, ...describeError(error) });
      }
      end(response?.statusCode);
    },
  };
}
