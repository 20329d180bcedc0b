import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { HealthAssistantClient } from "conversational-health-assistant-service/client";
import clientPackageFile from "../../client/package.json" with { type: "json" };
import packageFile from "../../package.json" with { type: "json" };
import lockFile from "../../package-lock.json" with { type: "json" };
import { openApiDocument } from "../../shared/openapi/document.ts";
import { releaseNotes, sectionOf } from "../../tools/release-notes.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const { version } = packageFile;
const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");

describe("the version in package.json is also that of", () => {
  test("the lock file", () => {
    expect([lockFile.version, lockFile.packages[""].version]).toEqual([version, version]);
  });

  test("the OpenAPI document", () => {
    expect(openApiDocument("https://example.org/v1")).toMatchObject({ info: { version } });
  });

  test("the client's user agent", async () => {
    const sent: Headers[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(new Headers(init?.headers));
      return Response.json({});
    };
    await new HealthAssistantClient({ baseUrl: "https://example.org/v1", apiKey: "key", fetch }).openapi();
    expect(sent.map((headers) => headers.get("user-agent"))).toEqual([`health-assistant-client/${version}`]);
  });

  test("the client's package", () => {
    expect(clientPackageFile.version).toBe(version);
  });
});

describe("the changelog", () => {
  test("has a dated section for the version", () => {
    expect(sectionOf(changelog, version)).toMatch(/^### \w+\n\n- ./);
  });

  test("has dated sections, newest first, below the unreleased changes", () => {
    const [first, ...released] = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
    expect(first).toBe("[Unreleased]");
    const sections = released.map((heading) => /^\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$/.exec(heading));
    expect(sections).not.toContain(null);
    expect(sections[0]?.[1]).toBe(version);
    const dates = sections.map((section) => section?.[2] ?? "");
    expect(dates).toEqual(dates.toSorted().reverse());
    for (const date of dates) {
      expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    }
  });
});

describe("release notes", () => {
  const CHANGELOG =
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n### Added\n\n- A.\n\n## [1.1.0]\n\n- B.\n";

  test("are the section of the version", () => {
    expect(releaseNotes("v1.2.0", "1.2.0", CHANGELOG)).toBe("### Added\n\n- A.");
    expect(releaseNotes(`v${version}`, version, changelog)).toBe(sectionOf(changelog, version));
  });

  test.each([
    ["the tag has another version", "v1.1.0", "1.2.0", "The tag is v1.1.0, but the version in package.json is 1.2.0."],
    ["the tag has no v", "1.2.0", "1.2.0", "The tag is 1.2.0, but the version in package.json is 1.2.0."],
    ["the section has no date", "v1.1.0", "1.1.0", 'CHANGELOG.md has no section "## [1.1.0] - <date>".'],
    ["there is no section", "v1.3.0", "1.3.0", 'CHANGELOG.md has no section "## [1.3.0] - <date>".'],
  ])("are rejected if %s", (_, tag, current, message) => {
    expect(() => releaseNotes(tag, current, CHANGELOG)).toThrow(message);
  });
});
