import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "../helpers/any-character.ts";
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

/** The fields of each endpoint by the JSON types that they accept. */
const FIELDS: Record<string, [fields: string, ...kinds: Kind[]][]> = {
  "/chat": [
    ["message threadId patientId phone conversationHistory.0.content", "string"],
    ["conversationHistory patientData.conditions patientData.medications", "array"],
    ["conversationHistory.0 patientData patientData.medications.0", "object"],
    ["conversationHistory.0.role"],
    ["patientData.name patientData.gender patientData.height patientData.weight patientData.race", "string"],
    ["patientData.blood_type patientData.last_visit patientData.category_note patientData.phone_number", "string"],
    ["patientData.medications.0.name patientData.medications.0.dosage patientData.medications.0.condition", "string"],
    ["patientData.conditions.0 patientData.allergies.0", "string", "object"],
    ["patientData.allergies", "array", "string"], // also accepted as a string, as in a record
    ["patientData.age", "number"],
    ["patientData.reminders_enabled", "boolean"],
  ],
  "/threads": [
    ["patientId phone", "string"],
    ["metadata", "object"],
  ],
  "/patients": [
    ["name phone_number conditions.0 allergies join_status gender height weight race blood_type", "string"],
    ["medications.0.name medications.0.dosage medications.0.frequency", "string"],
    ["conditions medications notes", "array"],
    ["medications.0 notes.0 refill_info", "object"],
    ["reminders_enabled", "boolean"],
    ["age", "number"],
  ],
};
const FIELD_CASES = Object.entries(FIELDS).flatMap(([path, groups]) =>
  groups.flatMap(([fields, ...kinds]) => fields.split(" ").map((field) => ({ path, field, kinds }))),
);

/** `"a.0.b"` and a value → `{a: [{b: value}]}`. */
function nested([first, ...rest]: string[], value: unknown): unknown {
  if (first === undefined) {
    return value;
  }
  return first === "0" ? [nested(rest, value)] : { [first]: nested(rest, value) };
}

