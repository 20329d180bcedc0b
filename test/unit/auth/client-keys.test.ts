import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type ClientKeys, formatClientKeys, parseClientKeys } from "../../../shared/auth/client-keys.ts";
import { failureKind } from "../../../shared/request/failure-kind.ts";

describe("the secret with the API keys", () => {
  test("contains one key per client, or several with the current one first", () => {
    expect([...parseClientKeys('{"one": "key", "two": ["new", "previous"]}')]).toEqual([
      ["one", { keys: ["key"] }],
      ["two", { keys: ["new", "previous"] }],
    ]);
  });

  test("can assign a client to a tenant and limit it", () => {
    const secret =
      '{"one": {"keys": "key", "tenant": "clinic", "quotas": {"requestsPerMinute": 60}}, "two": {"keys": ["key"]}}';
    expect([...parseClientKeys(secret)]).toEqual([
      ["one", { keys: ["key"], tenant: "clinic", quotas: { requestsPerMinute: 60 } }],
      ["two", { keys: ["key"] }],
    ]);
  });

  test.each([
    ["a tenant that is not a string", { tenant: 5 }],
    ["a tenant without a name", { tenant: "" }],
    ["a tenant whose name is too long for a key", { tenant: "t".repeat(129) }],
    ["a quota that is not a number", { quotas: { requestsPerMinute: "60" } }],
    ["a quota of 0", { quotas: { requestsPerMinute: 0 } }],
    ["a quota over the maximum", { quotas: { requestsPerMinute: 50_001 } }],
    ["an unknown quota", { quotas: { requestPerMinute: 60 } }],
    ["quotas that are a list", { quotas: [60] }],
    ["an unknown field", { tennant: "clinic" }],
  ])("ignores the keys of a client with %s, keeps the entry, and does not affect other clients", (_, settings) => {
    const entry = { keys: ["key"], ...settings };
    const clients = parseClientKeys(JSON.stringify({ one: entry, two: "other" }));
    expect(clients.get("one")).toEqual({ keys: [], invalid: entry });
    expect(clients.get("two")).toEqual({ keys: ["other"] });
    expect(JSON.parse(formatClientKeys(clients))).toEqual({ one: entry, two: "other" });
  });

  test("contains a single key as a string, as an operator would write it", () => {
    const clients: ClientKeys = new Map([
      ["one", { keys: ["key"] }],
      ["two", { keys: ["new", "previous"] }],
      ["none", { keys: [] }],
    ]);
    expect(formatClientKeys(clients)).toBe('{"one":"key","two":["new","previous"],"none":[]}');
  });

  test("keeps all clients and keys when formatted and parsed, whatever their names", () => {
    const key = fc.string({ minLength: 1 });
    const entry = fc.record(
      {
        keys: fc.array(key),
        tenant: fc.string({ minLength: 1, maxLength: 128 }),
        quotas: fc.record({ concurrentChats: fc.integer({ min: 1, max: 1_000 }) }),
      },
      { requiredKeys: ["keys"] },
    );
    const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "1"));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, entry), { selector: ([one]) => one }), (entries) => {
        const read = parseClientKeys(formatClientKeys(new Map(entries)));
        expect(read).toEqual(new Map(entries));
      }),
    );
  });

  test.each(["", "no JSON", "[]", "null", '"text"', "5"])(
    "%j causes an OperatorError of the failure kind secrets",
    (secret) => {
      const error = (() => {
        try {
          return parseClientKeys(secret);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toMatchObject({ name: "OperatorError" });
      expect(failureKind(error)).toBe("secrets");
    },
  );
});
