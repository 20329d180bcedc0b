import { describe, expect, test } from "@jest/globals";
import { mutantsOf, mutate } from "../../../tools/mutation/mutants.ts";

/** Every mutant of a source, as the changed source. */
const changed = (source: string) => mutantsOf("file.ts", source).map((mutant) => mutate(source, mutant));

describe("a source is mutated", () => {
  test.each([
    ["a < b;", ["a <= b;", ";"]],
    ["const x = a === b;", ["const x = a !== b;"]],
    ["const x = a ?? b;", ["const x = a && b;"]],
    ["const x = !a;", ["const x = a;"]],
    ["const x = true;", ["const x = false;"]],
    ["const x = 3;", ["const x = 4;"]],
    ['const x = "text";', ['const x = "";']],
    ["if (a) b();", ["if (true) b();", "if (false) b();", "if (a) ;"]],
    ["await f();", [";", "f();"]],
    ["throw error;", [";"]],
    ["const x = Math.min(a, b);", ["const x = Math.max(a, b);"]],
    ["const x = { a, ...b };", ["const x = { ...b };", "const x = { a,  };"]],
    ['const x = "a = :a AND b = :b";', ['const x = "b = :b";', 'const x = "a = :a";']],
    ['const x = "SET a = :a REMOVE b";', ['const x = "SET a = :a";']],
    ["class A { b() { return 1 + c; } }", ["class A { b() { return 2 + c; } }", "class A { b() { return 1 - c; } }"]],
  ])("%s", (source, mutants) => {
    expect(changed(source).sort()).toEqual([...mutants].sort());
  });

  test("at the right position after multi-byte characters and comments", () => {
    expect(changed("// ünïcödé 🙂\nconst x = 1;")).toEqual(["// ünïcödé 🙂\nconst x = 2;"]);
  });

  test("but not in types or names", () => {
    const source =
      'import { a } from "b";\ntype T = "c" | 1;\nexport const x: T = a as unknown as "c";\ninterface I { d: true }';
    expect(changed(source)).toEqual([]);
  });
});

test("a mutant states its line and its change", () => {
  expect(mutantsOf("file.ts", "let x;\n\nx = a && b;")).toContainEqual(
    expect.objectContaining({ file: "file.ts", line: 3, rule: "operator", before: " && ", after: " || " }),
  );
});
