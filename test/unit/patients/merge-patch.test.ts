import { describe, expect, test } from "@jest/globals";
import { mergePatch } from "../../../shared/patients/merge-patch.ts";

describe("a JSON merge patch", () => {
  // The examples of RFC 7396, appendix A, in which target and patch are objects.
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("on %j: %j gives %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("does not change its target", () => {
    const target = { a: { b: 1 } };
    mergePatch(target, { a: { b: 2 } });
    expect(target).toEqual({ a: { b: 1 } });
  });

  test("treats __proto__ as any other name", () => {
    const merged = mergePatch(JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"b": 2}}'));
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"a":1,"b":2}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
