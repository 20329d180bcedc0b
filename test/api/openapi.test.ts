import { beforeAll, describe, expect, test } from "@jest/globals";
import { endpoints } from "../../shared/openapi/registry.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
// biome-ignore lint/suspicious/noExplicitAny: tests access the document freely
let document: any;
beforeAll(async () => {
  document = (await service.call("GET", "/openapi.json", { key: null })).body;
});

/** How an operation is authenticated, if not as the document says: not at all for what is published. */
const SECURITY: Record<string, object[]> = {
  "get /openapi.json": [],
  "get /docs": [],
  "post /openai/v1/chat/completions": [{ BearerKey: [] }, { ApiKeyHeader: [] }],
  "get /openai/v1/models": [{ BearerKey: [] }, { ApiKeyHeader: [] }],
  "get /openai/v1/models/{id}": [{ BearerKey: [] }, { ApiKeyHeader: [] }],
};

// biome-ignore lint/suspicious/noExplicitAny: as above
const operations = (): [name: string, operation: any][] =>
  Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, unknown] => [`${method} ${path}`, operation]),
  );

describe("GET /openapi.json", () => {
  test.each(["br", "gzip"])("is compressed with %s on request", async (coding) => {
    const reply = await service.call("GET", "/openapi.json", { key: null, headers: { "accept-encoding": coding } });
    expect(reply.headers.get("content-encoding")).toBe(coding);
    expect(reply.body).toEqual(document);
  });

  test("describes every operation, its parameters in the path, one success, and failures", () => {
    const declared = endpoints
      .filter(({ undocumented }) => !undocumented)
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    expect(operations().map(([name]) => name)).toEqual(expect.arrayContaining(declared));
    expect(operations()).toHaveLength(declared.length);
    for (const [name, { responses, parameters = [] }] of operations()) {
      const inPath = parameters.filter((parameter: { in: string }) => parameter.in === "path");
      expect(inPath.map(({ name, required }: { name: string; required: boolean }) => [name, required])).toEqual(
        [...name.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
      );
      expect(Object.keys(responses).filter((status) => status.startsWith("2"))).toHaveLength(1);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["429", "500"]));
    }
  });

  test.each([
    ["a letter that is not ASCII", "ý"],
    ["a space", "a b"],
    ["a tilde", "~"],
    ["300 letters", "A".repeat(300)],
  ])("gives the pattern of each part of a path that is a 400: %s", async (_, value) => {
    for (const [name, { parameters = [] }] of operations()) {
      const [method = "", path = ""] = name.split(" ");
      for (const parameter of parameters.filter((each: { in: string }) => each.in === "path")) {
        const filled = path.replace(`{${parameter.name}}`, encodeURIComponent(value)).replaceAll(/\{\w+\}/g, "12345");
        const body = ["put", "patch"].includes(method) ? {} : undefined;
        const { status, body: reply } = await service.call(method.toUpperCase(), filled, { body });
        const isNamed = status === 400 && reply.details?.some(({ path }: { path: string }) => path === parameter.name);
        const { pattern = "", maxLength = Number.POSITIVE_INFINITY } = parameter.schema;
        const isDescribed = !new RegExp(pattern, "u").test(value) || value.length > maxLength;
        expect([name, parameter.name, isNamed && !isDescribed]).toEqual([name, parameter.name, false]);
      }
    }
  });

  test("says that empty cursors, fields and lists are refused", () => {
    const byName = Object.fromEntries(operations());
    const query = (operation: string, wanted: string) =>
      byName[operation].parameters.find(({ name }: { name: string }) => name === wanted).schema;
    for (const [operation, name] of [
      ["get /events", "after"],
      ["get /feedback", "by"],
      ["get /threads/{id}/messages", "before"],
    ] as const) {
      expect(query(operation, name)).toEqual({ type: "string", minLength: 1 });
    }
    const { CreateWebhookRequest } = document.components.schemas;
    expect(CreateWebhookRequest.properties.events).toMatchObject({ minItems: 1 });
    const { schema } = byName["post /openai/v1/chat/completions"].requestBody.content["application/json"];
    expect(schema.properties.messages).toMatchObject({ minItems: 1 });
  });

  // As a parameter of each operation, it would be the first argument of generated methods.
  test("describes the x-request-id header once for all requests and in every response", () => {
    expect(document.info.description).toMatch(/header `x-request-id`: up to 128/);
    for (const [, { responses, parameters = [] }] of operations()) {
      expect(parameters).not.toContainEqual(expect.objectContaining({ name: "x-request-id" }));
      for (const status of Object.keys(responses).filter((status) => status !== "304")) {
        expect(responses[status].headers).toHaveProperty("x-request-id");
      }
    }
  });

  test("offers generators only the header for the key, names the query parameter, and requires a key, except for the public operations", () => {
    const description = expect.stringContaining("the query parameter `api_key` works");
    expect(document.components.securitySchemes).toEqual({
      ApiKeyHeader: { type: "apiKey", in: "header", name: "X-API-Key", description },
      BearerKey: expect.objectContaining({ type: "http", scheme: "bearer" }),
    });
    expect(document.security).toEqual([{ ApiKeyHeader: [] }]);
    for (const [name, { security }] of operations()) {
      expect([name, security]).toEqual([name, SECURITY[name]]);
    }
  });

  test("contains request examples that the service accepts", async () => {
    const patient = await service.newPatient();
    const threadId = await service.newThread();
    for (const path of ["/patients", "/threads", "/chat", "/openai/v1/chat/completions"]) {
      const { examples } = document.paths[path].post.requestBody.content["application/json"];
      for (const { value } of Object.values<{ value: object }>(examples)) {
        // Ids in the examples are made up; replace them with existing ones.
        const body = {
          ...value,
          ...("patientId" in value && { patientId: patient.id }),
          ...("threadId" in value && { threadId }),
          ...("metadata" in value &&
            path.startsWith("/openai") && { metadata: { thread_id: threadId }, stream: false }),
        };
        // Two patient examples share a phone number: the second is a 409, not an error in the example.
        expect([200, 201, 409]).toContain((await service.call("POST", path, { body })).status);
      }
    }
  });
});
