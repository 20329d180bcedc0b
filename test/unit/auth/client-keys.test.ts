import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatClientKeys, parseClientKeys } from "../../../shared/auth/client-keys.ts";
import { failureKind } from "../../../shared/failure-kind.ts";

describe("the secret of the API keys", () => {
  test("has a key for each client, or several in the order of their use", () => {
    expect([...parseClientKeys('{"one": "key", "two": ["new", "previous"]}')]).toEqual([
      ["one", ["key"]],
      ["two", ["new", "previous"]],
    ]);
  });

  test("may be empty", () => {
    expect(parseClientKeys("{}").size).toBe(0);
  });

  test("has a single key as plain text, so that it is as an operator would write it", () => {
    const clients = new Map([
      ["one", ["key"]],
      ["two", ["new", "previous"]],
      ["none", []],
    ]);
    expect(formatClientKeys(clients)).toBe('{"one":"key","two":["new","previous"],"none":[]}');
  });

  test("keeps all clients and keys when it is written and read again, whatever their names", () => {
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
    "%j is the operator's error, and one of secrets",
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
