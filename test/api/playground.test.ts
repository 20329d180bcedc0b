import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestService, type TestService } from "../helpers/service/service.ts";

let service: TestService;
let root: string;
beforeAll(async () => {
  service = await startTestService();
  root = new URL("/", service.baseUrl).href;
});
afterAll(() => service.stop());

describe("the root page of the local service", () => {
  test("is the playground, which can load nothing from other hosts", async () => {
    const response = await fetch(root);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'sha256-/);
    const page = await response.text();
    expect(page).toContain("<title>Playground: ");
    expect(page).not.toMatch(/(src|href)="(?!#|data:,|docs")/);
  });

  test("returns 304 to a browser that has cached it", async () => {
    const etag = (await fetch(root)).headers.get("etag") ?? "";
    const again = await fetch(root, { headers: { "if-none-match": etag }, cache: "no-store" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test.each([
    ["POST", "/"],
    ["GET", "/playground"],
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/v1/playground"],
  ])("exists only at the root: %s %s returns 404", async (method, path) => {
    const response = await fetch(new URL(path, root), { method });
    expect([response.status, await response.json()]).toEqual([404, { success: false, error: "Not found" }]);
  });
});
