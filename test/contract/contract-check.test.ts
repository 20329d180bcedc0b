import { describe, expect, test } from "@jest/globals";
import { openApiDocument } from "../../shared/openapi/document.ts";
import { Contract } from "../../tools/live-check/contract.ts";

const contract = new Contract(JSON.parse(JSON.stringify(openApiDocument("https://example.test/v1"))));

const thread = {
  threadId: "48213",
  patientId: null,
  messageCount: 2,
  lastActivity: "2026-03-01T09:00:00.000Z",
  createdAt: "2026-03-01T09:00:00.000Z",
  expiresAt: "2026-03-01T09:30:00.000Z",
};

/** What is found in a thread's response with these changes, as it would be sent: undefined fields are not. */
function ofThread(changes: object): string | undefined {
  const body = { success: true, thread: { ...thread, ...changes } };
  return contract.violation("GET", "/threads/48213", 200, JSON.parse(JSON.stringify(body)));
}

// Every response that the tests get is held to the document; this shows that doing so can fail.
describe("the check of responses", () => {
  test("finds nothing in a response that fits", () => {
    expect(ofThread({})).toBeUndefined();
    expect(ofThread({ patientId: "00000000-0000-4000-8000-000000000001" })).toBeUndefined();
    expect(contract.violation("GET", "/threads/48213", 404, { error: "Thread not found or expired" })).toBeUndefined();
  });

  test.each([
    ["a missing field", { expiresAt: undefined }, /expiresAt/],
    ["an extra field", { metadata: {} }, /additional properties/],
    ["a wrong type", { messageCount: "2" }, /messageCount must be integer/],
    ["a number outside its range", { messageCount: -1 }, /messageCount must be >= 0/],
    ["null where there is always a value", { createdAt: null }, /createdAt must be string/],
    ["a time that is none", { createdAt: "yesterday" }, /createdAt must match/],
    ["an id of another form", { threadId: "4821" }, /threadId must match pattern/],
    ["a patient id that is no UUID", { patientId: "48213" }, /patientId must match/],
  ])("finds %s", (_, changes, fault) => {
    expect(ofThread(changes)).toMatch(fault);
  });

  test("finds a missing and an extra field beside the object, too", () => {
    expect(contract.violation("GET", "/threads/48213", 200, { thread })).toMatch(/success/);
    expect(contract.violation("GET", "/threads/48213", 200, { success: true, thread, more: 1 })).toMatch(/additional/);
    expect(contract.violation("GET", "/threads/48213", 200, undefined)).toMatch(/must be object/);
  });

  test("finds an error in the other shape", () => {
    const error = "what is wrong";
    expect(contract.violation("GET", "/threads/48213", 404, { success: false, error })).toMatch(
      /additional properties/,
    );
    expect(contract.violation("POST", "/chat", 404, { error })).toMatch(/success/);
    expect(contract.violation("POST", "/patients", 409, { error })).toMatch(/patient/);
    expect(contract.violation("POST", "/patients", 401, { success: false, error })).toMatch(/additional properties/);
  });

  test.each([
    ["GET", "/threads/48213", 201],
    ["GET", "/threads/48213", 409],
    ["POST", "/chat", 201],
    ["POST", "/patients", 404],
    ["GET", "/openapi.json", 401],
  ])("finds a status that is not documented: %s %s %d", (method, path, status) => {
    expect(contract.violation(method, path, status, {})).toMatch(new RegExp(`does not document the status ${status}$`));
  });

  test("says which operation and status is at fault", () => {
    expect(ofThread({ threadId: 48213 })).toMatch(/^GET \/threads\/\{id\} 200: /);
  });

  test("leaves alone what the document does not know", () => {
    expect(contract.violation("GET", "/nowhere", 404, { success: false, error: "Not found" })).toBeUndefined();
    expect(contract.violation("PUT", "/threads/48213", 404, { success: false, error: "Not found" })).toBeUndefined();
    expect(contract.violation("GET", "/threads/48213/more", 404, {})).toBeUndefined();
  });
});
