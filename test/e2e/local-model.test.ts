import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type ScriptedModel, startScriptedModel } from "../helpers/model/scripted-model.ts";
import { withTestAssembly } from "../helpers/template/with-test-assembly.ts";

const PROGRAM = join(import.meta.dirname, "..", "..", "local", "start.ts");
const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));

let ollama: ScriptedModel;
let program: ReturnType<typeof start>;
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
function start(args: string[], ollamaHost: string) {
  const env = { ...process.env, PORT: "0", DATA_DIR: folder, API_KEY: "key", OLLAMA_HOST: ollamaHost };
  return spawn(process.execPath, ["--import", withTestAssembly(), PROGRAM, ...args], { env });
}

/** What the program prints until it is ready. */
async function banner(): Promise<string> {
  let output = "";
  for await (const chunk of program.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("Ctrl-C stops everything.")) {
      program.stdout.resume();
      break;
    }
  }
  return output;
}

test("npm start -- --model ollama answers with Ollama's model", async () => {
  program = start(["--model", "ollama"], new URL(ollama.baseUrl).host);
  const output = await banner();
  expect(output).toContain(`model      scripted at ${ollama.baseUrl}`);

  const response = await fetch(`${/base URL +(\S+)/.exec(output)?.[1]}/chat`, {
    method: "POST",
    headers: { "x-api-key": "key", "content-type": "application/json" },
    body: JSON.stringify({ message: "Can I take ibuprofen for a headache?" }),
  });
  expect(await response.json()).toMatchObject({ response: "answer to: Can I take ibuprofen for a headache?" });
});

test("npm start says that Ollama is running, and which command uses it", async () => {
  program = start([], new URL(ollama.baseUrl).host);
  expect(await banner()).toContain("offline (Ollama is running (scripted): npm start -- --model ollama)");
});

test("npm start -- --model ollama says in one sentence that no Ollama answers, and ends", async () => {
  program = start(["--model", "ollama"], "127.0.0.1:1");
  const [errors, [code]] = await Promise.all([text(program.stderr), once(program, "exit")]);
  expect(errors).toBe("No Ollama answers at http://127.0.0.1:1; start it (ollama serve), or leave out --model.\n");
  expect(code).toBe(1);
});
