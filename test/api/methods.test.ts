import { describe, expect, test } from "@jest/globals";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}${path}`, { method, headers: { "x-api-key": API_KEY, ...headers } });

/** Headers that are the same for each request for the same thing. */
function compared({ status, headers }: Response) {
  const names = ["content-type", "cache-control", "etag", "x-error-code", "content-encoding"];
  return [status, ...names.map((name) => headers.get(name))];
}

describe("HEAD has the status and headers of GET, and no body:", () => {
  test.each(["/docs", "/openapi.json", "/threads/00000", "/threads/00000/messages", "/patients/no-such-patient"])(
    "%s",
    async (path) => {
      const [get, head] = [await send("GET", path), await send("HEAD", path)];
      expect(await head.text()).toBe("");
      expect(compared(head)).toEqual(compared(get));
      await get.text();
    },
  );

  test("a patient's record, with its ETag", async () => {
    const { id } = await service.newPatient();
    for (const path of [`/patients/${id}`, `/patients/${id}/threads`, `/patients/${id}/export`]) {
      const [get, head] = [await send("GET", path), await send("HEAD", path)];
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect(compared(head)).toEqual(compared(get));
      await get.text();
    }
    expect((await fetch(`${service.baseUrl}/patients/${id}`, { method: "HEAD" })).status).toBe(401);
  });
});

describe("a method that a path does not have is a 405 with those that it has:", () => {
  test.each([
    ["GET", "/chat", "POST"],
    ["HEAD", "/chat", "POST"],
    ["OPTIONS", "/chat", "POST"],
    ["PATCH", "/threads/12345", "GET, HEAD, DELETE"],
    ["DELETE", "/threads/12345/messages", "GET, HEAD, POST"],
    ["PUT", "/patients/00000000-0000-4000-8000-000000000000", "GET, HEAD, PATCH, DELETE"],
    ["PATCH", "/webhooks", "POST, GET, HEAD"],
    ["POST", "/openapi.json", "GET, HEAD"],
  ])("%s %s", async (method, path, allow) => {
    for (const type of ["application/json; charset=utf-8", "text/plain", "application/xml"]) {
      const response = await send(method, path, { "content-type": type });
      expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
      expect(response.headers.get("x-request-id")).toMatch(/./);
      expect(compared(response)).toEqual([405, "application/json", "no-store", null, "method-not-allowed", null]);
      const body = await response.text();
      expect(body).toBe(method === "HEAD" ? "" : '{"success":false,"error":"Method not allowed"}');
    }
  });
});
