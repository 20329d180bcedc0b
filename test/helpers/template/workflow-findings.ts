import { createRequire } from "node:module";
import { join } from "node:path";
import type { validate as Validate } from "@actions/languageservice";
import { buildSync } from "esbuild";
import type { TextDocument as Document } from "vscode-languageserver-textdocument";

/**
 * GitHub's language service, bundled, because it imports JSON in a way that only bundlers support.
 */
const BUNDLE = join(import.meta.dirname, "../../../.build/workflow-findings.cjs");
buildSync({
  stdin: {
    contents: `export { validate } from "@actions/languageservice";
      export { TextDocument } from "vscode-languageserver-textdocument";`,
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"], // the CommonJS version of one of its packages cannot be bundled
  outfile: BUNDLE,
  logLevel: "error",
});
const { validate, TextDocument } = createRequire(import.meta.url)(BUNDLE) as {
  validate: typeof Validate;
  TextDocument: typeof Document;
};

let checked = 0;

/**
 * Validates a workflow: its keys, values, expressions and calls of other workflows.
 *
 * @param readWorkflow reads another workflow of the repository, by path
 * @returns findings in the format `<line>: <message>`
 */
export async function findingsIn(workflow: string, readWorkflow: (path: string) => string): Promise<string[]> {
  const uri = `file:///${checked++}/.github/workflows/checked.yml`; // results are cached by URI
  const findings = await validate(TextDocument.create(uri, "yaml", 1, workflow), {
    fileProvider: {
      getFileContent: async (reference) => {
        const name = "path" in reference ? reference.path : "";
        return { name, content: readWorkflow(name) };
      },
    },
  });
  return findings.map(({ message, range }) => `${range.start.line + 1}: ${message}`);
}
