import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { chooseModel, findModelServers, modelServers } from "../../../local/model-servers.ts";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";

let body = "";
let server: Awaited<ReturnType<typeof listenOnLoopback>>;
beforeAll(async () => {
  server = await listenOnLoopback(createServer((_request, response) => response.end(body)));
});
afterAll(() => server.stop());

const serving = (...names: string[]) => {
  body = JSON.stringify({ object: "list", data: names.map((id) => ({ id, object: "model" })) });
};
const ollama = () => modelServers(server.origin.replace("http://", "")).filter(({ name }) => name === "ollama");
const choose = (choice: string) => chooseModel(choice, ollama());

test("the servers are looked for at their usual ports, on this machine only", () => {
  expect(modelServers("").map(({ origin }) => origin)).toEqual([
    "http://127.0.0.1:11434",
    "http://127.0.0.1:1234",
    "http://127.0.0.1:8080",
    "http://127.0.0.1:8000",
  ]);
});

test.each([
  ["127.0.0.1:9999", "http://127.0.0.1:9999"],
  ["0.0.0.0", "http://127.0.0.1:11434"],
  ["models.example.test:11434", "http://127.0.0.1:11434"],
  ["::::", "http://127.0.0.1:11434"],
])("with OLLAMA_HOST=%s, Ollama is looked for at %s", (host, origin) => {
  expect(modelServers(host)[0]?.origin).toBe(origin);
});

test("a server that runs is found with those of its models that can chat", async () => {
  serving("nomic-embed-text:latest", "llama3.2:latest", "qwen3:8b");
  expect(await findModelServers(ollama())).toMatchObject([
    { name: "ollama", title: "Ollama", models: ["llama3.2:latest", "qwen3:8b"] },
  ]);
});

test.each(["<html></html>", "{}", "null", '{"data": null}', '{"data": []}', '{"data": "models"}'])(
  "another program at the port, which answers %s, is not taken for one",
  async (answer) => {
    body = answer;
    expect(await findModelServers(ollama())).toEqual([]);
  },
);

test.each([
  ["ollama", "llama3.2:latest"],
  ["ollama/llama3.2", "llama3.2:latest"],
  ["ollama/qwen3", "qwen3:8b"],
  ["ollama/org/model", "org/model"],
])("--model %s is %s", async (choice, name) => {
  serving("llama3.2:latest", "llama3.2:1b", "qwen3:8b", "org/model");
  expect(await choose(choice)).toEqual({ name, baseUrl: `${server.origin}/v1` });
});

test("what cannot be used is said in one sentence", async () => {
  serving("llama3.2:latest", "qwen3:8b");
  await expect(choose("ollama/mistral")).rejects.toThrow(
    `Ollama at ${server.origin} has no model mistral; it has llama3.2:latest, qwen3:8b.`,
  );
  await expect(choose("mistral")).rejects.toThrow('--model is "mistral"; it must begin with one of ollama');
  serving("nomic-embed-text");
  await expect(choose("ollama")).rejects.toThrow("has no model that can chat; add one, or leave out --model.");
  body = "";
  await expect(choose("ollama")).rejects.toThrow(
    `No Ollama answers at ${server.origin}; start it (ollama serve), or leave out --model.`,
  );
});
