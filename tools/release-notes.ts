import { readFileSync } from "node:fs";
import { join } from "node:path";
import packageFile from "../package.json" with { type: "json" };

/**
 * The changelog's section for a version.
 *
 * @param changelog in the format of Keep a Changelog
 * @returns its text without the heading; undefined if there is no dated section with that version
 */
export function sectionOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}] - `));
  const [, body] = /^\[.*\] - \d{4}-\d{2}-\d{2}\n(.*)$/s.exec(section ?? "") ?? [];
  return body?.trim() || undefined;
}

/**
 * The release notes for a tag.
 *
 * @throws Error if the tag does not match the package's version, or the changelog has no section for it
 */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) {
    throw new Error(`The tag is ${tag}, but the version in package.json is ${version}.`);
  }
  const section = sectionOf(changelog, version);
  if (section === undefined) {
    throw new Error(`CHANGELOG.md has no section "## [${version}] - <date>".`);
  }
  return section;
}

/** `node tools/release-notes.ts <tag>`: prints the notes for the release workflow. */
if (import.meta.main) {
  const changelog = readFileSync(join(import.meta.dirname, "..", "CHANGELOG.md"), "utf8");
  try {
    process.stdout.write(`${releaseNotes(process.argv[2] ?? "", packageFile.version, changelog)}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
