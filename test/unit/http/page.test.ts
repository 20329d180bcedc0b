import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "@jest/globals";
import { type Page, pageResponse, readPage } from "../../../shared/http/page.ts";

const folder = mkdtempSync(join(tmpdir(), "page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HTML = "<!doctype html><title>A page – of this service</title>";
const ETAG = 'W/"some-hash"';

function somePage(): Page {
  const path = join(folder, "page.json");
  const file = {
    html: {
      text: HTML,
      brotli: brotliCompressSync(HTML).toString("base64"),
      gzip: gzipSync(HTML).toString("base64"),
      etag: ETAG,
    },
    contentSecurityPolicy: "default-src 'none'",
  };
  writeFileSync(path, JSON.stringify(file));
  return readPage(path);
}

const page = somePage();
const ask = (acceptEncoding?: string, ifNoneMatch?: string) => pageResponse(page, { acceptEncoding, ifNoneMatch });

describe("a page", () => {
  test("that was not built causes an error when the function starts, not on the first request", () => {
    expect(() => readPage(join(folder, "no-such-page.json"))).toThrow("ENOENT");
  });

  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0.0, gzip; q=0", undefined],
    ["br;q=0.001", "br"],
    ["identity", undefined],
    ["brotli, xgzip", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("is sent in the best accepted encoding: %j gives %j", (acceptEncoding, coding) => {
    const { statusCode, headers, body } = ask(acceptEncoding);
    expect(statusCode).toBe(200);
    expect(headers["content-encoding"]).toBe(coding);
    const whole = { br: brotliCompressSync(HTML), gzip: gzipSync(HTML) }[coding ?? ""] ?? Buffer.from(HTML);
    expect(body).toEqual(whole);
  });
});
