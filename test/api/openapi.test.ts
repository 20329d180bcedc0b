import { beforeAll, describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
// biome-ignore lint/suspicious/noExplicitAny: tests access the document freely
let document: any;
beforeAll(async () => {
  document = (await service.call("GET", "/openapi.json", { key: null })).body;
});

/** Every operation with every status that it can return. */
const OPERATIONS: [operation: string, statuses: string[]][] = [
  ["post /chat", ["200", "400", "401", "404", "413", "429", "500"]],
  ["post /threads", ["201", "400", "401", "404", "413", "422", "429", "500"]],
  ["get /threads/{id}/messages", ["200", "400", "401", "404", "429", "500"]],
  ["patch /patients/{id}", ["200", "400", "401", "404", "409", "412", "413", "429", "500"]],
  ["delete /patients/{id}", ["200", "401", "404", "429", "500"]],
  ["post /patients/search", ["200", "400", "401", "413", "429", "500"]],
  ["get /patients/{id}/threads", ["200", "400", "401", "404", "429", "500"]],
  ["get /patients/{id}/export", ["200", "401", "404", "413", "429", "500"]],
  ["get /threads/{id}", ["200", "401", "404", "429", "500"]],
  ["delete /threads/{id}", ["200", "401", "404", "429", "500"]],
  ["put /threads/{id}/messages/{messageId}/feedback", ["200", "400", "401", "404", "413", "429", "500"]],
  ["delete /threads/{id}/messages/{messageId}/feedback", ["200", "401", "404", "429", "500"]],
  ["get /feedback", ["200", "400", "401", "429", "500"]],
  ["get /threads/{id}/handoff", ["200", "401", "404", "429", "500"]],
  ["put /threads/{id}/handoff", ["200", "400", "401", "404", "413", "429", "500"]],
  ["delete /threads/{id}/handoff", ["200", "401", "404", "429", "500"]],
  ["post /threads/{id}/messages", ["201", "400", "401", "404", "409", "413", "429", "500"]],
  ["post /patients", ["201", "400", "401", "409", "413", "422", "429", "500"]],
  ["get /patients/{id}", ["200", "401", "404", "429", "500"]],
  ["post /webhooks", ["201", "400", "401", "409", "413", "415", "429", "500"]],
  ["get /webhooks", ["200", "401", "429", "500"]],
  ["delete /webhooks/{id}", ["200", "401", "404", "429", "500"]],
  ["post /webhooks/{id}/rotate", ["200", "401", "404", "429", "500"]],
  ["post /webhooks/{id}/test", ["200", "401", "404", "429", "500"]],
  ["get /events", ["200", "400", "401", "429", "500"]],
  ["post /openai/v1/chat/completions", ["200", "400", "401", "404", "409", "413", "415", "422", "429", "500"]],
  ["get /openai/v1/models", ["200", "401", "429", "500"]],
  ["get /openai/v1/models/{id}", ["200", "400", "401", "404", "429", "500"]],
  ["get /openapi.json", ["200", "304", "429", "500"]],
  ["get /docs", ["200", "304", "429", "500"]],
];

/** How an operation is authenticated, if not as the document says: not at all for what is published. */
const SECURITY: Record<string, object[]> = {
  "get /openapi.json": [],
  "get /docs": [],
  "post /openai/v1/chat/completions": [{ BearerKey: [] }, { ApiKeyHeader: [] }],
  "get /openai/v1/models": [{ BearerKey: [] }, { ApiKeyHeader: [] }],
  "get /openai/v1/models/{id}": [{ BearerKey: [] }, { ApiKeyHeader: [] }],
};

function operationOf(name: string) {
  const [method = "", path = ""] = name.split(" ");
  return document.paths[path]?.[method];
}

describe("GET /openapi.json", () => {
  test.each([null, "some other key"])("needs no key (%j)", async (key) => {
    const reply = await service.call("GET", "/openapi.json", { key });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toContain("application/json");
  });

  test("is an OpenAPI 3.1 document of this service", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(document.servers).toEqual([{ url: service.baseUrl }]);
  });

  test.each(["br", "gzip"])("is compressed with %s on request", async (coding) => {
    const reply = await service.call("GET", "/openapi.json", { key: null, headers: { "accept-encoding": coding } });
    expect(reply.headers.get("content-encoding")).toBe(coding);
    expect(reply.body).toEqual(document);
  });

  test("returns 304 to a client that has it", async () => {
    const { headers } = await service.call("GET", "/openapi.json", { key: null });
    const conditional = { "if-none-match": headers.get("etag") ?? "" };
    const reply = await service.call("GET", "/openapi.json", { key: null, headers: conditional });
    expect([reply.status, reply.body]).toEqual([304, undefined]);
  });

  test("describes every operation, and no other", () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(OPERATIONS.map(([operation]) => operation).sort());
  });

  test.each(OPERATIONS)("%s: describes every status", (operation, statuses) => {
    const { responses, operationId, parameters = [] } = operationOf(operation);
    const successful = (all: string[]) => all.filter((status) => status.startsWith("2"));
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses));
    expect(successful(Object.keys(responses))).toEqual(successful(statuses));
    expect(operationId).toEqual(expect.any(String));
    const inPath = parameters.filter((parameter: { in: string }) => parameter.in === "path");
    expect(inPath.map(({ name, required }: { name: string; required: boolean }) => [name, required])).toEqual(
      [...operation.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
    );
  });

  // As a parameter of each operation, it would be the first argument of generated methods.
  test("describes the x-request-id header once for all requests and in every response", () => {
    expect(document.info.description).toMatch(/header `x-request-id`: up to 128/);
    for (const [operation, statuses] of OPERATIONS) {
      const { responses, parameters = [] } = operationOf(operation);
      expect(parameters).not.toContainEqual(expect.objectContaining({ name: "x-request-id" }));
      for (const status of statuses.filter((status) => status !== "304")) {
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
    for (const [operation] of OPERATIONS) {
      expect(operationOf(operation).security).toEqual(SECURITY[operation]);
    }
  });

  test("contains request examples that the service accepts", async () => {
    const { patient } = (
      await service.call("POST", "/patients", { body: { name: "Pat Example", age: 1, gender: "x" } })
    ).body;
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
