import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

/** Every route with a body, and a valid one for it. */
const ROUTES: [method: string, path: string, body: object][] = [
  ["POST", "/chat", { message: "What helps against a cold?" }],
  ["POST", "/threads", { metadata: { source: "web" } }],
  ["POST", "/patients", { name: "Pat Example" }],
  ["POST", "/patients/search", { phone: "555-010-0100" }],
  ["POST", "/patients/fhir", { resourceType: "Patient", name: [{ text: "Pat Example" }] }],
  ["POST", "/openai/v1/chat/completions", { model: "x", messages: [{ role: "user", content: "Hello" }] }],
  ["POST", "/webhooks", { url: "https://clinic.example/hook", events: ["thread.deleted"] }],
];
const SHAPES: Record<string, (error: unknown) => object> = {
  "/threads": (error) => ({ error }),
  "/openai/v1/chat/completions": (message) => ({ error: expect.objectContaining({ message }) }),
};
const shaped = (path: string, error: unknown) => (SHAPES[path] ?? ((text) => ({ success: false, error: text })))(error);

/** Sends bytes as they are. */
async function send(method: string, path: string, body: Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    body: new Uint8Array(body),
    headers: { "x-api-key": API_KEY, "content-type": "application/json", ...headers },
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe.each(ROUTES)("%s %s", (method, path, body) => {
  const utf8 = Buffer.from(JSON.stringify(body));

  test.each([
    "ISO-8859-1",
    '"iso-8859-1"',
    "latin1",
    "windows-1252",
    "UTF-16",
    "utf-16le",
    "utf-7",
    "shift_jis",
    "utf-8; charset=latin1",
  ])("rejects a body declared as %s with a 415", async (charset) => {
    const reply = await send(method, path, utf8, { "content-type": `application/json; charset=${charset}` });
    const error = "Request body must be in UTF-8, and Content-Type must not name another charset";
    expect(reply).toMatchObject({ status: 415, body: shaped(path, error) });
  });

  test.each([
    ["gzip", gzipSync(utf8)],
    ["br", brotliCompressSync(utf8)],
    ["deflate", deflateSync(utf8)],
    ["GZIP", gzipSync(utf8)],
    ["identity, gzip", gzipSync(utf8)],
    ["zstd", utf8],
    ["gzip", utf8],
  ])("rejects a body with Content-Encoding: %s with a 415 that says so", async (encoding, bytes) => {
    const reply = await send(method, path, bytes, { "content-encoding": encoding });
    const error = "Request body must not be compressed: send it without Content-Encoding";
    expect(reply).toMatchObject({ status: 415, body: shaped(path, error) });
  });

  test.each([
    ["Latin-1", Buffer.from([0xe9])],
    ["a byte that is never valid", Buffer.from([0xff])],
    ["half a character", Buffer.from("é").subarray(0, 1)],
    ["a surrogate", Buffer.from([0xed, 0xa0, 0x80])],
    ["an overlong form", Buffer.from([0xc0, 0xaf])],
    ["a truncated emoji", Buffer.from("😀").subarray(0, 3)],
  ])("rejects invalid UTF-8 with a 400: %s", async (_, bytes) => {
    const invalid = Buffer.concat([utf8.subarray(0, -1), Buffer.from(',"unknown":"'), bytes, Buffer.from('"}')]);
    const reply = await send(method, path, invalid);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).toContain("is not valid UTF-8");
  });
});

