import { describe, expect, test } from "@jest/globals";
import { add, endOverlap, KeysError, newKey, revoke, rotate } from "../../../tools/keys/changes.ts";

const clients = new Map([
  ["plain", ["key"]],
  ["changing", ["new", "previous"]],
]);

/** What a change makes of a client's keys; that it leaves the others alone, and changes nothing in place. */
function changed(change: () => Map<string, string[]>, name: string): string[] | undefined {
  const before = structuredClone(clients);
  const after = change();
  expect(clients).toEqual(before);
  const others = (all: Map<string, string[]>) => [...all].filter(([other]) => other !== name);
  expect(others(after)).toEqual(others(before));
  return after.get(name);
}

describe("a new key", () => {
  test("is long enough not to be guessed, and needs no quoting anywhere", () => {
    expect(newKey()).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is like no other", () => {
    expect(new Set(Array.from({ length: 100 }, newKey)).size).toBe(100);
  });
});

describe("a client", () => {
  test.each(["clinic-a", "Clinic_A.2", "a", "1", "a".repeat(64)])("can be added as %s, with one key", (name) => {
    expect(changed(() => add(clients, name, "first"), name)).toEqual(["first"]);
  });

  test.each(["", " ", "-a", "__proto__", "two words", "a\nb", "a:b", "é", "a".repeat(65), "{}"])(
    "cannot be called %j",
    (name) => {
      expect(() => add(clients, name, "first")).toThrow(KeysError);
    },
  );

  test("cannot be added twice: its key would be lost", () => {
    expect(() => add(clients, "plain", "other")).toThrow(KeysError);
  });

  test("has its new key first after a rotation, and the one before beside it", () => {
    expect(changed(() => rotate(clients, "plain", "new"), "plain")).toEqual(["new", "key"]);
  });

  test("is not rotated again before its overlap has ended: a key in use would be lost", () => {
    expect(() => rotate(clients, "changing", "newest")).toThrow(/end-overlap/);
  });

  test("has its new key alone when the overlap has ended", () => {
    expect(changed(() => endOverlap(clients, "changing"), "changing")).toEqual(["new"]);
  });

  test("has no overlap to end when it was not rotated", () => {
    expect(() => endOverlap(clients, "plain")).toThrow(KeysError);
  });

  test.each(["plain", "changing"])("loses all its keys when it is revoked: %s", (name) => {
    expect(changed(() => revoke(clients, name), name)).toBeUndefined();
  });

  test("that there is not cannot be rotated, ended or revoked", () => {
    expect(() => rotate(clients, "nobody", "new")).toThrow(KeysError);
    expect(() => endOverlap(clients, "nobody")).toThrow(KeysError);
    expect(() => revoke(clients, "nobody")).toThrow(KeysError);
  });
});
