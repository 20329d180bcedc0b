import { openApiDocument } from "../shared/openapi/document.ts";

/** `node tools/print-openapi.ts`: prints the OpenAPI document, for linters and generators of clients. */
process.stdout.write(JSON.stringify(openApiDocument("https://api.example.com/v1")));
