import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Listening, listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import type { SecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import { askModel } from "../../../shared/model/assistant.ts";
import { eventually } from "../../helpers/eventually.ts";
import { KEY_SECRET, startModelEnvironment } from "../../helpers/model/model-environment.ts";

const CHUNK = { choices: [{ delta: { content: "Rest." }, finish_reason: "stop" }] };
const ANSWER = `data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`;

let server: Listening;
let respond: (response: ServerResponse) => void;
let connections = 0;
let secrets: SecretsServer;
let ask: () => Promise<string>;
beforeAll(async () => {
  const provider = createServer((_, response) => respond(response)).on("connection", () => connections++);
  server = await listenOnLoopback(provider);
  secrets = await startModelEnvironment();
  const model = {
    name: "scripted",
    baseUrl: `${server.origin}/v1/`,
    reasoningEffort: undefined,
    promptCache: "off" as const,
    provider: { kind: "openai" as const, keySecret: KEY_SECRET },
  };
  ask = () => askModel(model, [{ role: "user", content: "hello" }], 5_000, { onText: () => {} });
});
afterAll(() => {
  server.stop();
  secrets.stop();
});

test("a connection is reused after a streamed answer, even if the response ends after its last event", async () => {
  respond = (response) => {
    response.write(ANSWER);
    setTimeout(() => response.end(), 20);
  };
  const newConnections = async () => {
    const before = connections;
    expect(await ask()).toBe("Rest.");
    return connections - before;
  };
  expect(await newConnections()).toBe(1);
  const last = await eventually(newConnections, (count) => count === 0); // once the end of an earlier response has arrived
  expect(last).toBe(0);
});

test("a response that never ends after its last event does not delay the answer, and is ended", async () => {
  const order: string[] = [];
  respond = (response) => {
    response.once("close", () => order.push("ended"));
    response.write(ANSWER);
  };
  expect(await ask()).toBe("Rest.");
  order.push("answered");
  await eventually(
    () => order,
    ({ length }) => length === 2,
  );
  expect(order).toEqual(["answered", "ended"]);
});
