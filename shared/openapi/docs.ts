import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import type { Docs } from "../contract/operation.ts";
import type { descriptionEndpoints } from "./endpoints.ts";

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const descriptionDocs = {
  openapi: {
    tag: "Description",
    summary: "Get this document",
    description: "Returns the OpenAPI 3.1 description of the interface. Requires no key.",
    response: documented(z.looseObject({ openapi: z.string() }), { id: "OpenApiDocument" }),
    success: {},
  },

  docs: {
    tag: "Description",
    summary: "Get the reference",
    description:
      "Returns this description as a web page, with guides and a form to try each operation. Requires no key. The page is a single file that loads nothing else. With `Accept: text/markdown`, the same is Markdown, without the form; `GET /llms.txt` is an index of it.",
    response: z.string(),
    success: {},
  },
} satisfies Docs<typeof descriptionEndpoints>;
