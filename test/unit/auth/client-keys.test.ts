import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatClientKeys, parseClientKeys } from "../../../shared/auth/client-keys.ts";
import { failureKind } from "../../../shared/failure-kind.ts";

describe("the secret with the API keys", () => {
  test("contains one key per client, or several with the current one first", () => {
    expect([...parseClientKeys('{"one": "key", "two": ["new", "previous"]}')]).toEqual([
      ["one", ["key"]],
      ["two", ["new", "previous"]],
    ]);
  });

  test("can be an empty object", () => {
    expect(parseClientKeys("{}").size).toBe(0);
  });

  test("stores a single key as a string, as an operator would write it", () => {
    const clients = new Map([
      ["one", ["key"]],
      ["two", ["new", "previous"]],
      ["none", []],
    ]);
    expect(formatClientKeys(clients)).toBe('{"one":"key","two":["new","previous"],"none":[]}');
  });

  test("keeps all clients and keys through formatting and parsing, whatever their names", () => {
    const key = fc.string({ minLength: 1 });
    const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "1"));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, fc.array(key)), { selector: ([one]) => one }), (entries) => {
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
