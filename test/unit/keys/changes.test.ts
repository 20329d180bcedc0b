import { describe, expect, test } from "@jest/globals";
import type { ClientKeys } from "../../../shared/auth/client-keys.ts";
import { OperationError } from "../../../tools/aws/explain.ts";
import { add, endOverlap, newKey, revoke, rotate, set } from "../../../tools/keys/changes.ts";

const clients: ClientKeys = new Map([
  ["plain", { keys: ["key"] }],
  ["changing", { keys: ["new", "previous"], tenant: "clinic", quotas: { requestsPerMinute: 60 } }],
]);

/** Returns a client's keys after a change. Asserts that other clients and the original map are unchanged. */
function changed(change: () => ClientKeys, name: string): string[] | undefined {
  const before = structuredClone(clients);
  const after = change();
  expect(clients).toEqual(before);
  const others = (all: ClientKeys) => [...all].filter(([other]) => other !== name);
  expect(others(after)).toEqual(others(before));
  const entry = after.get(name);
  if (entry && before.has(name)) {
    expect(entry).toEqual({ ...before.get(name), keys: entry.keys }); // the tenant and quotas stay
  }
  return entry?.keys;
}

test("a new key is unique and has 64 hexadecimal digits, so it cannot be guessed and needs no quoting", () => {
  const keys = Array.from({ length: 100 }, newKey);
  expect(keys.filter((key) => !/^[0-9a-f]{64}$/.test(key))).toEqual([]);
  expect(new Set(keys).size).toBe(100);
});

describe("a client", () => {
  test.each(["clinic-a", "Clinic_A.2", "a", "1", "a".repeat(64)])("can be added as %s, with one key", (name) => {
    expect(changed(() => add(clients, name, "first"), name)).toEqual(["first"]);
  });

  test.each(["", " ", "-a", "__proto__", "two words", "a\nb", "a:b", "é", "a".repeat(65), "{}"])(
    "cannot be named %j",
    (name) => {
      expect(() => add(clients, name, "first")).toThrow(OperationError);
    },
  );

  test.each<[string, () => ClientKeys, RegExp]>([
    ["be added twice, which would lose its key", () => add(clients, "plain", "other"), /already exists/],
    [
      "be rotated during an overlap, which would lose a key in use",
      () => rotate(clients, "changing", "x"),
      /end-overlap/,
    ],
    ["end an overlap without a rotation", () => endOverlap(clients, "plain"), /no previous key/],
    ["be rotated if it does not exist", () => rotate(clients, "nobody", "new"), /does not exist/],
    ["end its overlap if it does not exist", () => endOverlap(clients, "nobody"), /does not exist/],
    ["be revoked if it does not exist", () => revoke(clients, "nobody"), /does not exist/],
  ])("cannot %s", (_, change, error) => {
    expect(change).toThrow(OperationError);
    expect(change).toThrow(error);
  });
});

describe("a client's tenant and quotas", () => {
  const quotas = { requestsPerMinute: "600", tokensPerDay: "1000000" };

  test("can be set when it is added", () => {
    const after = add(clients, "third", "key", { tenant: "clinic", quotas });
    expect(after.get("third")).toEqual({
      keys: ["key"],
      tenant: "clinic",
      quotas: { requestsPerMinute: 600, tokensPerDay: 1_000_000 },
    });
  });

  test("can be changed one by one without affecting the others", () => {
    const before = structuredClone(clients);
    const after = set(clients, "changing", { quotas: { concurrentChats: "5" } });
    expect(after.get("changing")).toEqual({
      keys: ["new", "previous"],
      tenant: "clinic",
      quotas: { requestsPerMinute: 60, concurrentChats: 5 },
    });
    expect(clients).toEqual(before);
    expect(set(after, "changing", { tenant: "other" }).get("changing")).toMatchObject({ tenant: "other" });
  });

  test("can be removed: the client's own name makes it its own tenant, and none removes a quota", () => {
    const after = set(clients, "changing", { tenant: "changing", quotas: { requestsPerMinute: "none" } });
    expect(after.get("changing")).toEqual({ keys: ["new", "previous"] });
  });

  test.each([
    ...["0", "-1", "1.5", "", "many", "50001", "1e3", "0x10"].map((limit) => ({
      quotas: { requestsPerMinute: limit },
    })),
    ...["requests", "__proto__", "constructor"].map((name) => ({ quotas: Object.fromEntries([[name, "5"]]) })),
    ...["", "two words", "a#b", "-a"].map((tenant) => ({ tenant })),
  ])("cannot be %j", (settings) => {
    expect(() => set(clients, "plain", settings)).toThrow(/must be a whole number|There is no quota|A tenant name/);
  });

  test("are changed only by a command that names one, and only for a valid existing client", () => {
    expect(() => set(clients, "plain", {})).toThrow(/There is nothing to change/);
    expect(() => set(clients, "nobody", { tenant: "a" })).toThrow(/does not exist/);
    const invalid: ClientKeys = new Map([["broken", { keys: [], invalid: { tenant: 5 } }]]);
    expect(() => set(invalid, "broken", { tenant: "a" })).toThrow(/invalid tenant or quota/);
    expect(revoke(invalid, "broken").size).toBe(0);
  });
});
