import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type LocalService, startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { CONTEXTS, stageAssemblies } from "../helpers/template/stages.ts";
import { Template } from "../helpers/template/template.ts";

const ORIGIN = CONTEXTS.cors.corsOrigin;
const KEY = "a-key";

const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
let service: LocalService;
let assembly: string;
beforeAll(async () => {
  assembly = join(await stageAssemblies(), "cors");
  const settings = readSettings({ PORT: "0", API_KEY: KEY, DATA_DIR: folder, CORS_ORIGIN: ORIGIN });
  service = await startService(settings, assembly, { onRequest: () => {}, onLog: () => {} });
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(`${service.baseUrl}${path}`, { method, headers: { origin: ORIGIN, ...headers }, ...(body && { body }) });

const withKey = { "x-api-key": KEY };

/** Asserts the headers that let a page of the origin read a response. */
function expectReadable({ headers }: Response): void {
  expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
  expect(headers.get("access-control-expose-headers")).toBe(
    "x-request-id,x-error-code,x-help-lines,retry-after,etag,idempotent-replayed,x-phone-lookup,x-did-you-mean,x-ignored,ai-disclosure,ratelimit,ratelimit-policy",
  );
  expect(headers.get("access-control-allow-credentials")).toBeNull();
}

describe("with a CORS origin, its pages", () => {
  test.each(endpoints.map(({ method, path }) => [method, path]))("may call %s %s", async (method, path) => {
    const response = await send("OPTIONS", path.replaceAll(/\{\w+\}/g, "48213"), {
      "access-control-request-method": method,
    });
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(response.headers.get("access-control-allow-methods")?.split(",")).toContain(method);
    expect(response.headers.get("access-control-allow-headers")?.split(",")).toEqual(
      expect.arrayContaining(["x-api-key", "content-type", "accept", "idempotency-key", "x-request-id"]),
    );
  });

  test("may read successful responses, plain and streamed", async () => {
    for (const accept of ["application/json", "text/event-stream"]) {
      const response = await send("POST", "/chat", { ...withKey, accept }, '{"message":"hello"}');
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain(accept);
      expectReadable(response);
      await response.text();
    }
  });

  test.each([
    ["of a function", "GET", "/threads/00000", withKey, undefined, 404],
    ["of a missing key", "POST", "/chat", {}, '{"message":"hello"}', 401],
    ["of an invalid body", "POST", "/patients", withKey, "{}", 400],
    ["of the gateway", "GET", "/nowhere", {}, undefined, 404],
  ])("may read errors %s", async (_, method, path, headers, body, status) => {
    const response = await send(method, path, headers, body);
    expect(response.status).toBe(status);
    expectReadable(response);
  });

  test("may read the firewall's rejections", () => {
    const [, { Properties }] = new Template(assembly).one("AWS::WAFv2::WebACL");
    const limit = Properties.Rules.find(({ Name }: { Name: string }) => Name === "RequestsPerAddress");
    expect(limit.Action.Block.CustomResponse.ResponseHeaders).toEqual(
      expect.arrayContaining([{ Name: "access-control-allow-origin", Value: ORIGIN }]),
    );
  });
});

test("without a CORS origin, there is no preflight and no CORS header", () => {
  const template = new Template(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const methods = template.ofType("AWS::ApiGateway::Method").map(([, { Properties }]) => Properties.HttpMethod);
  expect(methods).not.toContain("OPTIONS");
  expect(JSON.stringify(template.resources)).not.toMatch(/access-control|CORS_ORIGIN/i);
});
