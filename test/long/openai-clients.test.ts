import { execFile } from "node:child_process";
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
    alert: expect.stringMatching(EMERGENCY_TEXT),
    "LangChain, chat": "answer to: hello",
    "LangChain, stream": "answer to: hello",
    "LangChain, usage": 15,
    "LangChain, alert": expect.stringMatching(EMERGENCY_TEXT),
  });
}, 600_000);
