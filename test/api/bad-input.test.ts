import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { API_KEY, type Reply, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const post = (path: string, body?: unknown) => service.call("POST", path, { body });

/** A valid body for each endpoint. */
const VALID: Record<string, object> = {
  "/chat": { message: "hello" },
  "/threads": {},
  "/patients": { name: "Pat Example" },
};
const PATHS = Object.keys(VALID);

/** Asserts a 400 in the endpoint's error shape that reveals no internals. */
function expectBadRequest(path: string, reply: Reply): void {
  expect(reply.status).toBe(400);
  const error = path === "/patients" ? "Failed to create patient" : expect.any(String);
  expect(reply.body).toEqual({
    ...(path !== "/threads" && { success: false }),
    error,
    details: expect.any(Array),
  });
  expectNoInsides(JSON.stringify(reply.body));
}

/** Asserts that a response contains no stack trace and no file path. */
function expectNoInsides(body: string): void {
  expect(body).not.toMatch(/\n\s*at |node:|node_modules|\.[cm]?[jt]s\b|Exception/);
}

const KINDS = { string: "text", number: 7, boolean: true, null: null, array: [], object: {} };
type Kind = keyof typeof KINDS;

const FIELDS: [path: string, field: string, ...kinds: Kind[]][] = [
  ["/chat", "message", "string"],
  ["/chat", "threadId", "string"],
  ["/chat", "patientId", "string"],
  ["/chat", "phone", "string"],
  ["/chat", "conversationHistory", "array"],
  ["/chat", "conversationHistory.0", "object"],
  ["/chat", "conversationHistory.0.role"],
  ["/chat", "conversationHistory.0.content", "string"],
  ["/chat", "patientData", "object"],
  ["/chat", "patientData.name", "string"],
  ["/chat", "patientData.age", "number"],
  ["/chat", "patientData.gender", "string"],
  ["/chat", "patientData.height", "string"],
  ["/chat", "patientData.weight", "string"],
  ["/chat", "patientData.race", "string"],
  ["/chat", "patientData.blood_type", "string"],
  ["/chat", "patientData.conditions", "array"],
  ["/chat", "patientData.conditions.0", "string", "object"],
  ["/chat", "patientData.allergies", "array", "string"], // also accepted as a string, as in a record
  ["/chat", "patientData.allergies.0", "string", "object"],
  ["/chat", "patientData.medications", "array"],
  ["/chat", "patientData.medications.0", "object"],
  ["/chat", "patientData.medications.0.name", "string"],
  ["/chat", "patientData.medications.0.dosage", "string"],
  ["/chat", "patientData.medications.0.condition", "string"],
  ["/chat", "patientData.last_visit", "string"],
  ["/chat", "patientData.category_note", "string"],
  ["/chat", "patientData.phone_number", "string"],
  ["/chat", "patientData.reminders_enabled", "boolean"],
  ["/threads", "patientId", "string"],
  ["/threads", "phone", "string"],
  ["/threads", "metadata", "object"],
  ["/patients", "name", "string"],
  ["/patients", "phone_number", "string"],
  ["/patients", "conditions", "array"],
  ["/patients", "conditions.0", "string"],
  ["/patients", "medications", "array"],
  ["/patients", "medications.0", "object"],
  ["/patients", "medications.0.name", "string"],
  ["/patients", "medications.0.dosage", "string"],
  ["/patients", "medications.0.frequency", "string"],
  ["/patients", "allergies", "string"],
  ["/patients", "notes", "array"],
  ["/patients", "notes.0", "object"],
  ["/patients", "reminders_enabled", "boolean"],
  ["/patients", "refill_info", "object"],
  ["/patients", "join_status", "string"],
  ["/patients", "gender", "string"],
  ["/patients", "age", "number"],
  ["/patients", "height", "string"],
  ["/patients", "weight", "string"],
  ["/patients", "race", "string"],
  ["/patients", "blood_type", "string"],
];

/** `"a.0.b"` and a value → `{a: [{b: value}]}`. */
function nested([first, ...rest]: string[], value: unknown): unknown {
  if (first === undefined) {
    return value;
  }
  return first === "0" ? [nested(rest, value)] : { [first]: nested(rest, value) };
}

describe("an invalid field is a 400 that names it", () => {
  test.each(FIELDS)("POST %s: %s", async (path, field, ...kinds) => {
    for (const [kind, value] of Object.entries(KINDS).filter(([name]) => !kinds.includes(name as Kind))) {
      const reply = await post(path, { ...VALID[path], ...(nested(field.split("."), value) as object) });
      expectBadRequest(path, reply);
      const paths = reply.body.details.map((detail: { path: string }) => detail.path);
      expect({ kind, paths }).toEqual({ kind, paths: expect.arrayContaining([field]) });
    }
  });

  test("POST /patients: a record over the storage limit", async () => {
    const note = `{"a":[${Array(2_800).fill("1e20").join(",")}]}`;
    const body = `{"name":"Pat Example","notes":[${Array(7).fill(note).join(",")}]}`;
    const reply = await service.call("POST", "/patients", { body });
    expectBadRequest("/patients", reply);
    expect(reply.body.details).toEqual([{ path: "", message: "a record must not be larger than 350 KB" }]);
  });

  test.each([-1, 151, 1e300, -5e-324])("POST /patients: the age %d", async (age) => {
    expectBadRequest("/patients", await post("/patients", { name: "Pat Example", age }));
  });
});

describe("a body that is not a JSON object is a 400", () => {
  const malformed = [
    "{",
    "nonsense",
    "{'message':'x'}",
    '{"message":"x",}',
    '{"message":"x"}{}',
    "\u0000",
    "\ufeff{}",
    "NaN",
  ];
  const notObjects = ["[]", "[{}]", "null", "5", '"text"', "true"];

  test.each(PATHS)("POST %s", async (path) => {
    for (const body of [...malformed, ...notObjects]) {
      expectBadRequest(path, await post(path, body));
    }
  });

  test("and the error says that it is not valid JSON", async () => {
    for (const path of PATHS) {
      const { body } = await post(path, "{");
      expect(body.details).toEqual([{ path: "", message: "Request body is not valid JSON" }]);
      if (path !== "/patients") {
        expect(body.error).toBe("Request body is not valid JSON");
      }
    }
  });

  test("and an empty body is reported as missing the required fields", async () => {
    for (const body of [undefined, "", " "]) {
      expect((await post("/chat", body)).body).toMatchObject({ success: false, error: "message is required" });
      expectBadRequest("/patients", await post("/patients", body));
    }
  });

  test.each(["[]", "null", "5"])("and POST /chat reports the missing message of %s", async (body) => {
    expect((await post("/chat", body)).body.error).toBe("message is required");
  });
});

describe("a large body", () => {
  const BYTES = 256 * 1024;

  test.each(PATHS)("POST %s accepts 256 KB and rejects one byte more", async (path) => {
    const frame = JSON.stringify({ ...VALID[path], padding: "" });
    const padded = (bytes: number) => frame.replace('""', `"é${"x".repeat(bytes - Buffer.byteLength(frame) - 2)}"`);
    expect([200, 201]).toContain((await post(path, padded(BYTES))).status);

    for (const bytes of [BYTES + 1, 3 * 1024 * 1024]) {
      const reply = await post(path, padded(bytes));
      expect(reply.status).toBe(413);
      expect(reply.body).toEqual({ ...(path !== "/threads" && { success: false }), error: expect.any(String) });
    }
  });
});

describe("a body with 127,000 invalid values", () => {
  const numbers = `[${Array(127_000).fill(1).join(",")}]`;

  test.each([
    ["/patients", `{"name":"Pat","conditions":${numbers}}`],
    ["/patients", `{"name":"Pat","medications":${numbers}}`],
    ["/patients", `{"name":"Pat","notes":${numbers}}`],
    ["/chat", `{"message":"hello","conversationHistory":${numbers}}`],
    ["/chat", `{"message":"hello","patientData":{"conditions":${numbers}}}`],
    ["/chat", `{"message":"hello","patientData":{"allergies":${numbers}}}`],
    ["/chat", `{"message":"hello","patientData":{"medications":${numbers}}}`],
  ])("returns a 400 of a few hundred bytes: POST %s %.60s", async (path, body) => {
    const reply = await post(path, body);
    expectBadRequest(path, reply);
    expect(JSON.stringify(reply.body).length).toBeLessThan(500);
  });

  test("lists the first 20 validation errors and counts the others", async () => {
    const medications = Array.from({ length: 500 }, () => ({ name: 1, dosage: 1, frequency: 1 }));
    const { status, body } = await post("/patients", { name: "Pat Example", medications });
    expect(status).toBe(400);
    expect(body.details).toHaveLength(20);
    expect(body.moreDetails).toBe(1_480);
  });
});

describe("JSON nested 100,000 levels deep", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const deepObject = `${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}`;

  test.each(PATHS)("is a 400 as the body of POST %s and ignored in an unknown field", async (path) => {
    expectBadRequest(path, await post(path, deep));
    const { length } = JSON.stringify(VALID[path]);
    const known = JSON.stringify(VALID[path]).slice(1, length - 1);
    const reply = await post(path, `{${known}${known && ","}"unknown":${deep}}`);
    expect([200, 201]).toContain(reply.status);
  });

  test.each([
    ["/chat", "patientData", `{"message":"hello","patientData":{"conditions":[{"a":${deep}}]}}`],
    ["/chat", "patientData of objects", `{"message":"hello","patientData":{"allergies":[${deepObject}]}}`],
    ["/threads", "metadata", `{"metadata":{"a":${deep}}}`],
    ["/patients", "notes", `{"name":"Pat Example","notes":[{"a":${deep}}]}`],
    ["/patients", "refill_info", `{"name":"Pat Example","refill_info":${deepObject}}`],
  ])("is a 400 in a free-form field: POST %s, %s", async (path, _, body) => {
    expectBadRequest(path, await post(path, body));
  });
});

