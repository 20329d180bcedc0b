import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { marked, type Token, type Tokens } from "marked";

const ROOT = join(import.meta.dirname, "..", "..");
/** The paths of all tracked and untracked files of the repository that are not ignored. */
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => existsSync(join(ROOT, file)));
const documents = tracked.filter((file) => file.endsWith(".md"));

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** The targets of all links and images, including those in embedded HTML. */
function linksIn(markdown: string): string[] {
  const links: string[] = [];
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (token.type === "link" || token.type === "image") {
      links.push((token as Tokens.Link | Tokens.Image).href);
    } else if (token.type === "html") {
      links.push(...[...token.raw.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, target = ""]) => target));
    }
  });
  return links;
}

/** The anchors that GitHub assigns to headings: lowercase, without punctuation, numbered if repeated. */
function anchorsIn(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (token.type === "heading") {
      const slug = plainText(token.tokens ?? [])
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
        .replaceAll(" ", "-");
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      anchors.add(times === 0 ? slug : `${slug}-${times}`);
    }
  });
  return anchors;
}

function plainText(tokens: Token[]): string {
  return tokens.map((token) => ("tokens" in token && token.tokens ? plainText(token.tokens) : textOf(token))).join("");
}

const textOf = (token: Token) => ("text" in token ? String(token.text) : "");

/**
 * Returns the broken links of a document. Links to other sites only need a valid URL: nothing is requested.
 *
 * @param file the document's path in the repository
 * @returns `<file>: <link>`
 */
function brokenLinks(file: string, markdown: string): string[] {
  const resolves = (link: string): boolean => {
    if (/^[a-z]+:/i.test(link)) {
      return URL.canParse(link) && /^(https?|mailto):/.test(link);
    }
    const [path = "", anchor] = decodeURI(link).split("#");
    if (path === "") {
      return anchorsIn(markdown).has(anchor ?? "");
    }
    const target = posix.join(posix.dirname(file), path).replace(/\/$/, "");
    if (!tracked.some((name) => name === target || name.startsWith(`${target}/`))) {
      return false;
    }
    return anchor === undefined || (target.endsWith(".md") && anchorsIn(read(target)).has(anchor));
  };
  return linksIn(markdown)
    .filter((link) => !resolves(link))
    .map((link) => `${file}: ${link}`);
}

test("every link resolves", () => {
  expect(documents.flatMap((file) => brokenLinks(file, read(file)))).toEqual([]);
});

describe("the check", () => {
  test("reads all documents and their links", () => {
    expect(documents).toEqual(expect.arrayContaining(["README.md", "CONTRIBUTING.md", "docs/operations.md"]));
    expect(documents.flatMap((file) => linksIn(read(file))).length).toBeGreaterThan(100);
  });

  test.each([
    ["a missing file", "[x](missing.md)"],
    ["a file name in the wrong case", "[x](Operations.md)"],
    ["a file that is not part of the repository", "[x](../node_modules/marked/README.md)"],
    ["a file outside of the repository", "[x](../../other/README.md)"],
    ["a missing heading in the same document", "# A\n[x](#b)"],
    ["a missing heading in another document", "[x](../README.md#no-such-heading)"],
    ["an anchor in a file that has no headings", "[x](../package.json#version)"],
    ["a missing image", "![x](missing.png)"],
    ["a link in HTML", '<a href="missing.md">x</a>'],
    ["a link by reference", "[x][y]\n\n[y]: missing.md"],
    ["an invalid address", "[x](https://)"],
  ])("reports %s", (_, markdown) => {
    expect(brokenLinks("docs/example.md", markdown)).toEqual([expect.stringMatching(/^docs\/example\.md: ./)]);
  });

  test.each([
    ["a file and a directory", "[x](operations.md) [y](../shared)"],
    ["headings, with code, punctuation and repetition", "# A `b-c`, d!\n# E\n# E\n[x](#a-b-c-d) [x](#e) [y](#e-1)"],
    ["a heading of another document", "[x](../README.md#run-it)"],
    ["another site", "[x](https://example.org/a#b)"],
    ["code that looks like a link", "`[x](missing.md)`\n\n```\n[x](missing.md)\n```"],
  ])("accepts %s", (_, markdown) => {
    expect(brokenLinks("docs/example.md", markdown)).toEqual([]);
  });
});
