import { describe, expect, test } from "@jest/globals";
import { mutantsOf, mutate } from "../../../tools/mutation/mutants.ts";
import { insertProbes, probeAt } from "../../../tools/mutation/probes.ts";

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

test("a schema's description and examples are not changed", () => {
  expect(changed('const x = f({ id: a, description: "text", examples: ["text"] });')).toEqual([
    'const x = f({ description: "text", examples: ["text"] });',
  ]);
});

describe("probes", () => {
  const { regions, source } = insertProbes(
    "const f = (a) => a ?? g(() => b);\nfunction h() { if (c) { d(); } }",
    "log",
    5,
  );

  test("are in every function and block", () => {
    expect(source.replaceAll(/function __reached.*?\} \} /g, "")).toBe(
      "__reached(5);\nconst f = (a) => (__reached(6), a ?? g(() => (__reached(7), b)));\n" +
        "function h() { __reached(8); if (c) { __reached(9); d(); } }",
    );
  });

  test.each([
    ["d()", 9],
    ["if", 8],
    ["b)", 7],
    ["??", 6],
    ["const", 5],
  ])("tell whether %s was reached", (code, probe) => {
    const start = "const f = (a) => a ?? g(() => b);\nfunction h() { if (c) { d(); } }".indexOf(code);
    expect(probeAt(regions, { start, end: start + 1 })).toBe(probe);
  });
});
