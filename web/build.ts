import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { CompressedText, PageFile } from "../shared/http/page.ts";
import { openApiDocument } from "../shared/openapi/document.ts";
import type { ApiDocument } from "./docs/document.ts";
import { llmsText } from "./docs/llms-text.ts";
import { referenceBody } from "./docs/reference.ts";
import { referenceMarkdown } from "./docs/reference-markdown.ts";
import { html, Markup } from "./html.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = join(ROOT, "web");

/** The heart of the pages' headers, for the tab. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0a5685" d="M12 20.5S3.5 15.6 3.5 9.3A4.6 4.6 0 0 1 12 6.8a4.6 4.6 0 0 1 8.5 2.5c0 6.3-8.5 11.2-8.5 11.2Z"/></svg>',
)}`;

/** What a page is made of. */
interface PageParts {
  title: string;
  description: string;
  body: Markup;
  css: string;
  script: string;
  /** The Trusted Types policy with which the script's sanitizer makes markup, if it has one. */
  sanitizer?: string;
  /** The same for programs that read, and its index. */
  markdown?: string;
  llms?: string;
}

/**
 * Builds the web pages, each beside the bundle that shows it, as one file with everything in it.
 *
 * @param bundles the folder of the bundles
 * @throws esbuild's errors
 */
export async function buildPages(bundles: string): Promise<void> {
  const document = JSON.parse(JSON.stringify(openApiDocument(""))) as ApiDocument;
  write(join(bundles, "docs"), {
    title: `API reference: ${document.info.title}`,
    description: "Guides, operations, examples and a form to try each of them",
    body: referenceBody(document),
    css: await bundle("docs/docs.css"),
    script: await bundle("docs/browser/main.ts"),
    markdown: referenceMarkdown(document),
    llms: llmsText(document),
  });
  write(join(bundles, "playground"), {
    title: `Playground: ${document.info.title}`,
    description: "Talk to the assistant, and see the requests and responses",
    body: new Markup(readFileSync(join(PAGES, "playground", "body.html"), "utf8")),
    css: await bundle("playground/playground.css"),
    script: await bundle("playground/browser/main.ts"),
    sanitizer: "dompurify",
  });
}

/** A style sheet, or a browser's script, with what it imports; minified. */
async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(PAGES, entry)],
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
    format: "iife",
    legalComments: "none",
    logLevel: "warning",
  });
  return outputFiles[0]?.text.trim() ?? "";
}

/** Puts a page into a folder, in one step: what reads it at the same time finds the old one or the new one, whole. */
function write(folder: string, parts: PageParts): void {
  const path = join(folder, "page.json");
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(pageFile(parts)));
  renameSync(`${path}.new`, path);
}

function pageFile({ title, description, body, css, script, sanitizer, markdown, llms }: PageParts): PageFile {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${ICON}">${
    markdown !== undefined &&
    html`
<link rel="alternate" type="text/markdown" href="docs">`
  }
<style>${new Markup(css)}</style>
</head>
<body>
${body}
<script>${new Markup(script)}</script>
</body>
</html>
`.text;
  return {
    html: compressed(text),
    contentSecurityPolicy: policy(script, css, sanitizer),
    ...(markdown !== undefined && { markdown: compressed(markdown) }),
    ...(llms !== undefined && { llms: compressed(llms) }),
  };
}

function compressed(text: string): CompressedText {
  return {
    text,
    brotli: brotliCompressSync(text).toString("base64"),
    gzip: gzipSync(text, { level: 9 }).toString("base64"),
    // Weak, since the codings share it.
    etag: `W/"${sha256(text).slice(0, 22)}"`,
  };
}

/**
 * Nothing but the page's own script and style sheet, and requests to its own origin (W3C, "Content Security Policy
 * Level 3"). Trusted Types prevent the script from making markup of a response, except through a sanitizer.
 */
function policy(script: string, css: string, sanitizer = "'none'"): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script)}'`,
    `style-src 'sha256-${sha256(css)}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${sanitizer}`,
  ].join("; ");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
