import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { isNotModified } from "../contract/preconditions.ts";

/** An HTML page as written by `web/build.ts`: everything in one file, compressed at build time. */
export interface PageFile {
  html: string;
  /** The compressed page, in base64. */
  brotli: string;
  gzip: string;
  etag: string;
  /** Contains the hashes of the page's only script and style sheet. */
  contentSecurityPolicy: string;
}

/** Public content, ready to send. */
export interface Page {
  contentType: string;
  /** By content coding; "identity" is the uncompressed content. */
  bodies: Record<"br" | "gzip" | "identity", Buffer>;
  headers: Record<string, string>;
}

export interface PageResponse {
  statusCode: 200 | 304;
  headers: Record<string, string>;
  /** Empty for a 304. */
  body: Buffer;
}

/** How long a browser may reuse a page: long enough for navigation, short enough after a deployment. */
const MAX_AGE_SECONDS = 300;

/**
 * Reads an HTML page.
 *
 * @throws Error if the file does not exist because the page was not built (`web/build.ts`)
 */
export function readPage(path: string): Page {
  const { html, brotli, gzip, etag, contentSecurityPolicy }: PageFile = JSON.parse(readFileSync(path, "utf8"));
  return {
    contentType: "text/html; charset=utf-8",
    bodies: { identity: Buffer.from(html), br: Buffer.from(brotli, "base64"), gzip: Buffer.from(gzip, "base64") },
    headers: {
      ...commonHeaders(etag),
      "content-security-policy": contentSecurityPolicy,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
    },
  };
}

/** Returns a JSON document as a page. */
export function jsonPage(document: unknown): Page {
  const identity = Buffer.from(JSON.stringify(document));
  const hash = createHash("sha256").update(identity).digest("base64url").slice(0, 16);
  return {
    contentType: "application/json; charset=utf-8",
    bodies: {
      identity,
      // The default quality, 11, takes a hundred times as long.
      br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
      gzip: gzipSync(identity),
    },
    headers: commonHeaders(`W/"${hash}"`),
  };
}

function commonHeaders(etag: string) {
  return {
    etag,
    vary: "accept-encoding",
    "cache-control": `public, max-age=${MAX_AGE_SECONDS}`,
    "x-content-type-options": "nosniff",
  };
}

/**
 * Returns the response to a request for a page: in the best coding that the client accepts, or a 304 if the client has
 * the page.
 *
 * @param request the request headers of these names
 */
export function pageResponse(
  { contentType, bodies, headers }: Page,
  request: { acceptEncoding: string | undefined; ifNoneMatch: string | undefined },
): PageResponse {
  if (isNotModified({ ifNoneMatch: request.ifNoneMatch }, headers.etag)) {
    return { statusCode: 304, headers, body: Buffer.alloc(0) };
  }
  const coding = bestCoding(request.acceptEncoding ?? "");
  return {
    statusCode: 200,
    headers: {
      ...headers,
      "content-type": contentType,
      ...(coding !== "identity" && { "content-encoding": coding }),
    },
    body: bodies[coding],
  };
}

/** Returns the smallest of our codings that `Accept-Encoding` allows (RFC 9110, section 12.5.3). */
function bestCoding(acceptEncoding: string): keyof Page["bodies"] {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(",")
    .filter((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding))
    .map((coding) => coding.split(";")[0]?.trim());
  return (["br", "gzip"] as const).find((coding) => accepted.includes(coding)) ?? "identity";
}
