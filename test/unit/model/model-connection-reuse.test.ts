import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { SecretsServer } from "../../../local/secrets-server.ts";
import { eventually } from "../../helpers/eventually.ts";
import { KEY_SECRET, startModelEnvironment } from "../../helpers/model/model-environment.ts";

const CHUNK = { choices: [{ delta: { content: "Rest." }, finish_reason: "stop" }] };
const ANSWER = `data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`;

let server: Server;
let respond: (response: ServerResponse) => void;
let connections = 0;
let open = 0;
let secrets: SecretsServer;
let ask: () => Promise<string>;
beforeAll(async () => {
  server = createServer((_, response) => respond(response));
  server.on("connection", (socket) => {
    connections++;
    open++;
    socket.once("close", () => open--);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  secrets = await startModelEnvironment();
  const { askModel } = await import("../../../shared/model/assistant.ts");
  const model = {
    name: "scripted",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
    reasoningEffort: undefined,
    promptCache: "off" as const,
    keySecret: KEY_SECRET,
  };
  ask = () => askModel(model, [{ role: "user", content: "hello" }], 5_000, { onText: () => {} });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  secrets.stop();
});

test("a connection is reused after a streamed answer, even if the response ends after its last event", async () => {
  respond = (response) => {
    response.write(ANSWER);
    setTimeout(() => response.end(), 20);
  };
  for (let turn = 0; turn < 3; turn++) {
    expect(await ask()).toBe("Rest.");
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(connections).toBe(1);
});

test("a response that never ends after its last event does not delay the answer, and is ended", async () => {
  respond = (response) => response.write(ANSWER);
  expect(await ask()).toBe("Rest.");
  expect(open).toBe(1);
  await eventually(
    () => open,
    (connections) => connections === 0,
  );
});
