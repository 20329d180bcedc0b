import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let root: string;
beforeAll(async () => {
  root = new URL("/", service.baseUrl).href;
});

describe("the root page of the local service", () => {
  test("is the playground, which can load nothing from other hosts", async () => {
    const response = await fetch(root);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'sha256-/);
    const page = await response.text();
    expect(page).toContain("<title>Playground: ");
    const markup = page.replaceAll(/<script>.*?<\/script>/gs, ""); // the policy limits what the script loads
    expect(markup.length).toBeGreaterThan(5_000);
    expect(markup).not.toMatch(/(src|href)="(?!#|data:,|docs")/);
  });

  test("contains the key for its own pages but not for pages of other sites", async () => {
    const ask = (headers: Record<string, string>) => status("/local-service.json", headers);
    const { host } = new URL(root);
    expect(await ask({ host, "sec-fetch-site": "same-origin" })).toEqual([
      200,
      JSON.stringify({ apiKey: API_KEY, offlineModel: false }),
    ]);
    for (const headers of [
      { host },
      { host, "sec-fetch-site": "cross-site" },
      { host: "attacker.example", "sec-fetch-site": "same-origin" },
      { host: "127.0.0.1.attacker.example:3000", "sec-fetch-site": "same-origin" },
    ]) {
      expect(await ask(headers as Record<string, string>)).toEqual([404, expect.not.stringContaining(API_KEY)]);
    }
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

/** Returns the status and body of the response to a request with headers that `fetch` does not send. */
async function status(path: string, headers: Record<string, string>): Promise<[number | undefined, string]> {
  const [response] = (await once(get(new URL(path, root), { headers }), "response")) as [IncomingMessage];
  return [response.statusCode, await text(response)];
}
