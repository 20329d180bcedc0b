import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { SecretsServer } from "../../packages/lambda-local/secrets-server.ts";
import { askModel } from "../../shared/model/assistant.ts";
import { ModelError } from "../../shared/model/model-error.ts";
import { KEY_SECRET, startModelEnvironment } from "../helpers/model/model-environment.ts";
import {
  type Answer,
  cutAfter,
  eventStream,
  json,
  type ScriptedServer,
  stallAfter,
  startScriptedServer,
} from "../helpers/model/scripted-server.ts";

let secrets: SecretsServer;
const servers = {} as Record<"http" | "https", ScriptedServer>;
beforeAll(async () => {
  secrets = await startModelEnvironment();
  servers.http = await startScriptedServer("http");
  servers.https = await startScriptedServer("https");
});
afterAll(() => {
  servers.http.stop();
  servers.https.stop();
  secrets.stop();
});

const chunk = (content: string, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
const completion = JSON.stringify({ choices: [{ message: { content: "Rest today." }, finish_reason: "stop" }] });
const PROBLEM = { error: { message: "CUDA out of memory", type: "InternalServerError", code: 500 } };

const STREAMS = {
  "an answer": `${chunk("Rest")}${chunk(" today.")}${chunk("", "stop")}data: [DONE]\n\n`,
  "an error object": `data: ${JSON.stringify(PROBLEM)}\n\n`,
  "words and an error object": `${chunk("Rest")}data: ${JSON.stringify(PROBLEM)}\n\ndata: [DONE]\n\n`,
  "a chunk that is no JSON": `${chunk("Rest")}data: {"choices": [{"delta"\n\n${chunk(" today.", "stop")}`,
};
const JSON_BODIES = { "an answer": completion, "an error object": JSON.stringify(PROBLEM) };

/** How the response goes on after its first bytes. */
const ENDINGS: [what: string, answer: (text: string, type: string) => Answer, step: number][] = [
  ["ends", (text, type) => (type === "application/json" ? json(200, text) : eventStream(text)), 1],
  ["is cut", cutAfter, 1],
  ["stays open", stallAfter, 10],
];

/** How many requests are under way at once: they share connections. */
const AT_ONCE = 20;

/** Asks a model whose responses have these bodies, one after another. @returns the outcome of each */
async function askFor(server: ScriptedServer, answers: Answer[], streamed: boolean, milliseconds: number) {
  const model = {
    name: "scripted",
    baseUrl: server.baseUrl,
    reasoningEffort: undefined,
    promptCache: "off" as const,
    provider: { kind: "openai" as const, keySecret: KEY_SECRET },
  };
  server.script(...answers);
  const ask = async () => {
    const said: string[] = [];
    const onText = streamed ? (text: string) => said.push(text) : undefined;
    const outcome = await askModel(model, [{ role: "user", content: "hello" }], milliseconds, { onText }).catch(
      (error) => error,
    );
    return { outcome, said: said.join("") };
  };
  const outcomes: Awaited<ReturnType<typeof ask>>[] = [];
  for (let first = 0; first < answers.length; first += AT_ONCE) {
    outcomes.push(...(await Promise.all(answers.slice(first, first + AT_ONCE).map(ask))));
  }
  return outcomes;
}

const SCHEMES = ["http", "https"] as const;

describe.each(SCHEMES)("over %s, a response that", (scheme) => {
  describe.each(ENDINGS)("%s after any of its bytes", (_, answer, step) => {
    test.each([
      ...Object.entries(STREAMS).map((body) => [...body, "text/event-stream"] as const),
      ...Object.entries(JSON_BODIES).map((body) => [...body, "application/json"] as const),
    ])("is the whole answer or a failure of the model: %s", async (...row) => {
      const [, body, type] = row;
      const positions = Array.from({ length: Math.ceil(body.length / step) + 1 }, (_, index) => index * step);
      const answers = positions.map((position) => answer(body.slice(0, position), type));
      const streamed = type === "text/event-stream";
      for (const { outcome, said } of await askFor(servers[scheme], answers, streamed, step === 1 ? 5_000 : 60)) {
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(ModelError);
          expect("Rest today.").toContain(said);
        } else {
          expect(outcome).toBe("Rest today.");
        }
      }
    });
  });
});
