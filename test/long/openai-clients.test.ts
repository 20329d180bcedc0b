import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { installFromPyPi } from "../../tools/pypi.ts";
import { EMERGENCY_TEXT } from "../helpers/safety-messages.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService({});

/** The package depends on OpenAI's SDK, whose command is `openai`. */
const LANGCHAIN = "langchain-openai==1.7.3";

test("OpenAI's Python SDK and LangChain list, chat, stream, fail and show alerts, or cannot be installed here", async () => {
  const installed = await installFromPyPi(LANGCHAIN, "openai");
  if ("missing" in installed) {
    process.stderr.write(`Skipped: ${installed.missing}.\n`);
    return;
  }
  const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY };
  const python = join(installed.program, "..", "python");
  const { stdout } = await promisify(execFile)(python, [join(import.meta.dirname, "openai-clients.py")], { env });
  expect(JSON.parse(stdout)).toEqual({
    models: ["health-assistant"],
    chat: "answer to: hello",
    stream: "answer to: hello",
    usage: 15,
    error: [400, "n"],
    model: "health-assistant",
    responses: [404, "chat_completions_only"],
    alert: expect.stringMatching(EMERGENCY_TEXT),
    "LangChain, chat": "answer to: hello",
    "LangChain, stream": "answer to: hello",
    "LangChain, usage": 15,
    "LangChain, alert": expect.stringMatching(EMERGENCY_TEXT),
  });
}, 600_000);

test("the guide's programs for both print an answer about a patient, or cannot be installed here", async () => {
  const installed = await installFromPyPi(LANGCHAIN, "openai");
  if ("missing" in installed) {
    return; // as above
  }
  const guide = readFileSync("web/docs/guides/openai.md", "utf8");
  const programs = [...guide.matchAll(/^```python\n(.*?)^```$/gms)].map(([, program = ""]) => program);
  const { patient } = (await service.call("POST", "/patients", { body: { conditions: ["asthma"], name: "Ann" } })).body;
  const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY, PATIENT_ID: patient.id };
  const python = join(installed.program, "..", "python");
  for (const program of programs.filter((each) => !each.includes("litellm"))) {
    const { stdout } = await promisify(execFile)(python, ["-c", program], { env });
    expect(stdout).toMatch(/^answer to: Can I take ibuprofen\?\n\nCaution: the record lists asthma/);
  }
}, 600_000);
