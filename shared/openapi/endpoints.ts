import type { Endpoint } from "../contract/endpoint.ts";

/**
 * A page for trying out the service by hand. It is not part of the API, so it is not in the OpenAPI document, and it is
 * deployed only to the stage dev, on request (`infra/settings.ts`).
 */
export const playgroundEndpoint = {
  name: "playground",
  method: "GET",
  path: "/playground",
  status: 200,
  errors: { shape: "generic", failure: "Failed to show the playground" },
  public: true,
  content: "text/html",
  undocumented: true,
} as const satisfies Endpoint;

export const openapiEndpoint = {
  name: "openapi",
  method: "GET",
  path: "/openapi.json",
  status: 200,
  errors: { shape: "generic", failure: "Failed to describe the interface" },
  public: true,
  content: "application/json",
} as const satisfies Endpoint;

export const docsEndpoint = {
  name: "docs",
  method: "GET",
  path: "/docs",
  status: 200,
  errors: { shape: "generic", failure: "Failed to show the reference" },
  public: true,
  content: "text/html",
} as const satisfies Endpoint;

/** Where programs that read look for an overview (llmstxt.org). */
export const llmsEndpoint = {
  ...docsEndpoint,
  name: "llms",
  function: "docs",
  path: "/llms.txt",
  content: "text/plain",
  undocumented: true,
} as const satisfies Endpoint;

/** The endpoints that describe the API. */
export const descriptionEndpoints = [openapiEndpoint, docsEndpoint, llmsEndpoint] as const;
