import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { installFromPyPi } from "../../tools/pypi.ts";
import { REGION } from "../helpers/model/bedrock.ts";
import { HARMLESS, LIKELY } from "../helpers/safety-messages.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

process.env.TEST_MODEL_PROVIDER = "bedrock";
const service = setUpService();

// The API tests of chat, with the model on Bedrock: the same tests, of the same service.
await import("../api/chat.test.ts");
await import("../api/chat-stream.test.ts");
await import("../api/chat-safety-verdict.test.ts");

const bedrock = () => {
  if (!service.bedrock) {
    throw new Error("the service does not use Bedrock");
  }
  return service.bedrock;
};
const chat = async () => (await service.chat({ message: HARMLESS })).status;

test("an unsigned request is refused", async () => {
  const body = JSON.stringify({ model: "us.openai.gpt-6-luna", messages: [] });
  const { status } = await fetch(`${bedrock().baseUrl}/chat/completions`, { method: "POST", body });
  expect(status).toBe(403);
  expect(bedrock().refused.at(-1)).toBe("MissingAuthenticationTokenException");
});

test.each<[what: string, wrong: object, right: object, code: string]>([
  ["the wrong region", { region: "us-west-2" }, { region: REGION }, "InvalidSignatureException"],
  ["an expired credential", { session: "another" }, { session: undefined }, "ExpiredTokenException"],
])("a chat with %s is a 500, and the service recovers without a restart", async (_, wrong, right, code) => {
  Object.assign(bedrock(), wrong);
  expect(await chat()).toBe(500);
  expect(bedrock().refused.at(-1)).toBe(code);
  Object.assign(bedrock(), right);
  expect(await chat()).toBe(200);
});

test("a throttled request is made again, and OpenAI's clients are answered", async () => {
  bedrock().throttle = 1;
  const body = { model: "health-assistant", messages: [{ role: "user", content: HARMLESS }] };
  const { status } = await service.call("POST", "/openai/v1/chat/completions", { body });
  expect([status, bedrock().refused.at(-1)]).toEqual([200, "ThrottlingException"]);
});

test("botocore computes the same signatures, or cannot be installed here", async () => {
  const installed = await installFromPyPi("botocore==1.44.0", "python");
  if ("missing" in installed) {
    process.stderr.write(`Skipped: ${installed.missing}.\n`);
    return;
  }
  expect(textOf(await service.stream({ message: HARMLESS }))).toBe(`answer to: ${HARMLESS}`);
  expect((await service.chat({ message: LIKELY.emergency })).status).toBe(200);
  const requests = bedrock().accepted.slice(-3); // a stream, an answer and a verdict
  expect(requests).toHaveLength(3);
  const { secret } = bedrock();
  const input = JSON.stringify({ region: REGION, secret, requests });
  const program = join(import.meta.dirname, "bedrock-signatures.py");
  const output = execFileSync(installed.program, [program], { input, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual(requests.map(() => ({ signature: true, body: true })));
}, 600_000);
