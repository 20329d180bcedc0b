import { type ApiDocument, operationsOf } from "./document.ts";
import { GUIDES } from "./guides.ts";
import { anchorOf } from "./operation.ts";

/**
 * Returns an index of the reference for programs that read, in the format of `llms.txt` (llmstxt.org): a title, a
 * summary, and lists of links, which are relative to the file's own address.
 */
export function llmsText(document: ApiDocument): string {
  const { title, description } = document.info;
  const [summary = ""] = description.split("\n");
  const groups = operationsOf(document).map(({ tag, operations }) => [
    `## ${tag.name}`,
    operations
      .map(
        (operation) =>
          `- [${operation.summary}](docs#${anchorOf(operation)}): \`${operation.method} ${operation.path}\``,
      )
      .join("\n"),
  ]);
  return `${[
    `# ${title}`,
    `> ${summary}`,
    "`docs` is one page with all that is listed here; with `Accept: text/markdown`, it is Markdown. `openapi.json` has every field with its type and limits. Neither needs a key.",
    "## Reference",
    "- [Guides and operations](docs): the whole reference\n- [OpenAPI document](openapi.json): OpenAPI 3.1",
    "## Guides",
    GUIDES.map(([name, heading]) => `- [${heading}](docs#guide-${name})`).join("\n"),
    ...groups.flat(),
  ].join("\n\n")}\n`;
}
