import { createHash } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { ERROR_CODES } from "../../shared/openapi/error-codes.ts";
import { setUpService } from "../helpers/service/service.ts";

const MEGABYTE = 1024 * 1024;

/** The response size limit of Lambda and API Gateway ("Lambda quotas", "Amazon API Gateway quotas"). */
const LAMBDA_LIMIT = 6 * MEGABYTE;

const service = setUpService();
let page: string;
beforeAll(async () => {
  page = (await ask({})).body.toString();
});

/** Requests the reference without decompressing it, as `fetch` would. */
async function ask(headers: Record<string, string>, query = "") {
  const [response] = (await once(get(`${service.baseUrl}/docs${query}`, { headers }), "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** The text of the page without its markup. */
function readable(): string {
  return page
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");
}

describe("GET /docs", () => {
  test("needs no key", async () => {
    const reply = await ask({});
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      vary: expect.stringContaining("accept-encoding"),
      "x-request-id": expect.stringMatching(/./),
    });
  });

  test("is compressed on request, without base64 encoding, whatever the Accept header", async () => {
    for (const accept of ["text/html,application/xhtml+xml,*/*;q=0.8", "*/*", "application/json"]) {
      const brotli = await ask({ accept, "accept-encoding": "gzip, deflate, br" });
      expect(brotli.headers["content-encoding"]).toBe("br");
      expect(brotliDecompressSync(brotli.body).toString()).toBe(page);
      const gzip = await ask({ accept, "accept-encoding": "gzip" });
      expect(gzip.headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(gzip.body).toString()).toBe(page);
    }
  });

  test("is Markdown for whoever accepts that and no HTML: every guide and operation, in the codings and as a 304", async () => {
    const reply = await ask({ accept: "text/markdown, */*;q=0.1" });
    expect(reply.headers).toMatchObject({
      "content-type": "text/markdown; charset=utf-8",
      vary: "accept, accept-encoding",
    });
    const text = reply.body.toString();
    const document = (await service.call("GET", "/openapi.json", { key: null })).body;
    for (const [path, methods] of Object.entries<object>(document.paths)) {
      for (const method of Object.keys(methods)) {
        expect(text).toContain(`\`${method.toUpperCase()} ${path}\``);
      }
    }
    expect(text).toMatch(/^# API reference: .*### Consent\n.*### Safety\n.*### Ask the assistant\n/s);
    expect(text).not.toMatch(/\{(errorCodes|idleTime|contextMessages|gatewaySeconds)\}/);
    const gzip = await ask({ accept: "text/markdown", "accept-encoding": "gzip" });
    expect(gunzipSync(gzip.body).toString()).toBe(text);
    expect(gzip.body.length).toBeLessThan(MEGABYTE / 10);
    const etag = reply.headers.etag ?? "";
    expect((await ask({ accept: "text/markdown", "if-none-match": etag })).status).toBe(304);
    expect((await ask({ accept: "text/html", "if-none-match": etag })).status).toBe(200);
    expect((await ask({ accept: "text/html,text/markdown" })).headers["content-type"]).toMatch(/html/);
    expect((await ask({ accept: "text/markdown;q=0, */*" })).headers["content-type"]).toMatch(/html/);
  });

  test("has an index at /llms.txt, with a link to every guide and operation on the page, that needs no key", async () => {
    const reply = await fetch(`${service.baseUrl}/llms.txt`, { headers: { accept: "text/markdown" } });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    const text = await reply.text();
    expect(text).toMatch(/^# .+\n\n> .+\n\n.+\n\n## Reference\n/);
    const document = (await service.call("GET", "/openapi.json", { key: null })).body;
    for (const [path, methods] of Object.entries<object>(document.paths)) {
      for (const method of Object.keys(methods)) {
        expect(text).toContain(`\`${method.toUpperCase()} ${path}\``);
      }
    }
    const links = [...text.matchAll(/\]\((.*?)\)/g)].map(([, link]) => link ?? "");
    const leadsNowhere = (link: string) => {
      const [path, id] = link.split("#");
      return !["docs", "openapi.json"].includes(path ?? "") || (id !== undefined && !page.includes(`id="${id}"`));
    };
    expect(links.filter(leadsNowhere)).toEqual([]);
    expect(links.length).toBeGreaterThan(40);
    const etag = reply.headers.get("etag") ?? "";
    expect((await fetch(`${service.baseUrl}/llms.txt`, { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  test("is small, compressed or not", async () => {
    expect(Buffer.byteLength(page)).toBeLessThan(LAMBDA_LIMIT / 2);
    expect((await ask({ "accept-encoding": "gzip" })).body.length).toBeLessThan(MEGABYTE / 10);
  });

  test("returns 304 to a browser that has cached it", async () => {
    const { etag = "", "cache-control": cacheControl } = (await ask({})).headers;
    expect(cacheControl).toMatch(/^public, max-age=\d+$/);
    const again = await ask({ "if-none-match": etag });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
  });

  test("has a content security policy that allows only its own script and style sheet", async () => {
    const policy = String((await ask({})).headers["content-security-policy"]);
    const hash = (tag: string) => {
      const [, content = "", ...more] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(page) ?? [];
      expect([more.length, page.split(`<${tag}`).length]).toEqual([0, 2]);
      return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
    };
    expect(Object.fromEntries(policy.split("; ").map((directive) => directive.split(/ (.*)/s).slice(0, 2)))).toEqual({
      "default-src": "'none'",
      "script-src": hash("script"),
      "style-src": hash("style"),
      "connect-src": "'self'",
      "img-src": "data:",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    });
    expect(page).not.toMatch(/\s(style|on\w+)="/);
    const markup = page.replaceAll(/<script.*?<\/script>/gs, "");
    expect(markup).not.toMatch(/(src|href)="(?!#|data:|openapi\.json|llms\.txt|docs")/);
  });
});

describe("the reference contains", () => {
  test("every operation of the published document with its examples, including errors", async () => {
    const document = (await service.call("GET", "/openapi.json", { key: null })).body;
    const text = readable();
    let examples = 0;
    for (const [path, methods] of Object.entries<Record<string, Record<string, unknown>>>(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        expect(text).toContain(`${operation.summary} ${method.toUpperCase()} ${path}`);
        for (const value of examplesIn(operation)) {
          expect(text).toContain(JSON.stringify(value, undefined, 2).replaceAll(/\s+/g, " "));
          examples++;
        }
      }
    }
    expect(examples).toBeGreaterThan(50);
  });

  test("every field of every body", async () => {
    const { components } = (await service.call("GET", "/openapi.json", { key: null })).body;
    const names = new Set(
      Object.values<{ properties?: object }>(components.schemas).flatMap(({ properties = {} }) =>
        Object.keys(properties),
      ),
    );
    expect(names.size).toBeGreaterThan(30);
    const isShown = (name: string) => new RegExp(`<dt[^>]*>(<a [^>]*>)?<code>${name}</code>`).test(page);
    expect([...names].filter((name) => !isShown(name)).sort()).toEqual([
      "details",
      "error",
      "help",
      "issue",
      "moreDetails",
    ]);
  });

  test("every error of every operation with its code, its text and what to do, and the code is a link", async () => {
    const document = (await service.call("GET", "/openapi.json", { key: null })).body;
    const text = readable();
    const codes = new Set<string>();
    for (const [error, example] of errorsIn(document)) {
      codes.add(example.summary);
      expect(text).toContain(
        `${example.summary} ${error} ${example.description.replaceAll("`", " ")}`.replaceAll(/\s+/g, " "),
      );
      expect(page).toContain(`<code id="error-${example.summary}">`);
    }
    const gateway = [
      ...["forbidden", "route-not-found", "method-not-allowed", "service-unavailable"],
      ...["too-many-concurrent-requests", "too-many-requests-per-second"],
      ...["too-many-requests-from-address", "too-many-requests-in-all"],
    ];
    const undocumented = [...gateway, "chat-completions-only", "wrong-base-url"];
    expect([...codes, ...undocumented].sort()).toEqual(Object.keys(ERROR_CODES).sort());
    expect(page.match(/<code id="error-/g)).toHaveLength(codes.size + undocumented.length);
  });

  test("no broken links and no duplicate ids", () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...page.matchAll(/(?:href="#|for="|aria-labelledby="|aria-describedby=")([^"]+)"/g)].map(
      ([, id]) => id,
    );
    expect(targets.length).toBeGreaterThan(20);
    expect(targets.filter((id) => !ids.includes(id ?? ""))).toEqual([]);
  });
});

interface Failure {
  content: { "application/json": { examples: Record<string, { summary: string; description: string }> } };
}

/** The examples of all errors, by their text. */
function errorsIn({ paths }: { paths: Record<string, Record<string, { responses: Record<string, Failure> }>> }) {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => status >= "400")
    .flatMap(([, { content }]) => Object.entries(content["application/json"].examples));
}

/** The values of all examples of an operation's bodies. */
function* examplesIn(part: unknown): Generator<unknown> {
  if (typeof part === "object" && part !== null) {
    for (const [key, value] of Object.entries(part)) {
      if (key === "examples") {
        yield* Object.values<{ value: unknown }>(value).map((example) => example.value);
      } else if (key !== "schema") {
        yield* examplesIn(value);
      }
    }
  }
}
