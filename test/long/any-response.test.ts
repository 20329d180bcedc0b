import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { SecretsServer } from "../../packages/lambda-local/secrets-server.ts";
import { askModel } from "../../shared/model/assistant.ts";
import { MODEL_FAILURES } from "../../shared/model/model-error.ts";
import { KEY_SECRET, startModelEnvironment } from "../helpers/model/model-environment.ts";
import { completion } from "../helpers/model/scripted-model.ts";
import { type ScriptedServer, startScriptedServer } from "../helpers/model/scripted-server.ts";

const ANSWER = "Rest, and drink enough.";

let server: ScriptedServer;
let secrets: SecretsServer;
beforeAll(async () => {
  server = await startScriptedServer();
  secrets = await startModelEnvironment();
});
afterAll(() => {
  server.stop();
  secrets.stop();
});

const FORMS = ["plain", "streamed"] as const;
type Form = (typeof FORMS)[number];

const BODIES: Record<Form, string> = {
  plain: JSON.stringify(completion(ANSWER)),
  streamed: [
    ...ANSWER.split(/(?= )/).map((content) => ({ choices: [{ delta: { content }, finish_reason: null }] })),
    { choices: [{ delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } },
  ]
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat("data: [DONE]\n\n")
    .join(""),
};
const TYPES: Record<Form, string> = { plain: "application/json", streamed: "text/event-stream" };

const head = (form: Form, status = "HTTP/1.1 200 OK", headers: string[] = []) =>
  [status, `content-type: ${TYPES[form]}`, ...headers, "", ""].join("\r\n");

/**
 * Returns the answer that the model client reads from a response, or the kind of failure; any other error fails the
 * test.
 */
async function outcomeOf(bytes: string | Buffer, form: Form): Promise<string> {
  server.script((response) => response.socket?.end(bytes)); // valid HTTP or not
  const model = {
    name: "raw",
    baseUrl: server.baseUrl,
    reasoningEffort: undefined,
    promptCache: "off" as const,
    provider: { kind: "openai" as const, keySecret: KEY_SECRET },
  };
  try {
    const onText = form === "streamed" ? () => {} : undefined;
    return await askModel(model, [{ role: "user", content: "hello" }], 5_000, { onText });
  } catch (error) {
    const { name, kind } = error as { name: string; kind: string };
    expect({ name, kind, known: kind in MODEL_FAILURES }).toEqual({ name: "ModelError", kind, known: true });
    return kind;
  }
}

describe.each(FORMS)("a %s response", (form) => {
  const odd = fc.constantFrom(
    "",
    " ",
    "-1",
    "5",
    "99999",
    "9".repeat(40),
    "many",
    "chunked",
    "gzip",
    "br",
    "h2c",
    "a\0b",
  );
  const value = fc.oneof(
    odd,
    fc.string({ unit: "binary" }),
    fc.constantFrom("http://127.0.0.1:1/", "x".repeat(100_000)),
  );
  const name = fc.constantFrom(
    ...["content-length", "transfer-encoding", "content-encoding", "content-type", "connection", "upgrade", "trailer"],
    ...["location", "retry-after", "x-request-id", "set-cookie", "__proto__", "constructor", "", " folded", "a name"],
  );
  const header = fc.oneof(
    fc.tuple(name, value).map((parts) => parts.join(": ")),
    fc.constantFrom("nonsense", " two"),
  );
  const headers = fc.oneof(
    { weight: 9, arbitrary: fc.array(header, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: header.map((line) => Array<string>(3_000).fill(line)) },
  );
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("HTTP/1.1 200 OK", "HTTP/1.1 429 No", "HTTP/1.1 205 Reset") },
    fc.constantFrom("HTTP/1.1 99 Early", "HTTP/1.1 1000 Late", "HTTP/1.1 -200 OK", "HTTP/1.1 200", "HTTP/1.0 200 OK"),
    fc.constantFrom("HTTP/2 200 OK", "HTTP/9.9 200 OK", "ICY 200 OK", "SSH-2.0-OpenSSH", "", "\u0016\u0003\u0001"),
  );

  test("with any status line and headers is the answer or a named failure", async () => {
    await fc.assert(
      fc.asyncProperty(line, headers, async (status, lines) => {
        const response = Buffer.from(head(form, status, lines) + BODIES[form], "latin1");
        expect(await outcomeOf(response, form)).toEqual(expect.any(String));
      }),
      { numRuns: 150, seed: 4711 },
    );
  });

  test("whose body is any JSON is the answer or a named failure", async () => {
    const names = ["choices", "message", "content", "delta", "refusal", "finish_reason", "usage", "error", "0"];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, true, 0, 1e308, "", "text", "length"),
        fc.array(tie("any"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom(...names), tie("any"), { maxKeys: 4 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async (body) => {
        const json = JSON.stringify(body);
        const text = form === "plain" ? json : `data: ${json}\n\ndata: [DONE]\n\n`;
        expect(await outcomeOf(head(form) + text, form)).toEqual(expect.any(String));
      }),
      { numRuns: 300, seed: 4711 },
    );
  });
});
