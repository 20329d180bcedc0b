import { describe, expect, test } from "@jest/globals";
import { Contract } from "../../shared/live-check/contract.ts";
import { openApiDocument } from "../../shared/openapi/document.ts";
import { THREAD_EXAMPLE } from "../../shared/threads/examples.ts";

const contract = new Contract(JSON.parse(JSON.stringify(openApiDocument("https://example.test/v1"))));

const thread = { ...THREAD_EXAMPLE, patientId: null };

/**
 * Returns the violation found in a thread response with these changes. Undefined fields are removed, as in a real
 * response.
 */
function ofThread(changes: object): string | undefined {
  const body = { success: true, thread: { ...thread, ...changes } };
  return contract.violation("GET", "/threads/48213", 200, JSON.parse(JSON.stringify(body)));
}

// The tests validate every response against the OpenAPI document. These tests show that the validation can fail.
describe("the contract check", () => {
  test("accepts a valid response", () => {
    expect(ofThread({})).toBeUndefined();
    expect(ofThread({ patientId: "00000000-0000-4000-8000-000000000001" })).toBeUndefined();
    expect(contract.violation("GET", "/threads/48213", 404, { error: "Thread not found or expired" })).toBeUndefined();
  });

  test.each([
    ["a missing field", { expiresAt: undefined }, /expiresAt/],
    ["an extra field", { messages: [] }, /additional properties/],
    ["a wrong type", { messageCount: "2" }, /messageCount must be integer/],
    ["a patient id that is not a UUID", { patientId: "48213" }, /patientId must match/],
  ])("rejects %s", (_, changes, fault) => {
    expect(ofThread(changes)).toMatch(fault);
  });

  const error = "what is wrong";
  test.each<[string, string, number, unknown, RegExp]>([
    ["GET", "/threads/48213", 200, { thread }, /success/],
    ["GET", "/threads/48213", 200, { success: true, thread, more: 1 }, /additional/],
    ["GET", "/threads/48213", 200, { success: false, thread }, /success must be equal to constant/],
    ["DELETE", "/threads/48213/handoff", 200, { success: true, hold: {}, expiresAt: thread.expiresAt }, /hold must be/],
    ["GET", "/threads/48213", 404, { success: false, error }, /additional properties/],
    ["POST", "/chat", 404, { error }, /success/],
    ["POST", "/patients", 409, { error }, /patient/],
    ["POST", "/patients", 401, { success: false, error }, /additional properties/],
  ])("rejects a body in the wrong shape: %s %s %d %j", (method, path, status, body, fault) => {
    expect(contract.violation(method, path, status, body)).toMatch(fault);
  });

  test.each([["GET", "/threads/48213", 201]])("rejects an undocumented status: %s %s %d", (method, path, status) => {
    expect(contract.violation(method, path, status, {})).toMatch(new RegExp(`does not document the status ${status}$`));
  });

  test("ignores operations that the document does not contain", () => {
    expect(contract.violation("GET", "/nowhere", 404, { success: false, error: "Not found" })).toBeUndefined();
    expect(contract.violation("PUT", "/threads/48213", 404, { success: false, error: "Not found" })).toBeUndefined();
    expect(contract.violation("GET", "/threads/48213/more", 404, {})).toBeUndefined();
  });
});