describe("POST /patients accepts a body", () => {
  const name = "Zoë 張 😀";
  const utf8 = Buffer.from(JSON.stringify({ name }));

  test.each(["utf-8", "UTF-8", '"UTF-8"', "utf8", "UTF8", "'utf-8'", "", "utf-8; profile=x"])(
    "with charset=%s",
    async (charset) => {
      const reply = await send("POST", "/patients", utf8, { "content-type": `application/json; charset=${charset}` });
      expect(reply).toMatchObject({ status: 201, body: { patient: { name } } });
    },
  );

  test("with Content-Encoding: identity", async () => {
    const reply = await send("POST", "/patients", utf8, { "content-encoding": "identity" });
    expect(reply).toMatchObject({ status: 201, body: { patient: { name } } });
  });

  test("with a byte order mark, which is skipped", async () => {
    const reply = await send("POST", "/patients", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8]));
    expect(reply).toMatchObject({ status: 201, body: { patient: { name } } });
  });

  test("with U+FFFD as an escape, but not as the character, which the gateway puts in the place of other bytes", async () => {
    const escaped = await send("POST", "/patients", Buffer.from('{"name":"a\\ufffdb"}'));
    expect(escaped).toMatchObject({ status: 201, body: { patient: { name: "a\ufffdb" } } });
    const raw = await send("POST", "/patients", Buffer.from('{"name":"a\ufffdb"}'));
    expect(raw).toMatchObject({ status: 400, body: { details: [{ path: "", message: expect.any(String) }] } });
  });
});

describe("numbers that a double cannot hold", () => {
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    service.call("POST", path, { body, headers });

  test.each([
    ["/threads", '{"metadata":{"a":[1,{"id":N}]}}', "metadata.a.1.id"],
    ["/patients", '{"name":"Pat","notes":[{},{"id":N}]}', "notes.1.id"],
    ["/patients", '{"name":"Pat","refill_info":{"id":N}}', "refill_info.id"],
  ])("are refused by their path in POST %s %s", async (path, template, at) => {
    for (const number of ["9007199254740993", "1e400", "-1e400", "0.12345678901234567890"]) {
      const { status, body } = await post(path, template.replace("N", number));
      const message = "is a number that would lose digits; send it as a string";
      expect({ status, details: body.details }).toEqual({ status: 400, details: [{ path: at, message }] });
    }
    for (const number of ["9007199254740992", "1e300"]) {
      expect((await post(path, template.replace("N", number))).status).toBe(201);
    }
    expect((await post(path, template.replace("N", '"9007199254740993"'))).status).toBe(201);
  });

  test("are refused in a patch too, and do not matter in a field that is ignored", async () => {
    const { id } = await service.newPatient();
    const body = '{"refill_info":{"rx":12345678901234567890}}';
    const reply = await service.call("PATCH", `/patients/${id}`, { body });
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path: "refill_info.rx" }] } });
    expect((await post("/threads", '{"unknown":{"a":9007199254740993}}')).status).toBe(201);
  });
});

test("a key that occurs twice is refused with strict handling, with its path", async () => {
  const body = '{"name":"Pat","notes":[{"a":{"b":1,"b":2}}],"name":"Sam"}';
  const strict = await service.call("POST", "/patients", { body, headers: { prefer: "handling=strict" } });
  expect(strict).toMatchObject({
    status: 400,
    body: {
      details: [
        { path: "notes.0.a.b", message: "occurs twice" },
        { path: "name", message: "occurs twice" },
      ],
    },
  });
  expect((await service.call("POST", "/patients", { body })).status).toBe(201);
});

test("a repetition with its keys in another order, in free-form data too, is the same request", async () => {
  const headers = { "idempotency-key": "order-of-keys" };
  const first = '{"metadata":{"a":1,"b":{"c":[{"d":1,"e":2}],"f":3}}}';
  const again = '{"metadata":{"b":{"f":3,"c":[{"e":2,"d":1}]},"a":1}}';
  const created = await service.call("POST", "/threads", { body: first, headers });
  const repeated = await service.call("POST", "/threads", { body: again, headers });
  expect([created.status, repeated.status]).toEqual([201, 201]);
  expect(repeated.body.threadId).toBe(created.body.threadId);
  const other = '{"metadata":{"b":{"f":3,"c":[{"e":2,"d":2}]},"a":1}}';
  expect((await service.call("POST", "/threads", { body: other, headers })).status).toBe(422);
});
