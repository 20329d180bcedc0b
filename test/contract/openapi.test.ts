import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument } from "../../shared/openapi/document.ts";

type Json = Record<string, unknown>;
interface Content {
  "application/fhir+json"?: { schema: unknown; examples?: Record<string, unknown> };
  "application/json": { schema: Json; examples: Record<string, { value: Json }> };
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; in: string; required: boolean; schema: Json; example: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Partial<Content> }>;
}

const document = JSON.parse(JSON.stringify(openApiDocument("https://example.test/v1"))) as {
  info: { description: string };
  components: { schemas: Record<string, { description?: string; properties: Record<string, Json> }> };
  paths: Record<string, Record<string, Operation>>;
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** The operations that require no key. */
const PUBLIC = ["GET /docs", "GET /openapi.json"];

/** Yields every value in the document with its JSON pointer. */
function* walk(value: unknown, pointer = "#"): Generator<[pointer: string, value: unknown]> {
  yield [pointer, value];
  if (typeof value === "object" && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      yield* walk(child, `${pointer}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
    }
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addSchema({ ...document, $id: "openapi" });

/** Returns the errors of validating a value against the schema at a pointer. */
function faults(pointer: string, value: unknown): unknown[] {
  const validate = ajv.getSchema(`openapi${pointer}`);
  if (!validate) {
    throw new Error(`no schema at ${pointer}`);
  }
  validate(value);
  return validate.errors ?? [];
}

describe("every example", () => {
  const examples = [...walk(document)].flatMap(([pointer, value]) => {
    const { schema, examples } = (value ?? {}) as Partial<Content["application/json"]>;
    return schema && examples
      ? Object.entries(examples).map(([name, { value }]) => ({ of: `${pointer}/schema`, name, value }))
      : [];
  });

  test("matches its schema", () => {
    expect(examples.length).toBeGreaterThan(100);
    const wrong = examples.filter(({ of, value }) => faults(of, value).length > 0);
    expect(wrong.map(({ of, name, value }) => ({ of, name, faults: faults(of, value) }))).toEqual([]);
  });

  test("of a field matches the field's schema", () => {
    const fields = [...walk(document.components.schemas, "#/components/schemas")].flatMap(([pointer, value]) => {
      const { type, examples } = (value ?? {}) as { type?: unknown; examples?: unknown };
      return type && Array.isArray(examples) ? examples.map((example) => ({ pointer, example })) : [];
    });
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.flatMap(({ pointer, example }) => faults(pointer, example))).toEqual([]);
  });

  test("exists: every request body and response has one, except the public operations", () => {
    for (const { name, operation } of operations.filter(({ name }) => !PUBLIC.includes(name))) {
      for (const [part, { content = {} }] of [
        ["body", operation.requestBody] as const,
        ...Object.entries(operation.responses),
      ].flatMap(([part, value]) => (value && part !== "304" ? [[part, value] as const] : []))) {
        const { examples = {} } = content["application/json"] ?? content["application/fhir+json"] ?? {};
        expect([name, part, Object.keys(examples).length]).not.toEqual([name, part, 0]);
      }
    }
  });
});

describe("links", () => {
  interface Link {
    operationId: string;
    parameters?: Record<string, string>;
    requestBody?: Json;
  }
  const links = operations.flatMap(({ name, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.entries((response as { links?: Record<string, Link> }).links ?? {}).map(([title, link]) => ({
        name,
        status,
        title,
        link,
        response,
      })),
    ),
  );

  test.each(links)("name an existing operation, parameter and fields: $name $title", ({ link, response }) => {
    const target = operations.find(({ operation }) => operation.operationId === link.operationId)?.operation;
    const parameters = (target?.parameters ?? []).filter(({ in: place }) => place === "path");
    expect(target).toBeDefined();
    expect(Object.keys(link.parameters ?? {})).toEqual(parameters.map(({ name }) => name));
    const bodies = Object.values(response.content?.["application/json"]?.examples ?? {}).map(({ value }) => value);
    for (const value of Object.values(link.parameters ?? {})) {
      const pointer = /^\$response\.body#\/(.*)$/.exec(String(value))?.[1];
      if (pointer !== undefined) {
        // biome-ignore lint/suspicious/noExplicitAny: walks down any JSON
        const found = bodies.map((body) => pointer.split("/").reduce((inner: any, key) => inner?.[key], body));
        expect(found).toContainEqual(expect.any(String));
      }
    }
  });
});

describe("a valid request", () => {
  test("is not made invalid by the example of Prefer, and the 400 of strict handling is described", () => {
    const preferring = operations.flatMap(({ operation: { parameters = [], responses } }) =>
      parameters.filter(({ name }) => name === "Prefer").map(({ example }) => ({ example, responses })),
    );
    expect(preferring).toHaveLength(9);
    for (const { example, responses } of preferring) {
      expect(example).toBe("handling=lenient");
      expect(responses["400"]?.description).toContain("with `Prefer: handling=strict`");
    }
  });

  test("needs a name or a phone number for a patient, which the document says in words", () => {
    const { description } = document.components.schemas.CreatePatientRequest ?? {};
    expect(description).toBe("A `name` that is not blank, a `phone_number`, or both are required");
  });

  const CREATE = "CreatePatientRequest";
  const UPDATE = "UpdatePatientRequest";
  const SEARCH = "SearchPatientsRequest";
  test.each<[string, unknown, boolean]>([
    [CREATE, { phone_number: "555 0100" }, false],
    [CREATE, { name: "Pat Example", phone_number: "1" }, false],
    [CREATE, { phone_number: "+44 20 7946 0958" }, true],
    [CREATE, { phone_number: "44 20 7946 0958" }, false],
    [CREATE, { phone_number: "+45 12 34" }, false],
    [CREATE, { phone_number: "+1 555 123 456" }, false],
    [CREATE, { name: "Pat Example" }, true],
    [CREATE, { name: "", phone_number: "(555) 123-4567" }, true],
    [CREATE, { phone_number: "1.555.123.4567" }, true],
    [
      UPDATE,
      { name: null, age: 34, medications: [{ name: "a" }], refill_info: { a: { b: 1 } }, notes: [{ a: 1 }] },
      true,
    ],
    [UPDATE, { alergies: "latex" }, false],
    [UPDATE, { medications: [{ name: "a", dose: "1 mg" }] }, false],
    [SEARCH, { phone_number: "+1 (555) 123-4567" }, true],
    [SEARCH, { phone_number: "" }, false],
    [SEARCH, { phone_number: "555 0100" }, false],
  ])("has a phone number that can be stored and no unknown fields: a %s of %j is valid: %j", (schema, body, valid) => {
    expect(faults(`#/components/schemas/${schema}`, body).length === 0).toBe(valid);
  });
});