describe("random JSON", () => {
  const anything = fc.jsonValue({ stringUnit: "binary" });
  const names: Record<string, string[]> = {
    "/chat": ["message", "threadId", "patientId", "phone", "patientData", "conversationHistory", "constructor"],
    "/threads": ["patientId", "phone", "metadata", "toString"],
    "/patients": ["name", "phone_number", "conditions", "medications", "notes", "refill_info", "hasOwnProperty"],
  };

  test.each(PATHS)("POST %s never returns a 5xx", async (path) => {
    const fields = Object.fromEntries((names[path] ?? []).map((name) => [name, anything]));
    const bodies = fc.oneof(
      anything,
      fc.record(fields, { requiredKeys: [] }).map((given) => ({ ...VALID[path], ...given })),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const reply = await post(path, JSON.stringify(body));
        expect([200, 201, 400, 404, 409]).toContain(reply.status);
      }),
      { numRuns: 100 },
    );
  });
});

/** Sends a path unchanged; `fetch` would normalize it first. */
async function send(method: string, path: string, key = true) {
  const { hostname, port } = new URL(service.baseUrl);
  const sent = request({ hostname, port, method, path, headers: key ? { "x-api-key": API_KEY } : {} }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const body = await text(response);
  expectNoInsides(body);
  return { status: response.statusCode, body: JSON.parse(body) };
}

describe("a route or method that does not exist is a 404", () => {
  const unknown: [method: string, path: string][] = [
    ["GET", "/v1/chat"],
    ["PUT", "/v1/chat"],
    ["OPTIONS", "/v1/chat"],
    ["POST", "/v1/chat/"],
    ["POST", "/v1/Chat"],
    ["POST", "/v1//chat"],
    ["POST", "/v1/chat/12345"],
    ["GET", "/v1/threads"],
    ["GET", "/v1/threads/12345/turns"],
    ["POST", "/v1/threads/12345"],
    ["PATCH", "/v1/threads/12345"],
    ["GET", "/v1/patients"],
    ["DELETE", "/v1/patients"],
    ["PUT", "/v1/patients/00000000-0000-4000-8000-000000000000"],
    ["POST", "/v1/openapi.json"],
    ["GET", "/v1/openapi"],
    ["GET", "/v1/nothing/here"],
    ["GET", "/v1"],
    ["POST", "/"],
    ["GET", "//v1/threads/12345"],
    ["POST", "/chat"],
    ["POST", "/v2/chat"],
    ["GET", "/v1/../v1/nothing"],
  ];

  test.each(unknown)("%s %s", async (method, path) => {
    for (const key of [true, false]) {
      expect(await send(method, path, key)).toEqual({ status: 404, body: { success: false, error: "Not found" } });
    }
  });
});

describe("a malformed id in the path", () => {
  const RESOURCES: [method: string, prefix: string, error: string][] = [
    ["GET", "/v1/threads/", "Thread not found or expired"],
    ["DELETE", "/v1/threads/", "Thread not found"],
    ["GET", "/v1/patients/", "Patient not found"],
  ];
  const odd = [
    "..",
    ".",
    "%2e%2e",
    "%2F",
    "..%2F..%2Fetc",
    "%5C",
    "%00",
    "1234%00",
    "12345%0A",
    "%F0%9F%98%80",
    "%25zz",
    "-1",
  ];
  const more = [
    "00000",
    "00000000-0000-4000-8000-000000000000",
    "1234",
    "123456",
    "abcde",
    "no-uuid",
    "%20",
    "12%2F45",
    encodeURIComponent("٣٤٥٦٧"),
    "1e4",
    "0x2710",
    "+12345",
    "12345;x=1",
    "null",
    "undefined",
    "__proto__",
    "thread",
    "*",
    "9".repeat(5000),
  ];

  test.each(RESOURCES)("is a 404: %s %s…", async (method, prefix, error) => {
    for (const id of [...odd, ...more]) {
      expect({ id, ...(await send(method, prefix + id)) }).toEqual({ id, status: 404, body: { error } });
    }
  });

  test.each(RESOURCES)("is a 404 for any string: %s %s…", async (method, prefix, error) => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1 }), async (id) => {
        const reply = await send(method, prefix + encodeURIComponent(id));
        expect(reply).toEqual({ status: 404, body: { error } });
      }),
      { numRuns: 40 },
    );
  });

  test.each(RESOURCES)("is a 400 or 404 if it cannot be decoded: %s %s…", async (method, prefix) => {
    for (const id of ["%", "%zz", "%E0%A4%A", "%ff", "12345%"]) {
      const { status, body } = await send(method, prefix + id);
      expect([400, 404]).toContain(status);
      expect(body.error).toEqual(expect.any(String));
    }
  });
});

describe("a header named after a member of Object.prototype", () => {
  test.each(["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"])("is ignored: %s", async (name) => {
    const { hostname, port } = new URL(service.baseUrl);
    const headers = ["host", `${hostname}:${port}`, "x-api-key", API_KEY, name, "one", name, "two"];
    const sent = request({ hostname, port, path: "/v1/threads/00000", headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect([response.statusCode, JSON.parse(await text(response))]).toEqual([
      404,
      { error: "Thread not found or expired" },
    ]);
  });
});

describe("a malformed query string", () => {
  test.each(["?", "?%zz", "?api_key=%zz", "?a=1&a=2&__proto__=x", `?${"a".repeat(5000)}`])(
    "is ignored: %.20s",
    async (query) => {
      expect(await send("GET", `/v1/threads/00000${query}`)).toEqual({
        status: 404,
        body: { error: "Thread not found or expired" },
      });
    },
  );
});