describe("a 400 for an invalid field", () => {
  test.each(FIELD_CASES)("names it: POST $path, $field", async ({ path, field, kinds }) => {
    for (const [kind, value] of Object.entries(KINDS).filter(([name]) => !kinds.includes(name as Kind))) {
      const reply = await post(path, { ...VALID[path], ...(nested(field.split("."), value) as object) });
      expectBadRequest(path, reply);
      const paths = reply.body.details.map((detail: { path: string }) => detail.path);
      expect({ kind, paths }).toEqual({ kind, paths: expect.arrayContaining([field]) });
    }
  });

  test.each([
    [{ name: 5, phone_number: "12" }, ["name", "phone_number"]],
    [{ phone_number: "12", age: "old" }, ["phone_number", "age"]],
    [{ name: " ", phone_number: "12" }, ["phone_number"]],
    [{ age: "old" }, ["age", "name"]],
    [{ name: " ", medications: [{ name: 5 }] }, ["medications.0.name", "name"]],
    [{ name: 5 }, ["name"]],
  ])("POST /patients: %j has all faults at once", async (body, paths) => {
    const { status, body: answer } = await post("/patients", body);
    expect(status).toBe(400);
    expect(answer.details.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  test("PATCH /patients/{id}: all faults at once", async () => {
    const { id } = await service.newPatient();
    const body = { name: 5, phone_number: "12", alergies: "latex" };
    const reply = await service.call("PATCH", `/patients/${id}`, { body });
    expect(reply.body.details.map(({ path }: { path: string }) => path)).toEqual(["name", "phone_number", "alergies"]);
  });

  test("says that a record exceeds the storage limit", async () => {
    const note = `{"a":[${Array(2_800).fill("1e20").join(",")}]}`;
    const body = `{"name":"Pat Example","notes":[${Array(7).fill(note).join(",")}]}`;
    const reply = await service.call("POST", "/patients", { body });
    expectBadRequest("/patients", reply);
    expect(reply.body.details).toEqual([{ path: "", message: "a record must not be larger than 350 KB" }]);
  });
});

describe("a body that is not a JSON object", () => {
  const malformed = ["{", "nonsense", "{'message':'x'}", '{"message":"x",}', '{"message":"x"}{}', "\u0000", "NaN"];
  const notObjects = ["[]", "[{}]", "null", "5", '"text"', "true"];

  test.each(PATHS)("is a 400: POST %s", async (path) => {
    for (const body of [...malformed, ...notObjects]) {
      expectBadRequest(path, await post(path, body));
    }
  });

  test("lacks the required fields if it is empty", async () => {
    for (const body of [undefined, "", " "]) {
      expect((await post("/chat", body)).body).toMatchObject({ success: false, error: "message is required" });
      expectBadRequest("/patients", await post("/patients", body));
    }
  });
});

describe("a body in another format", () => {
  const XML = "<patient><name>Pat Example</name></patient>";

  test.each([
    ["application/xml", XML, 415],
    ["text/xml; charset=utf-8", XML, 415],
    ["multipart/form-data; boundary=x", "--x\r\n", 415],
    ["application/json", XML, 400],
    ["application/x-www-form-urlencoded", "{", 400], // curl's own, if not told otherwise
    ["text/plain;charset=UTF-8", "{", 400], // that of `fetch`
    ["", "{", 400],
    ["application/xml", '{"name":"Pat Example","message":"hello"}', undefined],
  ])("sent as %s: %s is a %s", async (type, body, status) => {
    for (const path of PATHS) {
      const reply = await service.call("POST", path, { body, headers: { "content-type": type } });
      expect(status ?? [200, 201]).toEqual(
        status === undefined ? expect.arrayContaining([reply.status]) : reply.status,
      );
      if (status === 415) {
        const error = "Request body must be JSON, with Content-Type application/json";
        expect(reply.body).toEqual({ ...(path !== "/threads" && { success: false }), error });
      }
    }
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
    ["/chat", `{"message":"hello","conversationHistory":${numbers}}`],
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
  const anything = fc.jsonValue({ stringUnit: anyCharacter });
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

const WITH_KEY = ["x-api-key", API_KEY];

/** Sends a path and headers unchanged; `fetch` would normalize it first. */
async function send(method: string, path: string, headers: readonly string[] = WITH_KEY) {
  const { hostname, port } = new URL(service.baseUrl);
  const sent = request({ hostname, port, method, path, headers: ["host", `${hostname}:${port}`, ...headers] }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const body = await text(response);
  expectNoInsides(body);
  return { status: response.statusCode, body: JSON.parse(body) };
}

describe("a route that does not exist is a 404", () => {
  const unknown = Object.entries({
    GET: "/v1/threads/12345/turns /v1/openapi /v1/nothing/here /v1 //v1/threads/12345 /v1/../v1/nothing",
    POST: "/v1/chat/ /v1/Chat /v1//chat /v1/chat/12345 / /chat /v2/chat",
    PUT: "/v1/nothing/here",
  }).flatMap(([method, paths]) => paths.split(" ").map((path) => [method, path] as const));

  test.each(unknown)("%s %s", async (method, path) => {
    for (const key of [WITH_KEY, []]) {
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
  const odd =
    ".. . %2e%2e %2F ..%2F..%2Fetc %5C %00 1234%00 12345%0A %F0%9F%98%80 %25zz -1 00000 1234 123456 abcde no-uuid %20 " +
    "00000000-0000-4000-8000-000000000000 12%2F45 1e4 0x2710 +12345 12345;x=1 null undefined __proto__ thread *";
  const ids = [...odd.split(" "), encodeURIComponent("٣٤٥٦٧"), "9".repeat(5000)];

  test.each(RESOURCES)("is a 404: %s %s…", async (method, prefix, error) => {
    for (const id of ids) {
      expect({ id, ...(await send(method, prefix + id)) }).toEqual({ id, status: 404, body: { error } });
    }
  });

  test.each(RESOURCES)("is a 400 or 404 if it cannot be decoded: %s %s…", async (method, prefix) => {
    for (const id of ["%", "%zz", "%E0%A4%A", "%ff", "12345%"]) {
      const { status, body } = await send(method, prefix + id);
      expect([400, 404]).toContain(status);
      expect(body.error).toEqual(expect.any(String));
    }
  });
});

describe("what the service does not know is ignored:", () => {
  const notFound = { status: 404, body: { error: "Thread not found or expired" } };

  test.each(["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"])(
    "a header named %s, after a member of Object.prototype",
    async (name) => {
      expect(await send("GET", "/v1/threads/00000", [...WITH_KEY, name, "one", name, "two"])).toEqual(notFound);
    },
  );

  test.each(["?", "?%zz", "?api_key=%zz", "?a=1&a=2&__proto__=x", `?${"a".repeat(5000)}`])(
    "the malformed query string %.20s",
    async (query) => {
      expect(await send("GET", `/v1/threads/00000${query}`)).toEqual(notFound);
    },
  );
});
