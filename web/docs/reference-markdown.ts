import { type ApiContent, type ApiDocument, jsonOf, operationsOf, type PlacedOperation } from "./document.ts";
import { GUIDES, guideText } from "./guides.ts";

/** Returns the whole reference as Markdown, for programs and models that read it. */
export function referenceMarkdown(document: ApiDocument): string {
  const { title, version, description } = document.info;
  const operations = operationsOf(document).map(({ tag, operations }) => [
    `## ${tag.name}\n\n${tag.description}`,
    ...operations.map(operationText),
  ]);
  return [
    `# API reference: ${title}, version ${version}`,
    description,
    "`openapi.json`, beside this document, has every field with its type and limits.",
    "## Guides",
    ...GUIDES.map(([name, heading]) => `### ${heading}\n\n${guideText(name).trim()}`),
    ...operations.flat(),
  ].join("\n\n");
}

function operationText({ method, path, summary, description, parameters = [], ...operation }: PlacedOperation): string {
  const request = firstExample(operation.requestBody?.content);
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith("2")) ?? [];
  const response = firstExample(success?.content);
  const failures = Object.entries(operation.responses).filter(([code]) => !code.startsWith("2"));
  return [
    `### ${summary}\n\n\`${method} ${path}\``,
    description,
    ...(parameters.length > 0
      ? [
          parameters
            .map(({ name, in: place, description }) => `- \`${name}\` in the ${place}: ${description}`)
            .join("\n"),
        ]
      : []),
    ...(request ? [`Request:\n\n${request}`] : []),
    ...(response ? [`Response ${status}:\n\n${response}`] : []),
    failures.map(([code, { description }]) => `- ${code}: ${description}`).join("\n"),
  ].join("\n\n");
}

function firstExample(content: Record<string, ApiContent> = {}): string | undefined {
  const [example] = Object.values(jsonOf(content)?.examples ?? {});
  return example && `\`\`\`json\n${JSON.stringify(example.value, undefined, 2)}\n\`\`\``;
}
