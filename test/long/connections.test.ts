import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { echo } from "../helpers/model/scripted-model.ts";
import { setUpService, startTestService, type TestService } from "../helpers/service/service.ts";

const shared = setUpService();

test("a connection to the local service is kept for longer than any client reuses one", async () => {
  const response = await fetch(`${shared.baseUrl}/openapi.json`);
  await response.text();
  expect(response.headers.get("keep-alive")).toBe("timeout=90");
});

describe("when the local service is stopped", () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.stop());

  test("a request in progress is answered, and no other is accepted", async () => {
    const asked = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    service.model.script = async (request) => {
      asked.resolve();
      await answered;
      return echo(request);
    };
    const chat = service.call("POST", "/chat", { body: { message: "hello" } });
    await asked.promise;
    const stopped = service.stop();
    await expect(fetch(`${service.baseUrl}/openapi.json`)).rejects.toThrow();
    answer();
    expect(await chat).toMatchObject({ status: 200, body: { success: true, response: "answer to: hello" } });
    await stopped;
  });

  test("an idle connection is closed without an error", async () => {
    const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1").resume();
    socket.write("GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await once(socket, "data");
    const ended = once(socket, "end"); // rejects for a reset
    await service.stop();
    await ended;
  });
});
