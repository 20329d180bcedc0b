import { beforeAll, describe, expect, test } from "@jest/globals";
import { type CallOptions, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const PHONE = "5550180001";
const NEW_THREAD = { body: {}, headers: { "idempotency-key": "a-key" } };

beforeAll(async () => {
  await service.newPatient({ phone_number: PHONE });
  await service.call("POST", "/threads", NEW_THREAD);
});

const CASES: [code: string, method: string, path: string, status: number, options?: CallOptions][] = [
  ["invalid", "POST", "/chat", 400, { body: {} }],
  ["unauthorized", "GET", "/threads/00000", 401, { key: null }],
  ["thread-not-found", "GET", "/threads/00000", 404],
  ["thread-not-found", "POST", "/chat", 404, { body: { message: "hello", threadId: "00000" } }],
  ["patient-not-found", "POST", "/chat", 404, { body: { message: "hello", patientId: UNKNOWN } }],
  ["patient-not-found", "GET", `/patients/${UNKNOWN}`, 404],
  ["phone-number-taken", "POST", "/patients", 409, { body: { phone_number: PHONE } }],
  ["precondition-failed", "DELETE", "/threads/00000", 412, { headers: { "if-match": '"a"' } }],
  ["too-large", "POST", "/chat", 413, { body: { message: "hello", padding: "x".repeat(300_000) } }],
  ["idempotency-key-reused", "POST", "/threads", 422, { ...NEW_THREAD, body: { metadata: { a: 1 } } }],
  ["model-not-found", "POST", "/openai/v1/chat/completions", 404, { body: { model: "a", messages: [] } }],
  ["route-not-found", "GET", "/nowhere", 404],
  ["method-not-allowed", "PUT", "/chat", 405],
  ["bad-request", "GET", "/threads/%E0%A4", 400],
];

describe("the header x-error-code", () => {
  test.each(CASES)("says %s: %s %s, %d", async (code, method, path, status, options = {}) => {
    const reply = await service.call(method, path, options);
    expect([reply.status, reply.headers.get("x-error-code")]).toEqual([status, code]);
  });

  test("says internal-error if the model fails", async () => {
    service.model.script = () => ({ status: 401 });
    const reply = await service.chat({ message: "hello" });
    expect([reply.status, reply.headers.get("x-error-code")]).toEqual([500, "internal-error"]);
  });

  test("is absent from a success", async () => {
    expect((await service.chat({ message: "hello" })).headers.get("x-error-code")).toBeNull();
  });

  test("is documented for every error, with its codes", async () => {
    const { paths } = (await service.call("GET", "/openapi.json")).body;
    for (const [code, method, path, status] of CASES.filter(([, , , status]) => status !== 405).filter(
      ([code]) => code !== "route-not-found",
    )) {
      const documented = paths[path.replace(/\/(\d{5}|[0-9a-f-]{36}|%.*)$/, "/{id}")][method.toLowerCase()];
      expect(documented.responses[status].headers["x-error-code"].description).toContain(`\`${code}\``);
    }
  });
});
