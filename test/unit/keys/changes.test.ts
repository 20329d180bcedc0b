import { describe, expect, test } from "@jest/globals";
import { add, endOverlap, KeysError, newKey, revoke, rotate } from "../../../tools/keys/changes.ts";

const clients = new Map([
  ["plain", ["key"]],
  ["changing", ["new", "previous"]],
]);

/** Returns a client's keys after a change. Asserts that other clients and the original map are unchanged. */
function changed(change: () => Map<string, string[]>, name: string): string[] | undefined {
  const before = structuredClone(clients);
  const after = change();
  expect(clients).toEqual(before);
  const others = (all: Map<string, string[]>) => [...all].filter(([other]) => other !== name);
  expect(others(after)).toEqual(others(before));
  return after.get(name);
}

describe("a new key", () => {
  test("has 64 hexadecimal digits, so it cannot be guessed and needs no quoting", () => {
    expect(newKey()).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is unique", () => {
    expect(new Set(Array.from({ length: 100 }, newKey)).size).toBe(100);
  });
});

describe("a client", () => {
  test.each(["clinic-a", "Clinic_A.2", "a", "1", "a".repeat(64)])("can be added as %s, with one key", (name) => {
    expect(changed(() => add(clients, name, "first"), name)).toEqual(["first"]);
  });

  test.each(["", " ", "-a", "__proto__", "two words", "a\nb", "a:b", "é", "a".repeat(65), "{}"])(
    "cannot be named %j",
    (name) => {
      expect(() => add(clients, name, "first")).toThrow(KeysError);
    },
  );

  test("cannot be added twice, which would lose its key", () => {
    expect(() => add(clients, "plain", "other")).toThrow(KeysError);
  });

  test("has its new key followed by the previous one after a rotation", () => {
    expect(changed(() => rotate(clients, "plain", "new"), "plain")).toEqual(["new", "key"]);
  });

  test("cannot be rotated again during an overlap, which would lose a key in use", () => {
    expect(() => rotate(clients, "changing", "newest")).toThrow(/end-overlap/);
  });

  test("has only its new key after the overlap", () => {
    expect(changed(() => endOverlap(clients, "changing"), "changing")).toEqual(["new"]);
  });

  test("cannot end an overlap without a rotation", () => {
    expect(() => endOverlap(clients, "plain")).toThrow(KeysError);
  });

  test.each(["plain", "changing"])("%s loses all its keys when it is revoked", (name) => {
    expect(changed(() => revoke(clients, name), name)).toBeUndefined();
  });

  test("cannot be rotated, ended or revoked when it does not exist", () => {
    expect(() => rotate(clients, "nobody", "new")).toThrow(KeysError);
    expect(() => endOverlap(clients, "nobody")).toThrow(KeysError);
    expect(() => revoke(clients, "nobody")).toThrow(KeysError);
  });
});
