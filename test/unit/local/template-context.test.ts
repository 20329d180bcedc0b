import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { contextOf, readTemplateFor } from "../../../local/template-context.ts";

const folder = mkdtempSync(join(tmpdir(), "template-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a cloud assembly of one function with an environment variable. */
function writeAssembly(value: unknown): void {
  const stack = { type: "aws:cloudformation:stack", properties: { templateFile: "stack.json" } };
  const resource = {
    Type: "AWS::Lambda::Function",
    Properties: { Handler: "index.handler", Timeout: 20, MemorySize: 256, Environment: { Variables: { NAME: value } } },
    Metadata: { "aws:asset:path": "asset.1" },
  };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ artifacts: { stack } }));
  writeFileSync(join(folder, "stack.json"), JSON.stringify({ Resources: { Function: resource } }));
}

test("one template serves every origin of CORS_ORIGIN; none and * have their own", () => {
  const origins = ["https://app.example.test", "http://localhost:5173", "*", undefined];
  const [app, other, any, none] = origins.map((corsOrigin) => contextOf({ corsOrigin, chatConcurrency: undefined }));
  expect(app).toEqual(other);
  expect([any, none]).toEqual([{ ...none, corsOrigin: "*" }, { reserveConcurrency: "true" }]);
  writeAssembly(app?.corsOrigin);
  const { functions } = readTemplateFor(folder, "http://localhost:5173");
  expect(functions.get("Function")?.environment).toEqual({ NAME: "http://localhost:5173" });
});

test("CHAT_CONCURRENCY is the stage's setting, and limits each function although dev reserves nothing", () => {
  const context = contextOf({ corsOrigin: undefined, chatConcurrency: 50 });
  expect(context).toEqual({ chatConcurrency: "50", reserveConcurrency: "true" });
});
