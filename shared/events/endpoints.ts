import type { Endpoint } from "../contract/endpoint.ts";

export const listEventsEndpoint = {
  name: "list-events",
  function: "events",
  method: "GET",
  path: "/events",
  status: 200,
  errors: { shape: "generic", failure: "Failed to list events" },
  p95Milliseconds: 1_500,
  canWait: true,
  database: { events: ["Query"] },
} as const satisfies Endpoint;

/** All endpoints of events, for the OpenAPI document and the deployment. */
export const eventEndpoints = [listEventsEndpoint] as const;
