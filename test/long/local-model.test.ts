import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type ScriptedModel, startScriptedModel } from "../helpers/model/scripted-model.ts";
import { bannerOf, type LocalProgram, npmStart } from "../helpers/npm-start.ts";

const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));

let ollama: ScriptedModel;
let program: LocalProgram;
beforeAll(async () => {
  ollama = await startScriptedModel();
});
afterEach(() => {
  program.kill("SIGKILL");
});
afterAll(() => {
  ollama.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs what `npm start -- <args>` runs, with Ollama at this address. */
const start = (args: string[], OLLAMA_HOST: string) =>
  npmStart({ DATA_DIR: folder, API_KEY: "key", OLLAMA_HOST }, { args });

test("npm start -- --model ollama answers with Ollama's model", async () => {
  program = start(["--model", "ollama"], new URL(ollama.baseUrl).host);
  const { output, baseUrl } = await bannerOf(program);
  expect(output).toContain(`model      scripted at ${ollama.baseUrl}`);

  const response = await fetch(`${baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": "key", "content-type": "application/json" },
    body: JSON.stringify({ message: "Can I take ibuprofen for a headache?" }),
  });
  expect(await response.json()).toMatchObject({ response: "answer to: Can I take ibuprofen for a headache?" });
});

test("npm start says that Ollama is running, and which command uses it", async () => {
  program = start([], new URL(ollama.baseUrl).host);
  expect((await bannerOf(program)).output).toContain(
    "offline (Ollama is running (scripted): npm start -- --model ollama)",
  );
});

test("npm start -- --model ollama says in one sentence that no Ollama answers, and ends", async () => {
  program = start(["--model", "ollama"], "127.0.0.1:1");
  const [errors, [code]] = await Promise.all([text(program.stderr), once(program, "exit")]);
  expect(errors).toBe("No Ollama answers at http://127.0.0.1:1; start it (ollama serve), or leave out --model.\n");
  expect(code).toBe(1);
});
