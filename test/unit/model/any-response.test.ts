import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { SecretsServer } from "../../../local/secrets-server.ts";
import { MODEL_FAILURES } from "../../../shared/model/model-error.ts";
import { KEY_SECRET, startModelEnvironment } from "../../helpers/model/model-environment.ts";
import { completion } from "../../helpers/model/scripted-model.ts";
import { type ScriptedServer, startScriptedServer } from "../../helpers/model/scripted-server.ts";

const ANSWER = "Rest, and drink enough.";

let server: ScriptedServer;
let secrets: SecretsServer;
let askModel: typeof import("../../../shared/model/assistant.ts").askModel;
beforeAll(async () => {
  server = await startScriptedServer();
  secrets = await startModelEnvironment();
  ({ askModel } = await import("../../../shared/model/assistant.ts"));
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
  test("with any status from 100 to 999 (every 13th when streamed) is the answer or a named failure", async () => {
    const outcomes: Record<string, number[]> = {};
    for (let status = 100; status <= 999; status += form === "plain" ? 1 : 13) {
      const outcome = await outcomeOf(head(form, `HTTP/1.1 ${status} Any`) + BODIES[form], form);
      outcomes[outcome] = [...(outcomes[outcome] ?? []), status];
    }
    const { [ANSWER]: answered = [], ...failed } = outcomes;
    expect(answered.filter((status) => status < 200 || status > 299)).toEqual([]);
    expect(failed.server?.filter((status) => status >= 200 && status < 500 && status !== 424)).toEqual([]);
    expect(failed.connection?.filter((status) => status >= 200)).toEqual([]);
    if (form === "plain") {
      expect(answered).toHaveLength(98);
      expect(failed).toMatchObject({
        authentication: [401, 403],
        quota: [402],
        "rate-limit": [429],
        "context-too-long": [413],
        malformed: [204, 205],
      });
      expect(failed.server?.filter((status) => status >= 500)).toHaveLength(500);
    }
  });

  test("that is cut off anywhere is the answer or a named failure", async () => {
    const body = BODIES[form];
    const responses = [
      head(form, undefined, [`content-length: ${body.length}`]) + body,
      `${head(form, undefined, ["transfer-encoding: chunked"])}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      head(form) + body,
    ];
    for (const [offset, response] of responses.entries()) {
      const outcomes = new Set<string>();
      // Every third position, a different one for each framing.
      for (let length = offset; length < response.length; length += 3) {
        outcomes.add(await outcomeOf(response.slice(0, length), form));
      }
      const expected = [ANSWER, "connection", "malformed", "empty"];
      expect([...outcomes].filter((outcome) => !expected.includes(outcome))).toEqual([]);
      expect(outcomes).toContain("connection");
      expect(await outcomeOf(response, form)).toBe(ANSWER);
    }
  });

  test.each([
    ["a content length that is not a number", ["content-length: many"]],
    ["a negative content length", ["content-length: -1"]],
    ["two content lengths", ["content-length: 5", "content-length: 6"]],
    ["a content length that is too small", ["content-length: 5"]],
    ["a content length that is too large", ["content-length: 99999"]],
    ["a content length too large for a number", [`content-length: ${"9".repeat(40)}`]],
    ["a transfer encoding and a content length", ["content-length: 5", "transfer-encoding: chunked"]],
    ["malformed chunks", ["transfer-encoding: chunked"]],
    ["an unknown transfer encoding", ["transfer-encoding: gzip"]],
    ["an unknown content encoding", ["content-encoding: br"]],
    ["a content encoding that was not requested", ["content-encoding: gzip"]],
    ["an upgrade", ["connection: upgrade", "upgrade: h2c"]],
    ["a header without a colon", ["nonsense"]],
    ["a header without a name", [": value"]],
    ["a header with a space in its name", ["a name: value"]],
    ["a folded header", ["x-folded: one", " two"]],
    ["a NUL in a header", ["x-nul: a\0b"]],
    ["a control character in a header", ["x-control: a\u0001b"]],
    ["non-ASCII bytes in a header", ["x-request-id: caf\u00e9\u00ff"]],
    ["a header of 100 KB", [`x-long: ${"x".repeat(100_000)}`]],
    ["3,000 headers", Array.from({ length: 3_000 }, (_, index) => `x-${index}: 1`)],
    ["headers named like object members", ["__proto__: x", "constructor: y", "toString: z"]],
    ["the same header many times", Array.from({ length: 50 }, () => "set-cookie: a=b")],
    ["two content types", ["content-type: text/html"]],
    ["a redirect's location", ["location: http://127.0.0.1:1/"]],
    ["trailers", ["trailer: x-end", "x-end: 1"]],
    ["an absurd Retry-After", [`retry-after: ${"9".repeat(400)}`]],
  ])("with %s is the answer or a named failure", async (_, headers) => {
    for (const status of ["HTTP/1.1 200 OK", "HTTP/1.1 429 No", "HTTP/1.1 205 Reset"]) {
      const response = Buffer.from(head(form, status, headers) + BODIES[form], "latin1");
      expect(await outcomeOf(response, form)).toEqual(expect.any(String));
    }
  });

  test.each([
    "HTTP/1.1 99 Early",
    "HTTP/1.1 1000 Late",
    "HTTP/1.1 20 Short",
    "HTTP/1.1 -200 OK",
    "HTTP/1.1 abc OK",
    "HTTP/1.1 200",
    "HTTP/1.0 200 OK",
    "HTTP/2 200 OK",
    "HTTP/9.9 200 OK",
    "ICY 200 OK",
    "SSH-2.0-OpenSSH",
    "",
    "\u0016\u0003\u0001",
  ])("with the status line %j is the answer or a named failure", async (line) => {
    const outcome = await outcomeOf(Buffer.from(head(form, line) + BODIES[form], "latin1"), form);
    expect([ANSWER, "connection"]).toContain(outcome);
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
