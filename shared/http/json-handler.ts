import type { APIGatewayProxyEvent } from "aws-lambda";
import { authenticate } from "../auth/authenticate.ts";
import type { BodyOf, Endpoint, Result } from "../contract/endpoint.ts";
import type {} from "../contract/operation.ts";
import { isNotModified, preconditionsOf } from "../contract/preconditions.ts";
import { beginToLoadClinic } from "../profile/load-clinic.ts";
import { admit, settle } from "../quotas/admission.ts";
import type { CallerContext, RequestContext } from "../request/request-context.ts";
import type { jsonBody } from "./parse-request.ts";
import { pipeline } from "./pipeline.ts";
import { renderNotModified, renderResult } from "./render.ts";

/** What a function receives of an authenticated request. */
export interface Call<Body> {
  context: CallerContext;
  event: APIGatewayProxyEvent;
  /** The path parameter `{id}`; "" for an endpoint without one. */
  id: string;
  /** The validated body; undefined for an endpoint without one. */
  body: Body;
}

/**
 * The reader of the body: required for an endpoint with a body, not allowed for one without, whose function then has no
 * schema library in its bundle.
 */
export type Reader<E extends Endpoint> = E extends { body: object } ? [typeof jsonBody] : [];

/**
 * Creates the Lambda handler of an endpoint that requires a key and responds with JSON. Steps throw, and only
 * `render.ts` turns errors into responses.
 *
 * @param run the use case
 * @param reader `jsonBody`, for an endpoint that has a body
 */
export function jsonHandler<E extends Endpoint & { streams?: never; public?: never }>(
  endpoint: E,
  run: (call: Call<BodyOf<E>>) => Promise<Result<object>>,
  ...reader: Reader<E>
) {
  const respond = async (context: RequestContext, event: APIGatewayProxyEvent) => {
    const call = await readCall(endpoint, context, event, reader);
    // A write cannot be undone, so it waits until the request is counted; a read does not.
    const reading = context.admission && endpoint.method === "GET" ? run(call) : undefined;
    reading?.catch(() => {}); // if the request is rejected, nothing awaits its result
    await rejectOverQuota(context);
    const { body, etag, replayed = false } = await (reading ?? run(call));
    context.replayed = replayed;
    const headers: Record<string, string> = etag === undefined ? {} : { etag };
    // The use case of a write has checked the conditions before it wrote.
    const isRead = endpoint.method === "GET" && etag !== undefined;
    const notModified = isRead && isNotModified(preconditionsOf(event), etag);
    return notModified ? renderNotModified(headers) : renderResult(endpoint, body, headers);
  };
  return pipeline(endpoint, { respond, conclude: settleQuotas });
}

type BodyReader<E> = (endpoint: E, event: APIGatewayProxyEvent, context: RequestContext) => unknown;

/** Authenticates, starts counting the request against quotas, then reads the body. */
export async function readCall<E extends Endpoint>(
  endpoint: E,
  request: RequestContext,
  event: APIGatewayProxyEvent,
  reader: Reader<E>,
): Promise<Call<BodyOf<E>>> {
  const [read] = reader as [BodyReader<E>?];
  const context = await authenticate(endpoint, request, event);
  context.admission = admit(context, endpoint.quotas ?? []);
  if (endpoint.profile) {
    beginToLoadClinic(context);
  }
  if (endpoint.profile === "first") {
    await context.tenantState;
  }
  return { context, event, id: event.pathParameters?.id ?? "", body: read?.(endpoint, event, context) as BodyOf<E> };
}

/** @throws ServiceError the 429 of a client over a quota */
export async function rejectOverQuota({ admission }: RequestContext): Promise<void> {
  const rejection = (await admission)?.rejection;
  if (rejection) {
    throw rejection;
  }
}

/** Settles the quotas of a request that has ended. A failed request and a replay have created nothing. */
export async function settleQuotas(
  { caller, admission, usage, replayed }: RequestContext,
  status: number,
): Promise<void> {
  if (caller && admission) {
    const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    await settle(caller, await admission, tokens, status < 400 && !replayed);
  }
}
