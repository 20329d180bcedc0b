import * as z from "zod/mini";
import type { Endpoint } from "../contract/endpoint.ts";
import { documented } from "../contract/fields.ts";

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
  p95Milliseconds: 1_500,
  document: undefined,
} as const satisfies Endpoint;

export const openapiEndpoint = {
  name: "openapi",
  method: "GET",
  path: "/openapi.json",
  status: 200,
  errors: { shape: "generic", failure: "Failed to describe the interface" },
  public: true,
  content: "application/json",
  p95Milliseconds: 1_500,
  rarelyCalled: true,
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Description",
        summary: "Get this document",
        description: "Returns the OpenAPI 3.1 description of the interface. Requires no key.",
        response: documented(z.looseObject({ openapi: z.string() }), { id: "OpenApiDocument" }),
        success: {},
      }),
} as const satisfies Endpoint;

export const docsEndpoint = {
  name: "docs",
  method: "GET",
  path: "/docs",
  status: 200,
  errors: { shape: "generic", failure: "Failed to show the reference" },
  public: true,
  content: "text/html",
  p95Milliseconds: 1_500,
  rarelyCalled: true,
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Description",
        summary: "Get the reference",
        description:
          "Returns this description as a web page, with guides and a form to try each operation. Requires no key. The page is a single file that loads nothing else.",
        response: z.string(),
        success: {},
      }),
} as const satisfies Endpoint;

/** The endpoints that describe the API. */
export const descriptionEndpoints = [openapiEndpoint, docsEndpoint] as const;
