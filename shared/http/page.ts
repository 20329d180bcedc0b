import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { isNotModified } from "../contract/preconditions.ts";

/** A text that was compressed when it was built. */
export interface CompressedText {
  text: string;
  /** In base64. */
  brotli: string;
  gzip: string;
  etag: string;
}

/** An HTML page as written by `web/build.ts`: everything in one file. */
export interface PageFile {
  html: CompressedText;
  /** Contains the hashes of the page's only script and style sheet. */
  contentSecurityPolicy: string;
  /** The same for programs that read, if there is one. */
  markdown?: CompressedText;
  /** An index of the reference in the format of `llms.txt` (llmstxt.org), if there is one. */
  llms?: CompressedText;
}

/** Public content, ready to send. */
export interface Page {
  contentType: string;
  /** By content coding; "identity" is the uncompressed content. */
  bodies: Record<"br" | "gzip" | "identity", Buffer>;
  headers: Record<string, string>;
  /** The same as Markdown, for whoever accepts that and no HTML. */
  markdown?: Page;
  /** Its index for programs that read, which is a page of its own. */
  llms?: Page;
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
 * @returns the page, with its index if it has one
 * @throws Error if the file does not exist because the page was not built (`web/build.ts`)
 */
export function readPage(path: string): Page {
  const { html, contentSecurityPolicy, markdown, llms }: PageFile = JSON.parse(readFileSync(path, "utf8"));
  const page = pageOf("text/html; charset=utf-8", html);
  Object.assign(page.headers, {
    "content-security-policy": contentSecurityPolicy,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
  });
  return {
    ...page,
    ...(markdown && { markdown: pageOf("text/markdown; charset=utf-8", markdown) }),
    ...(llms && { llms: pageOf("text/plain; charset=utf-8", llms) }),
  };
}

function pageOf(contentType: string, { text, brotli, gzip, etag }: CompressedText): Page {
  return {
    contentType,
    bodies: { identity: Buffer.from(text), br: Buffer.from(brotli, "base64"), gzip: Buffer.from(gzip, "base64") },
    headers: { ...commonHeaders(etag), vary: "accept, accept-encoding" },
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
 * Returns the response to a request for a page: as what and in the best coding that the client accepts, or a 304 if the
 * client has the page.
 *
 * @param request the request headers of these names
 */
export function pageResponse(
  page: Page,
  request: { accept?: string | undefined; acceptEncoding: string | undefined; ifNoneMatch: string | undefined },
): PageResponse {
  const { contentType, bodies, headers } = (wantsMarkdown(request.accept) && page.markdown) || page;
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

/** Whether a client asks for Markdown; browsers, which ask for HTML, never do. */
function wantsMarkdown(accept = ""): boolean {
  const accepted = acceptedOf(accept);
  return accepted.includes("text/markdown") && !accepted.includes("text/html");
}

/** Returns the smallest of our codings that `Accept-Encoding` allows (RFC 9110, section 12.5.3). */
function bestCoding(acceptEncoding: string): keyof Page["bodies"] {
  const accepted = acceptedOf(acceptEncoding);
  return (["br", "gzip"] as const).find((coding) => accepted.includes(coding)) ?? "identity";
}

/** Returns what a header such as `Accept` names, in lower case, without what it refuses with a weight of 0. */
function acceptedOf(header: string): (string | undefined)[] {
  return header
    .toLowerCase()
    .split(",")
    .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
    .map((item) => item.split(";")[0]?.trim());
}
