import type { Endpoint } from "../contract/endpoint.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { LIBRARY_FULL, NO_SOURCE, putSourceRequest, SOURCE_CHANGED, TOO_MANY_SOURCES } from "./source.ts";

/** What all operations on sources have in common. */
const sources = { function: "sources", rarelyCalled: true, p95Milliseconds: 1_500 } as const;

const failing = (failure: string) => ({ shape: "generic", failure }) as const;

const preconditionTexts = [SOURCE_CHANGED, CONDITION_FAILED] as const;

export const putSourceEndpoint = {
  ...sources,
  name: "put-source",
  method: "PUT",
  path: "/sources/{id}",
  status: 200,
  errors: {
    ...failing("Failed to store source"),
    texts: { conflict: [TOO_MANY_SOURCES, LIBRARY_FULL], "precondition-failed": preconditionTexts },
  },
  database: { sources: ["GetItem", "PutItem", "UpdateItem"] },
  body: putSourceRequest,
} as const satisfies Endpoint;

export const getSourceEndpoint = {
  ...sources,
  name: "get-source",
  method: "GET",
  path: "/sources/{id}",
  status: 200,
  errors: {
    ...failing("Failed to get source"),
    texts: { "not-found": [NO_SOURCE], "precondition-failed": [CONDITION_FAILED] },
  },
  database: { sources: ["GetItem"] },
} as const satisfies Endpoint;

export const listSourcesEndpoint = {
  ...sources,
  name: "list-sources",
  method: "GET",
  path: "/sources",
  status: 200,
  errors: failing("Failed to list sources"),
  database: { sources: ["Query"] },
} as const satisfies Endpoint;

export const deleteSourceEndpoint = {
  ...sources,
  name: "delete-source",
  method: "DELETE",
  path: "/sources/{id}",
  status: 200,
  errors: {
    ...failing("Failed to delete source"),
    texts: { "not-found": [NO_SOURCE], "precondition-failed": preconditionTexts },
  },
  database: { sources: ["GetItem", "DeleteItem", "UpdateItem"] },
} as const satisfies Endpoint;

/** All endpoints of sources, for the OpenAPI document and the deployment. */
export const sourceEndpoints = [
  putSourceEndpoint,
  listSourcesEndpoint,
  getSourceEndpoint,
  deleteSourceEndpoint,
] as const;
