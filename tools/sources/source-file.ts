import { parse, stringify } from "yaml";
import type { Source } from "../../shared/sources/source.ts";

/** The front matter of a Markdown file: YAML between two lines of dashes. */
const FILE = /^---\r?\n(.*?)\r?\n---\r?\n(.*)$/s;

/**
 * Reads a source from a Markdown file with front matter.
 *
 * @param id the file's name, without its extension
 */
export function readSourceFile(id: string, content: string): Source {
  const [, frontMatter = "", text = content] = FILE.exec(content) ?? [];
  return { title: id, ...parse(frontMatter), id, text: text.trim() };
}

/** Writes a source as a Markdown file with front matter, which {@link readSourceFile} reads. */
export function writeSourceFile({ text, ...frontMatter }: Omit<Source, "id">): string {
  return `---\n${stringify(frontMatter)}---\n\n${text}\n`;
}
